/* The page from top to bottom, in the order in which a reader needs it: what was measured, how it
 * went and how fast each level is; the findings; what changed; pictures; and all rows last. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"
#include "page/findings.h"
#include "page/html.h"
#include "page/request_svg.h"
#include "page/rows.h"
#include "report/level_figures.h"
#include "report/score.h"

static const struct bl_run_rows *last_run(const struct bl_page *page)
{
    return &page->runs[page->run_count - 1].rows;
}

static void put_fact(FILE *file, const char *name, const char *value)
{
    if (!*value)
        return;
    fputs("<div>", file);
    bl_html_element(file, "dt", "%s", name);
    bl_html_element(file, "dd", "%s", value);
    fputs("</div>\n", file);
}

static void put_head(FILE *file, const struct bl_page *page)
{
    const struct bl_run_info *info = &last_run(page)->info;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'\">\n",
          file);
    bl_html_block(file, "title", "bankline: %s, %s", info->device, info->time_utc);
    fprintf(file, "<style>\n%s</style></head>\n<body>\n",
            bl_embedded_text(bl_page_texts, "page.css"));
}

/* A figure of a level: "9862 GB/s"; nothing where it is unknown. */
static void put_figure(FILE *file, const char *tag, const char *before, double number,
                       const char *unit)
{
    if (!isfinite(number))
        return;
    bl_html_element(file, tag, "%s%.*f %s", before, number < 100, number, unit);
}

