/* The page from top to bottom, in the order in which a reader needs it: what was measured and what
 * matters, what changed, pictures, and all rows last. */
#include "page/page.h"

#include <math.h>
#include <string.h>

#include "measure/stats.h"
#include "page/html.h"
#include "page/request_svg.h"
#include "page/rows.h"
#include "report/score.h"

static const struct bl_run_rows *last_run(const struct bl_page *page)
{
    return &page->runs[page->run_count - 1].rows;
}

static void put_fact(FILE *file, const char *name, const char *value)
{
    if (!*value)
        return;
    bl_html_element(file, "dt", "%s", name);
    bl_html_block(file, "dd", "%s", value);
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

/* The first screen: what was measured, how it went, and what matters. */
static void put_first_screen(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = last_run(page);
    const struct bl_run_info *info = &rows->info;
    struct bl_headlines findings;
    fputs("<header>", file);
    bl_html_block(file, "h1", "%s", info->device);
    fputs("<dl class=\"facts\">\n", file);
    put_fact(file, "driver", info->driver);
    put_fact(file, "card", info->device_id);
    put_fact(file, "platform", info->platform);
    put_fact(file, "machine", rows->count ? rows->rows[0].key.machine : "");
    put_fact(file, "measured", info->time_utc);
    put_fact(file, "host", info->host);
    put_fact(file, "system", info->os);
    fputs("</dl></header>\n<main>\n<ul class=\"counts\">", file);
    static const enum bl_verdict shown[] = {BL_CONFIRMED, BL_REFUTED, BL_UNCLEAR, BL_NO_RULE,
                                            BL_BASELINE};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *name = bl_verdict_name(shown[i]);
        fprintf(file, "<li><strong>%zu</strong> <span class=\"%s\">%s</span></li>",
                bl_page_count(rows, shown[i]), name, name);
    }
    size_t measured = 0;
    for (size_t i = 0; i < rows->count; i++)
        measured += bl_row_has_number(&rows->rows[i]);
    if (measured < rows->count)
        fprintf(file, "<li><strong>%zu</strong> without a number</li>", rows->count - measured);
    fprintf(file, "<li><strong>%zu</strong> rows</li></ul>\n", rows->count);
    bl_page_findings(rows, page->comparison, page->nights, &findings);
    fputs("<h2 id=\"findings\">What matters most</h2>\n<ol class=\"findings\">\n", file);
    for (unsigned i = 0; i < findings.count; i++)
        bl_html_block(file, "li", "%s", findings.all[i]);
    fputs("</ol>\n", file);
    struct bl_score score = {0};
    char text[BL_SCORE_BYTES];
    for (size_t i = 0; i < rows->count; i++)
        bl_score_add(&score, &rows->rows[i]);
    if (*bl_score_text(&score, text))
        bl_html_block(file, "p", "%s", text);
}

static void put_curves(FILE *file, const struct bl_page *page)
{
    fputs("<h2 id=\"curves\">Curves</h2>\n", file);
    if (*page->why_no_curves)
        bl_html_block(file, "p", "%s", page->why_no_curves);
    bl_page_put_curves(file, page->curves, page->curve_count, "curve");
}

static void put_nights(FILE *file, const struct bl_nights *nights)
{
    size_t changed = 0;
    if (!nights)
        return;
    bl_page_changes(file, nights->comparison, "Against the history");
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
    bl_page_put_curves(file, nights->curves, nights->curve_count, "night");
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

void bl_page_write(FILE *file, const struct bl_page *page)
{
    put_head(file, page);
    put_first_screen(file, page);
    bl_page_changes(file, page->comparison, "What changed");
    put_nights(file, page->nights);
    put_curves(file, page);
    bl_page_shapes(file, page);
    put_cases(file, page);
    bl_page_put_trace(file, &page->trace);
    bl_page_put_infer(file, &page->infer, page->sweeps);
    bl_page_side_by_side(file, page);
    fputs("<h2 id=\"all\">All rows</h2>\n", file);
    bl_page_rows(file, page);
    put_footer(file, page);
}
