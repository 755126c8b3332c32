/* Writes the JSON output of other commands (a trace, an inferred machine) as sections of the page.
 * A member that is missing or has the wrong type is read as "" or NAN. */
#include "page/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "report/json_values.h"

#ifdef BL_WITH_JANSSON

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error)
{
    static const struct {
        const char *command, *array;
    } kinds[] = {{"trace", "kernels"}, {"infer", "values"}};
    *document = (struct bl_page_document){.path = path};
    json_error_t failed;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    json_t *root = json_loadf(file, 0, &failed);
    if (file != stdin)
        fclose(file);
    document->root = root;
    if (!root)
        return bl_fail(error, BL_BAD_FORMAT, "%s, line %d: %.200s", path, failed.line, failed.text);
    if (!json_is_integer(json_object_get(root, "schema")) ||
        !json_is_array(json_object_get(root, kinds[kind].array)))
        return bl_fail(error, BL_BAD_FORMAT, "%s is not the output of 'bankline %s --json'", path,
                       kinds[kind].command);
    return BL_OK;
}

void bl_page_document_free(struct bl_page_document *document)
{
    json_decref(document->root);
    document->root = NULL;
}

/* The section of a trace: the sources, with the cost of each line, and the suggested fixes. */

/* Of a source with more than WHOLE_LINES lines, only the lines within NEAR lines of an access are
 * shown. */
enum { WHOLE_LINES = 400, NEAR = 5, MOST_LINES = 100000 };

/* The cost of the accesses of a source line. */
struct cost {
    double clocks, ideal, requests; /* sums over the requests of the traced groups; ideal: clocks if
                                       the accesses were contiguous */
    double all, lost; /* estimates for all groups: the clocks, and how many of them contiguous
                         accesses would save */
};

struct annotated {
    struct cost *lines; /* indexed by line, 1 to count */
    size_t count;
    double all; /* clocks of all groups, summed over all lines */
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

/* Adds the kernel's accesses to the costs of their lines. A trace by an older bankline has no
 * estimates for all groups; then the sums over the traced groups are used instead. */
static void add_rows(struct annotated *annotated, const json_t *kernel)
{
    const double total = number_of(json_object_get(kernel, "totals"), "clocks");
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(kernel, "rows"), i, row)
    {
        const double line = number_of(row, "source_line"), requests = number_of(row, "requests"),
                     clocks = number_of(row, "clocks"), ideal = number_of(row, "ideal_clocks"),
                     share = number_of(row, "share"), lost = number_of(row, "lost");
        if (!(line >= 1) || line > (double)annotated->count || !(requests > 0) || !(clocks > 0) ||
            clocks * requests > 1e300)
            continue;
        struct cost *cost = &annotated->lines[(size_t)line];
        const double ideal_clocks = isfinite(ideal) ? ideal * requests : 0;
        const bool is_estimated = share >= 0 && lost >= 0 && total > 0 && total < 1e300;
        const double all = is_estimated ? share * total : clocks * requests;
        cost->requests += requests;
        cost->clocks += clocks * requests;
        cost->ideal += ideal_clocks;
        cost->all += all;
        cost->lost += is_estimated ? lost * total : clocks * requests - ideal_clocks;
        annotated->all += all;
    }
}

static void put_line(FILE *file, const struct annotated *annotated, size_t line, const char *text,
                     size_t length)
{
    const struct cost *cost = &annotated->lines[line];
    const double share = cost->all / annotated->all;
    if (cost->requests > 0)
        fprintf(file,
                "<tr class=\"hot\"><td class=\"heat number\" data-value=\"%.4g\" style=\"--share:"
                "%.1f%%\">%.1f %%</td><td class=\"number\">%.1f %%</td><td class=\"number\">%.3g"
                "</td><td class=\"number\">%.3g</td>",
                share, 100 * share, 100 * share, 100 * cost->lost / annotated->all,
                cost->clocks / cost->requests, cost->ideal / cost->requests);
    else
        fputs("<tr><td></td><td></td><td></td><td></td>", file);
    fprintf(file, "<td class=\"number\">%zu</td><td><code>", line);
    bl_htmlf(file, "%.*s", length < 2000 ? (int)length : 2000, text);
    fputs("</code></td></tr>\n", file);
}