/* The levels of memory side by side, each with its figures. */
static void put_levels(FILE *file, const struct bl_page *page)
{
    struct bl_level_figures levels[BL_MOST_LEVELS];
    const struct bl_run_rows *run = last_run(page);
    const unsigned count = bl_level_figures(
        run, page->machine, bl_recorded_arrays_per_unit(run, page->machine), levels);
    if (count == 0)
        return;
    fputs("<ul class=\"levels\">", file);
    for (unsigned i = 0; i < count; i++) {
        const struct bl_level_figures *level = &levels[i];
        const double share = level->read_bytes_per_clock / level->limit_bytes_per_clock;
        fputs("<li>", file);
        /* A size, where the machine does not say which level holds it. */
        const bool is_size = level->name[0] >= '0' && level->name[0] <= '9';
        bl_html_element(file, "b", "%s%s", is_size ? "working set of " : "", level->name);
        put_figure(file, "strong", "", level->read_gbytes_per_s, "GB/s");
        if (isfinite(share)) {
            bl_html_element(file, "span", "%.1f of %.0f B/clk/CU, %.1f %%",
                            level->read_bytes_per_clock, level->limit_bytes_per_clock, 100 * share);
            fprintf(file, "<i style=\"--share:%.1f%%\"></i>", 100 * fmin(1, share));
        } else {
            put_figure(file, "span", "", level->read_bytes_per_clock, "B/clk/CU");
        }
        put_figure(file, "span", "latency ", level->latency_ns, "ns");
        put_figure(file, "span", "writes ", level->write_gbytes_per_s, "GB/s");
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}

/* The first screen: what was measured, how it went in a sentence, and how fast each level is. */
static void put_first_screen(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = last_run(page);
    const struct bl_run_info *info = &rows->info;
    struct bl_page_verdict verdict;
    fputs("<header>", file);
    bl_html_block(file, "h1", "%s", info->device);
    fputs("<dl class=\"facts\">\n", file);
    put_fact(file, "driver", info->driver);
    put_fact(file, "measured", info->time_utc);
    put_fact(file, "machine", rows->count ? rows->rows[0].key.machine : "");
    put_fact(file, "card", info->device_id);
    put_fact(file, "platform", info->platform);
    put_fact(file, "host", info->host);
    put_fact(file, "system", info->os);
    fputs("</dl></header>\n<main>\n", file);
    bl_page_judge(rows, page->comparison, page->nights, &verdict);
    fprintf(file, "<p class=\"verdict %s\"><strong>", bl_severity_name(verdict.severity));
    bl_html(file, verdict.lead);
    fputs("</strong> ", file);
    bl_html(file, verdict.counts);
    fputs("</p>\n", file);
    put_levels(file, page);
}

static void put_findings(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = last_run(page);
    struct bl_headlines findings;
    bl_page_findings(rows, page->comparison, page->nights, &findings);
    fputs("<h2 id=\"findings\">What matters most</h2>\n<ol class=\"findings\">\n", file);
    for (unsigned i = 0; i < findings.count; i++) {
        const struct bl_page_finding *finding = &findings.all[i];
        const char *name = bl_severity_name(finding->severity);
        fprintf(file, "<li class=\"%s\"><b>%s</b> ", name, name);
        bl_html(file, finding->what);
        if (*finding->todo) {
            fputc(' ', file);
            bl_html_element(file, "em", "%s", finding->todo);
        }
        fputs("</li>\n", file);
    }
    fputs("</ol>\n", file);
    struct bl_score score = {0};
    char text[BL_SCORE_BYTES];
    for (size_t i = 0; i < rows->count; i++)
        bl_score_add(&score, &rows->rows[i]);
    if (*bl_score_text(&score, text))
        bl_html_block(file, "p", "%s", text);
}

static void put_curves(FILE *file, const struct bl_page *page, bool *has_shapes)
{
    fputs("<h2 id=\"curves\">Curves</h2>\n", file);
    if (*page->why_no_curves)
        bl_html_block(file, "p", "%s", page->why_no_curves);
    bl_page_put_curves(file, page->curves, page->curve_count, "curve", has_shapes);
}

static void put_nights(FILE *file, const struct bl_nights *nights, bool *has_shapes)
{
    size_t changed = 0;
    if (!nights)
        return;
    bl_page_changes(file, nights->comparison, "history", "Against the history");
    for (size_t i = 0; i < nights->count; i++)
        changed += nights->all[i].change_count > 0;
    fputs("<h2 id=\"nights\">Over the last runs</h2>\n", file);
    if (nights->count == 0)
        bl_html_block(file, "p", "The history has no earlier run of this card.");
    else if (nights->runs + 1 < 2 * BL_LEVEL_POINTS)
        bl_html_block(file, "p",
                      "Too few runs to see a change of level: it takes %d, and there are %zu.",
                      2 * BL_LEVEL_POINTS, nights->runs + 1);
    else
        bl_html_block(
            file, "p",
            "%zu of %zu rows changed their level in the last runs of this card%s. A change is "
            "a step of 2 %% or more that chance does not explain, in all rows together in 95 "
            "of 100 histories; a level lasts at least five runs.",
            changed, nights->count,
            changed > nights->curve_count ? ", of which the largest are shown" : "");
    bl_page_put_curves(file, nights->curves, nights->curve_count, "night", has_shapes);
}

static void put_case(FILE *file, const struct bl_page *page, const struct bl_page_case *shown)
{
    char words[320];
    bl_page_cells_words(page->machine, &shown->request, words);
    if (!*words)
        return;
    fputs("<figure><figcaption>", file);
    bl_html_element(file, "h3", "%s", shown->id);
    fputs("<p>", file);
    bl_htmlf(file, "%s (%s). %s.", shown->title, shown->document, words);
    if (*shown->index) {
        fputc(' ', file);
        bl_html_element(file, "code", "%s", shown->index);
    }
    fputs("</p></figcaption>\n", file);
    bl_page_cells(file, page->machine, &shown->request, shown->id);
    fputs("</figure>\n", file);
}

static void put_rank(FILE *file, const struct bl_page *page, bool is_first_rank)
{
    fputs("<div class=\"cells\">\n", file);
    for (size_t i = 0; i < page->case_count; i++)
        if (page->cases[i].is_first_rank == is_first_rank)
            put_case(file, page, &page->cases[i]);
    fputs("</div>\n", file);
}

static void put_cases(FILE *file, const struct bl_page *page)
{
    if (!page->machine || page->case_count == 0)
        return;
    fputs("<h2 id=\"requests\">One request of each documented case</h2>\n", file);
    bl_html_block(
        file, "p",
        "The costliest request of %u lanes on machine %s. A row is a cache line, behind the tag "
        "bank that looks it up, and its squares are the sectors, filled where a lane touches "
        "them. A column is a bank, and each of its squares a word that is wanted from it: from "
        "the second on, in the other colour, lanes wait for each other.",
        page->machine->lanes, page->machine->name);
    put_rank(file, page, true);
    fputs("<details><summary>The other cases whose claim a document prints</summary>\n", file);
    put_rank(file, page, false);
    fputs("</details>\n", file);
}

static void put_footer(FILE *file, const struct bl_page *page)
{
    const struct bl_run_info *info = &last_run(page)->info;
    fputs("</main>\n<footer><h2 id=\"how\">How the figures were made</h2>\n", file);
    bl_html_block(
        file, "p",
        "Each row is a kernel with one access pattern, timed by the device's clock against its "
        "baseline by turns, at several places in memory; a ratio is a median with its 95 %% "
        "interval. A prediction is what the model computes from the addresses and the machine; "
        "a claim is what a document prints of its own hardware, or, where the table says so, what "
        "follows from its rule. Measured by bankline %s, run "
        "%s; page by bankline %s, %s.",
        info->tool_version, info->run_id, page->tool_version, page->time_utc);
    fputs("<p>To do it again:</p>\n<pre><code>bankline run --csv run.csv", file);
    if (*info->device_id)
        bl_htmlf(file, " --device %.*s", (int)strcspn(info->device_id, "@"), info->device_id);
    fputs("\n", file);
    bl_html(file, page->command);
    fputs("</code></pre></footer>\n", file);
    fprintf(file, "<script>\n%s</script>\n</body></html>\n",
            bl_embedded_text(bl_page_texts, "page.js"));
}

/* Links to the headings of the sections, which have ids. */
static void put_contents(FILE *file, const char *sections)
{
    static const char opening[] = "<h2 id=\"", closing[] = "</h2>";
    fputs("<nav aria-label=\"Contents\"><ul>", file);
    for (const char *at = sections; (at = strstr(at, opening));) {
        const char *id = at + sizeof opening - 1, *title = strchr(id, '>'),
                   *end = strstr(at, closing);
        if (!title || !end)
            break;
        fprintf(file, "<li><a href=\"#%.*s\">%.*s</a></li>", (int)strcspn(id, "\""), id,
                (int)(end - title - 1), title + 1);
        at = end;
    }
    fputs("</ul></nav>\n", file);
}

static void put_sections(FILE *file, const struct bl_page *page)
{
    bool has_shapes = false; /* whether a picture defines the shapes of gnuplot's marks already */
    put_findings(file, page);
    bl_page_changes(file, page->comparison, "changes", "What changed");
    put_nights(file, page->nights, &has_shapes);
    put_curves(file, page, &has_shapes);
    bl_page_shapes(file, page);
    put_cases(file, page);
    bl_page_put_trace(file, &page->trace);
    bl_page_put_infer(file, &page->infer, page->sweeps, &has_shapes);
    bl_page_side_by_side(file, page);
    fputs("<h2 id=\"all\">All rows</h2>\n", file);
    bl_page_rows(file, page);
    put_footer(file, page);
}

void bl_page_write(FILE *file, const struct bl_page *page)
{
    char *sections = NULL;
    size_t size = 0;
    FILE *buffer = open_memstream(&sections, &size);
    put_head(file, page);
    put_first_screen(file, page);
    if (buffer) {
        put_sections(buffer, page);
        const bool is_whole = !ferror(buffer);
        if (fclose(buffer) == 0 && is_whole) {
            put_contents(file, sections);
            fwrite(sections, 1, size, file);
            free(sections);
            return;
        }
        free(sections);
    }
    put_sections(file, page); /* there is no memory for the contents */
}
