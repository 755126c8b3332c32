#include "page/page.h"

#include <math.h>
#include <string.h>

#include "page/cells.h"
#include "page/findings.h"
#include "page/html.h"
#include "page/rows.h"

static const struct bl_run_rows *last_run(const struct bl_page *page)
{
    return &page->runs[page->run_count - 1].rows;
}

static void put_fact(FILE *file, const char *name, const char *value)
{
    if (!*value)
        return;
    fputs("<dt>", file);
    bl_html(file, name);
    fputs("</dt><dd>", file);
    bl_html(file, value);
    fputs("</dd>\n", file);
}

static void put_head(FILE *file, const struct bl_page *page)
{
    const struct bl_run_info *info = &last_run(page)->info;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
          file);
    bl_htmlf(file, "bankline: %s, %s", info->device, info->time_utc);
    fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n",
            bl_embedded_text(bl_page_texts, "page.css"));
}

/* The first screen: what was measured, how it went, and what matters. */
static void put_first_screen(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = last_run(page);
    const struct bl_run_info *info = &rows->info;
    struct bl_findings findings;
    fputs("<header><h1>", file);
    bl_html(file, info->device);
    fputs("</h1>\n<dl class=\"facts\">\n", file);
    put_fact(file, "driver", info->driver);
    put_fact(file, "platform", info->platform);
    put_fact(file, "machine", rows->count ? rows->rows[0].key.machine : "");
    put_fact(file, "measured", info->time_utc);
    put_fact(file, "host", info->host);
    put_fact(file, "system", info->os);
    fputs("</dl></header>\n<main>\n<ul class=\"counts\">", file);
    static const enum bl_verdict shown[] = {BL_CONFIRMED, BL_REFUTED, BL_UNCLEAR, BL_NO_RULE};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *name = bl_verdict_name(shown[i]);
        fprintf(file, "<li><strong>%zu</strong> <span class=\"%s\">%s</span></li>",
                bl_page_count(rows, shown[i]), name, name);
    }
    fprintf(file, "<li><strong>%zu</strong> rows</li></ul>\n", rows->count);
    bl_page_findings(rows, page->comparison, &findings);
    fputs("<h2 id=\"findings\">What matters most</h2>\n<ol class=\"findings\">\n", file);
    for (unsigned i = 0; i < findings.count; i++) {
        fputs("<li>", file);
        bl_html(file, findings.all[i]);
        fputs("</li>\n", file);
    }
    fputs("</ol>\n", file);
}

/* What lies between the first "<svg" of the file and its end, without a declaration, and without
 * the ids that gnuplot gives, which are the same in every picture. */
static void put_picture(FILE *file, const char *svg)
{
    static const char id[] = " id=\"gnuplot_";
    const char *at = strstr(svg, "<svg");
    while (at) {
        const char *next = strstr(at, id);
        if (!next) {
            fputs(at, file);
            return;
        }
        fwrite(at, 1, (size_t)(next - at), file);
        at = strchr(next + sizeof id - 1, '"');
        at = at ? at + 1 : NULL;
    }
}

static void put_curves(FILE *file, const struct bl_page *page)
{
    fputs("<h2 id=\"curves\">Curves</h2>\n", file);
    if (*page->why_no_curves) {
        fputs("<p>", file);
        bl_html(file, page->why_no_curves);
        fputs("</p>\n", file);
    }
    for (size_t i = 0; i < page->curve_count; i++) {
        const struct bl_page_curve *curve = &page->curves[i];
        if (!curve->svg)
            continue;
        fprintf(file,
                "<figure class=\"curve\" role=\"img\" aria-labelledby=\"curve-%zu\"><figcaption "
                "id=\"curve-%zu\"><h3>",
                i, i);
        bl_html(file, curve->title);
        fputs("</h3><p>", file);
        bl_html(file, curve->what);
        fputs(" Its points are columns of <a href=\"#rows\">the table of all rows</a>.</p>"
              "</figcaption>\n",
              file);
        put_picture(file, curve->svg);
        fputs("</figure>\n", file);
    }
}

static void put_cases(FILE *file, const struct bl_page *page)
{
    if (!page->machine || page->case_count == 0)
        return;
    fputs("<h2 id=\"requests\">One request of each documented case</h2>\n<p>", file);
    bl_htmlf(
        file,
        "The costliest request of %u lanes on machine %s. A row is a cache line, behind the tag "
        "bank that looks it up, and its squares are the sectors, filled where a lane touches "
        "them. A column is a bank, and each of its squares a word that is wanted from it: from "
        "the second on, in the other colour, lanes wait for each other.",
        page->machine->lanes, page->machine->name);
    fputs("</p>\n<div class=\"cells\">\n", file);
    for (size_t i = 0; i < page->case_count; i++) {
        const struct bl_page_case *shown = &page->cases[i];
        char words[320];
        bl_page_cells_words(page->machine, &shown->request, words);
        if (!*words)
            continue;
        fputs("<figure><figcaption><h3>", file);
        bl_html(file, shown->id);
        fputs("</h3><p>", file);
        bl_htmlf(file, "%s (%s). %s.", shown->title, shown->document, words);
        if (*shown->index) {
            fputs(" <code>", file);
            bl_html(file, shown->index);
            fputs("</code>", file);
        }
        fputs("</p></figcaption>\n", file);
        bl_page_cells(file, page->machine, &shown->request, shown->id);
        fputs("</figure>\n", file);
    }
    fputs("</div>\n", file);
}

static void put_footer(FILE *file, const struct bl_page *page)
{
    const struct bl_run_info *info = &last_run(page)->info;
    fputs("</main>\n<footer><h2 id=\"how\">How the figures were made</h2>\n<p>", file);
    bl_htmlf(
        file,
        "Each row is a kernel with one access pattern, timed by the device's clock against its "
        "baseline by turns, at several places in memory; a ratio is a median with its 95 %% "
        "interval. A prediction is what the model computes from the addresses and the machine; "
        "a claim is what a document prints of its own hardware. Measured by bankline %s, run "
        "%s; page by bankline %s, %s.",
        info->tool_version, info->run_id, page->tool_version, page->time_utc);
    fputs("</p>\n<p>To do it again:</p>\n<pre><code>bankline run --csv run.csv\n", file);
    bl_html(file, page->command);
    fputs("</code></pre></footer>\n", file);
    fprintf(file, "<script>\n%s</script>\n</body></html>\n",
            bl_embedded_text(bl_page_texts, "page.js"));
}

void bl_page_write(FILE *file, const struct bl_page *page)
{
    put_head(file, page);
    put_first_screen(file, page);
    bl_page_changes(file, page);
    put_curves(file, page);
    put_cases(file, page);
    bl_page_side_by_side(file, page);
    fputs("<h2 id=\"all\">All rows</h2>\n", file);
    bl_page_rows(file, page);
    put_footer(file, page);
}
