/* A trace as a section: the sources, line by line, and what would mend them. */
#include <stdlib.h>
#include <string.h>

#include "page/document.h"
#include "page/document_inside.h"
#include "page/html.h"

/* Of longer sources only what lies near a line with accesses is shown. */
enum { WHOLE_LINES = 400, NEAR = 5, MOST_LINES = 100000 };

/* What the accesses of a source line cost. */
struct cost {
    double clocks, ideal, requests;
};

struct annotated {
    const json_t *kernel;
    struct cost *lines; /* 1 to count */
    size_t count;
    double clocks; /* of all */
};

static size_t count_lines(const char *source)
{
    size_t count = *source ? 1 : 0;
    for (; (source = strchr(source, '\n')) && source[1]; source++)
        count++;
    return count < MOST_LINES ? count : MOST_LINES;
}

static bool is_shown(const struct annotated *annotated, size_t line)
{
    if (annotated->count <= WHOLE_LINES)
        return true;
    for (size_t i = line > NEAR ? line - NEAR : 1; i <= line + NEAR && i <= annotated->count; i++)
        if (annotated->lines[i].requests > 0)
            return true;
    return false;
}

static void add_rows(struct annotated *annotated)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(annotated->kernel, "rows"), i, row)
    {
        const double line = bl_json_number_of(row, "source_line"),
                     requests = bl_json_number_of(row, "requests"),
                     clocks = bl_json_number_of(row, "clocks"),
                     ideal = bl_json_number_of(row, "ideal_clocks");
        if (!(line >= 1) || line > (double)annotated->count || !(requests > 0) || !(clocks > 0) ||
            clocks * requests > 1e300)
            continue;
        struct cost *cost = &annotated->lines[(size_t)line];
        cost->requests += requests;
        cost->clocks += clocks * requests;
        cost->ideal += isfinite(ideal) ? ideal * requests : 0;
        annotated->clocks += clocks * requests;
    }
}

static void put_line(FILE *file, const struct annotated *annotated, size_t line, const char *text,
                     size_t length)
{
    const struct cost *cost = &annotated->lines[line];
    const double share = cost->clocks / annotated->clocks;
    if (cost->requests > 0)
        fprintf(file,
                "<tr class=\"hot\"><td class=\"heat number\" data-value=\"%.4g\" style=\"--share:"
                "%.1f%%\">%.1f %%</td><td class=\"number\">%.1f %%</td><td class=\"number\">%.3g"
                "</td><td class=\"number\">%.3g</td>",
                share, 100 * share, 100 * share,
                100 * (cost->clocks - cost->ideal) / annotated->clocks,
                cost->clocks / cost->requests, cost->ideal / cost->requests);
    else
        fputs("<tr><td></td><td></td><td></td><td></td>", file);
    fprintf(file, "<td class=\"number\">%zu</td><td><code>", line);
    bl_htmlf(file, "%.*s", length < 2000 ? (int)length : 2000, text);
    fputs("</code></td></tr>\n", file);
}

static void put_source(FILE *file, const struct annotated *annotated, const char *source)
{
    fputs(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Annotated source\">"
        "<table class=\"source\"><thead><tr><th scope=\"col\">share</th><th scope=\"col\">lost</th>"
        "<th scope=\"col\">clocks</th><th scope=\"col\">ideal</th><th scope=\"col\">line</th><th "
        "scope=\"col\">source</th></tr></thead><tbody>\n",
        file);
    bool was_shown = true;
    for (size_t line = 1; line <= annotated->count; line++) {
        const size_t length = strcspn(source, "\n");
        const bool shown = is_shown(annotated, line);
        if (shown)
            put_line(file, annotated, line, source, length);
        else if (was_shown)
            fputs("<tr><td colspan=\"6\">&#8230;</td></tr>\n", file);
        was_shown = shown;
        source += length + (source[length] == '\n');
    }
    fputs("</tbody></table></div>\n", file);
}

static void put_kernel(FILE *file, const json_t *root, const json_t *kernel)
{
    const json_t *sources = json_object_get(root, "sources");
    const double number = bl_json_number_of(kernel, "source");
    const char *source = number >= 0 && number < (double)json_array_size(sources)
                             ? json_string_value(json_array_get(sources, (size_t)number))
                             : NULL;
    struct annotated annotated = {.kernel = kernel, .count = source ? count_lines(source) : 0};
    annotated.lines = calloc(annotated.count + 1, sizeof *annotated.lines);
    fputs("<h3>", file);
    bl_htmlf(file, "kernel %.200s", bl_json_text_of(kernel, "name"));
    fputs("</h3>\n<p>", file);
    bl_htmlf(file, "%.0f launch%s, %.0f groups, %.0f of them traced.",
             bl_json_number_of(kernel, "launches"),
             bl_json_number_of(kernel, "launches") == 1 ? "" : "es",
             bl_json_number_of(kernel, "groups"), bl_json_number_of(kernel, "traced_groups"));
    fputs("</p>\n", file);
    if (annotated.lines && source) {
        add_rows(&annotated);
        put_source(file, &annotated, source);
    } else {
        fputs("<p>Its source is not part of the trace.</p>\n", file);
    }
    free(annotated.lines);
}

void bl_page_put_trace(FILE *file, const struct bl_page_document *document)
{
    const json_t *root = document->root;
    size_t i;
    json_t *value;
    if (!root)
        return;
    fputs("<h2 id=\"trace\">Traced kernels</h2>\n<p>", file);
    bl_htmlf(file,
             "Of each source line, by the model of machine %.60s: its share of the kernel's "
             "clocks, how much of them is lost against contiguous accesses, and clocks a request "
             "takes, and would take. From %.300s, traced at %.40s.",
             bl_json_text_of(root, "machine"), document->path, bl_json_text_of(root, "time_utc"));
    fputs("</p>\n", file);
    if (json_array_size(json_object_get(root, "suggestions")) > 0) {
        fputs("<ol class=\"findings\">\n", file);
        json_array_foreach(json_object_get(root, "suggestions"), i, value)
        {
            fputs("<li>", file);
            bl_htmlf(file, "%.1500s", bl_json_text_of(value, "sentence"));
            fputs("</li>\n", file);
        }
        fputs("</ol>\n", file);
    }
    json_array_foreach(json_object_get(root, "kernels"), i, value) put_kernel(file, root, value);
}