static void put_source(FILE *file, const struct annotated *annotated, const char *source)
{
    bl_html_scroll(file, "Annotated source");
    fputs(
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

static void put_kernel(FILE *file, const json_t *kernel)
{
    const double launches = number_of(kernel, "launches"), groups = number_of(kernel, "groups");
    const char *label = text_of(kernel, "label"); /* files of older versions have no label */
    bl_html_block(file, "h3", "kernel %.200s", *label ? label : text_of(kernel, "name"));
    bl_html_block(file, "p", "%.0f launch%s, %.0f group%s, %.0f of them traced.", launches,
                  launches == 1 ? "" : "es", groups, groups == 1 ? "" : "s",
                  number_of(kernel, "traced_groups"));
}

/* The index of the kernel's source in `sources`; -1 if the source is missing. */
static long source_of(const json_t *kernel, const json_t *sources)
{
    const double number = number_of(kernel, "source");
    const bool is_there = number >= 0 && number < (double)json_array_size(sources) &&
                          json_is_string(json_array_get(sources, (size_t)number));
    return is_there ? (long)number : -1;
}

/* Writes the kernels of one source, and then the source with the total cost of these kernels. If
 * `number` is -1, writes the kernels whose source is missing. */
static void put_kernels_of(FILE *file, const json_t *kernels, const json_t *sources, long number)
{
    const char *source =
        number >= 0 ? json_string_value(json_array_get(sources, (size_t)number)) : NULL;
    struct annotated annotated = {.count = source ? count_lines(source) : 0};
    annotated.lines = calloc(annotated.count + 1, sizeof *annotated.lines);
    size_t i, count = 0;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        if (source_of(kernel, sources) != number)
            continue;
        put_kernel(file, kernel);
        if (annotated.lines && source)
            add_rows(&annotated, kernel);
        count++;
    }
    if (annotated.lines && source) {
        if (count > 1)
            bl_html_block(file, "p", "The source of these kernels, with their total cost:");
        put_source(file, &annotated, source);
    } else if (count > 0) {
        bl_html_block(file, "p", "%s source is not part of the trace.",
                      count > 1 ? "Their" : "Its");
    }
    free(annotated.lines);
}

/* Writes the kernels and their sources. Kernels with the same source are written together. */
static void put_kernels(FILE *file, const json_t *root)
{
    const json_t *kernels = json_object_get(root, "kernels"),
                 *sources = json_object_get(root, "sources");
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        const long number = source_of(kernel, sources);
        size_t before = 0;
        while (source_of(json_array_get(kernels, before), sources) != number)
            before++;
        if (before == i)
            put_kernels_of(file, kernels, sources, number);
    }
}

void bl_page_put_trace(FILE *file, const struct bl_page_document *document)
{
    const json_t *root = document->root;
    size_t i;
    json_t *value;
    if (!root)
        return;
    fputs("<h2 id=\"trace\">Traced kernels</h2>\n", file);
    bl_html_block(
        file, "p",
        "Clocks are predicted for machine %.60s. The table shows for each source line the share "
        "of the clocks of all kernels of this source, the part of these clocks that contiguous "
        "accesses would save, and the clocks of one request, as it is and if it were contiguous. "
        "From %.300s, traced at %.40s.",
        text_of(root, "machine"), document->path, text_of(root, "time_utc"));
    if (json_array_size(json_object_get(root, "suggestions")) > 0) {
        fputs("<ol class=\"findings\">\n", file);
        json_array_foreach(json_object_get(root, "suggestions"), i, value)
            bl_html_block(file, "li", "%.1500s", text_of(value, "sentence"));
        fputs("</ol>\n", file);
    }
    put_kernels(file, root);
}

/* The section of an inferred machine: its values, and the sweeps from which the values were
 * inferred. */

static enum bl_status draw_sweep(struct bl_plotter *plotter, const char *sweep,
                                 const json_t *points, struct bl_page_curve *curve,
                                 struct bl_error *error)
{
    const char *unit = text_of(json_array_get(points, 0), "unit"), *const arguments[] = {sweep,
                                                                                         NULL};
    size_t i;
    json_t *point;
    curve->points = (struct bl_points){
        .what = "sweep", /* the column has the same name in the CSV of `infer`, and the script reads
                            it by this name */
        .columns = {{"x", ""}, {"measured", unit}, {"expected", unit}, {"error", unit}}};
    snprintf(curve->title, sizeof curve->title, "Sweep %.100s", sweep);
    bool has_x = false;
    json_array_foreach(points, i, point) has_x = has_x || isfinite(number_of(point, "x"));
    json_array_foreach(points, i, point)
    {
        const double numbers[BL_POINT_NUMBERS] = {
            has_x ? number_of(point, "x") : (double)(i + 1), number_of(point, "measured"),
            number_of(point, "expected"), number_of(point, "error")};
        if (!bl_points_add(&curve->points, sweep, numbers))
            return bl_fail(error, BL_NO_MEMORY, "out of memory while adding %zu points", i);
    }
    snprintf(
        curve->what, sizeof curve->what,
        "%zu measurements in %.40s (dots, with their error%s). If the measurements were used for a "
        "fit, squares are the values that the inferred machine predicts.",
        curve->points.count, *unit ? unit : "no unit", has_x ? "" : ", one after the other");
    bl_plot_points(plotter, "sweep.gp", arguments, curve);
    curve->points.what = "point";
    json_array_foreach(points, i, point)
        snprintf(curve->points.all[i].name, BL_POINT_NAME, "%s", text_of(point, "point"));
    return BL_OK;
}

enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error)
{
    const char *name;
    json_t *points, *all = json_object_get(document->root, "evidence");
    enum bl_status status = BL_OK;
    sweeps->count = 0;
    json_object_foreach(all, name, points)
    {
        if (status == BL_OK && sweeps->count < BL_SWEEPS && json_array_size(points) > 0)
            status = draw_sweep(plotter, name, points, &sweeps->curves[sweeps->count++], error);
    }
    return status;
}

double bl_page_inferred(const struct bl_page_document *document, const char *key)
{
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(document->root, "values"), i, value)
    {
        if (strcmp(text_of(value, "key"), key) == 0)
            return number_of(value, "value");
    }
    return NAN;
}

/* Writes a JSON value as text: a number, "yes" or "no", or the texts of a list; else "unknown". */
static void put_value(FILE *file, const json_t *value)
{
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", file);
    else if (json_is_number(value))
        bl_htmlf(file, "%.10g", json_number_value(value));
    else if (json_is_array(value))
        for (size_t i = 0; i < json_array_size(value); i++) {
            const char *text = json_string_value(json_array_get(value, i));
            fputs(i ? " " : "", file);
            bl_html(file, text ? text : "?");
        }
    else
        fputs("unknown", file);
}

static void put_finding(FILE *file, const json_t *value)
{
    const double lo = number_of(value, "lo"), hi = number_of(value, "hi");
    const char *why = text_of(value, "why_unknown");
    bl_html_row(file, text_of(value, "key"));
    fputs("<td>", file);
    put_value(file, json_object_get(value, "value"));
    fputs("</td><td>", file);
    if (isfinite(lo) && isfinite(hi))
        bl_htmlf(file, hi >= 1e4 ? "%.0f to %.0f" : "%.4g to %.4g", lo, hi);
    fputs("</td>", file);
    bl_html_cell(file, text_of(value, "unit"));
    bl_html_number(file, 100 * number_of(value, "confidence"), 4);
    bl_html_cell(file, text_of(value, "meaning"));
    bl_html_cell(file, *why ? why : text_of(value, "basis"));
    fputs("</tr>\n", file);
}

void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps, bool *has_shapes)
{
    const json_t *root = document->root;
    size_t i;
    json_t *value;
    if (!root)
        return;
    fputs("<h2 id=\"infer\">The inferred machine</h2>\n", file);
    bl_html_block(file, "p", "Inferred for %.200s, driver %.60s, at %.40s, seed %.0f; from %.300s.",
                  text_of(root, "device"), text_of(root, "driver"), text_of(root, "time_utc"),
                  number_of(root, "seed"), document->path);
    bl_html_choice(file, "inferred");
    bl_html_scroll(file, "Inferred values");
    fputs("<table class=\"sorts\" id=\"inferred\"><thead><tr>", file);
    static const char *const heads[] = {"key", "value", "95 % interval", "unit"};
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        bl_html_heading(file, heads[i], NULL);
    bl_html_heading(file, "certainty (%)", "%");
    bl_html_heading(file, "meaning", NULL);
    bl_html_heading(file, "basis", NULL);
    fputs("</tr></thead><tbody>\n", file);
    json_array_foreach(json_object_get(root, "values"), i, value) put_finding(file, value);
    fputs("</tbody></table></div>\n", file);
    bl_page_put_curves(file, sweeps->curves, sweeps->count, "sweep", has_shapes);
}

#else

enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error)
{
    (void)path, (void)kind;
    *document = (struct bl_page_document){0};
    return bl_json_is_built(error);
}

void bl_page_document_free(struct bl_page_document *document) { (void)document; }

void bl_page_put_trace(FILE *file, const struct bl_page_document *document)
{
    (void)file, (void)document;
}

enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error)
{
    (void)plotter, (void)document, (void)sweeps, (void)error;
    return BL_OK;
}

double bl_page_inferred(const struct bl_page_document *document, const char *key)
{
    (void)document, (void)key;
    return NAN;
}

void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps, bool *has_shapes)
{
    (void)file, (void)document, (void)sweeps, (void)has_shapes;
}

#endif
