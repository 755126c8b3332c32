/* Writes the parts of the page, the most important first: the measured device, the verdict and the
 * speed of each level; the findings; the changes; pictures; a trace, an inferred machine and the
 * runs side by side, if the page has them; and finally all rows. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"
#include "page/html.h"
#include "page/request_svg.h"
#include "report/summary.h"

static const struct bl_run_rows *last_run(const struct bl_page *page)
{
    return &page->runs[page->run_count - 1].rows;
}

/* Rows and changes as tables that can be sorted and filtered. */

/* The form that filters a table's rows by text and verdict. */
static void put_filter(FILE *file, const char *table)
{
    fprintf(file,
            "<form class=\"filter\" data-table=\"%s\"><label>rows with <input type=\"search\" "
            "name=\"text\"></label> <label>verdict <select "
            "name=\"verdict\"><option value=\"\">any</option>",
            table);
    for (enum bl_verdict verdict = BL_CONFIRMED; verdict < BL_NO_VERDICT; verdict++)
        fprintf(file, "<option>%s</option>", bl_verdict_name(verdict));
    fputs("</select></label> <output aria-live=\"polite\"></output></form>\n", file);
}

static void put_verdict(FILE *file, const struct bl_row *row)
{
    const char *name = bl_verdict_name(row->verdict);
    fprintf(file, "<td class=\"%s\">%s", name, name);
    if (row->status != BL_ROW_OK) {
        fputs(*name ? ", " : "", file);
        bl_html(file, bl_row_status_name(row->status));
    }
    fputs("</td>", file);
}

/* How far the measured ratio is off the prediction, in %, rounded to 0.01 (0 instead of -0); NAN
 * for a baseline. */
static double off_percent(const struct bl_row *row)
{
    const double off = round(1e4 * (row->measured / row->predicted - 1)) / 100;
    return row->verdict == BL_BASELINE ? (double)NAN : off + 0.0;
}

static void put_row(FILE *file, const struct bl_page *page, const struct bl_row *row)
{
    fprintf(file, "<tr data-verdict=\"%s\">", bl_verdict_name(row->verdict));
    bl_html_row_heading(file, row->key.case_id);
    bl_html_cell(file, row->key.type);
    bl_html_cell(file, row->key.shape);
    bl_html_cell(file, row->level);
    if (isfinite(row->claim))
        bl_html_number(file, row->claim, 4);
    else
        bl_html_cell(file, bl_direction_name(row->direction));
    bl_html_cell(file, row->claim_source);
    bl_html_number(file, row->predicted, 4);
    bl_html_number(file, row->measured, 4);
    bl_html_number(file, row->measured_lo, 4);
    bl_html_number(file, row->measured_hi, 4);
    bl_html_number(file, off_percent(row), 3);
    put_verdict(file, row);
    bl_html_number(file, row->bytes_per_clock_cu, 4);
    bl_html_number(file, row->gbytes_per_s, 5);
    bl_html_cell(file, page->document_of(row->key.case_id));
    bl_html_cell(file, *row->reason ? row->reason : row->note);
    fputs("</tr>\n", file);
}

/* The rank of a row in the order in which a reader should look at rows: 0 for the worst. */
static unsigned rank_of(const struct bl_row *row)
{
    static const unsigned ranks[] = {[BL_REFUTED] = 1,   [BL_UNCLEAR] = 2, [BL_NO_VERDICT] = 3,
                                     [BL_CONFIRMED] = 4, [BL_NO_RULE] = 5, [BL_BASELINE] = 6};
    return row->status >= BL_ROW_ERROR ? 0 : bl_row_has_number(row) ? ranks[row->verdict] : 3;
}

/* Sorts by rank, then by distance from the prediction (the largest first), then by key. */
static int by_severity(const void *left, const void *right)
{
    const struct bl_row *a = *(const struct bl_row *const *)left,
                        *b = *(const struct bl_row *const *)right;
    const unsigned rank_a = rank_of(a), rank_b = rank_of(b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    const double off_a = fabs(off_percent(a)), off_b = fabs(off_percent(b));
    const double x = isfinite(off_a) ? off_a : -1, y = isfinite(off_b) ? off_b : -1;
    return x != y ? (x < y) - (x > y) : bl_row_key_compare(&a->key, &b->key);
}

static void put_rows(FILE *file, const struct bl_page *page, const struct bl_run_rows *rows)
{
    const struct bl_row **sorted = calloc(rows->count + 1, sizeof(const struct bl_row *));
    for (size_t i = 0; i < rows->count && sorted; i++)
        sorted[i] = &rows->rows[i];
    if (sorted)
        qsort(sorted, rows->count, sizeof(const struct bl_row *), by_severity);
    for (size_t i = 0; i < rows->count; i++)
        put_row(file, page, sorted ? sorted[i] : &rows->rows[i]);
    free(sorted);
}

/* Writes the table of all rows of the last run. */
static void put_all_rows(FILE *file, const struct bl_page *page)
{
    static const struct {
        const char *name, *unit;
    } columns[] = {{"case", NULL},
                   {"type", NULL},
                   {"shape", NULL},
                   {"level", NULL},
                   {"claim", BL_RATIO_UNIT},
                   {"claim is", NULL},
                   {"predicted", BL_RATIO_UNIT},
                   {"measured", BL_RATIO_UNIT},
                   {"from", BL_RATIO_UNIT},
                   {"to", BL_RATIO_UNIT},
                   {"off (%)", "%"},
                   {"verdict", NULL},
                   {"bytes/clock/unit", "bytes per clock and compute unit"},
                   {"GB/s", "GB/s"},
                   {"document", NULL},
                   {"remark", NULL}};
    put_filter(file, "rows");
    bl_html_choice(file, "rows");
    fputs("<p>Rows that need attention come first. A ratio is the throughput divided by that of "
          "the case's baseline. 'from' and 'to' are the ends of the measured ratio's 95 % "
          "interval; 'off' is the ratio's distance from the prediction.</p>\n",
          file);
    bl_html_scroll(file, "All rows");
    fputs("<table class=\"sorts\" id=\"rows\"><thead><tr>", file);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        bl_html_heading(file, columns[i].name, columns[i].unit);
    fputs("</tr></thead><tbody>\n", file);
    put_rows(file, page, &page->runs[page->run_count - 1].rows);
    fputs("</tbody></table></div>\n", file);
}

static void put_change(FILE *file, const struct bl_compared *row)
{
    bl_html_row(file, row->key->case_id);
    bl_html_cell(file, row->key->shape);
    bl_html_cell(file, bl_change_name(row->change));
    bl_html_number(file, 100 * row->by, 3);
    bl_html_number(file, row->before ? row->before->measured : NAN, 4);
    bl_html_number(file, row->after ? row->after->measured : NAN, 4);
    fputs("</tr>\n", file);
}

/* Rows with one of the first NEWS kinds of change are listed in a table, rows with one of the other
 * kinds in a collapsed table. Rows that are the same, or have no number in either run, are not
 * listed. */
static const enum bl_change worst_first[] = {
    BL_CHANGE_SLOWER,  BL_CHANGE_BROKEN, BL_CHANGE_MISSING, BL_CHANGE_BASELINE, BL_CHANGE_FASTER,
    BL_CHANGE_UNCLEAR, BL_CHANGE_KERNEL, BL_CHANGE_NEW,     BL_CHANGE_NOT_ASKED};
enum { CHANGES = sizeof worst_first / sizeof *worst_first, NEWS = 5 };

static void put_changes(FILE *file, const struct bl_comparison *comparison, size_t first,
                        size_t end)
{
    bl_html_scroll(file, "Changes");
    fputs("<table class=\"sorts changes\"><thead><tr>", file);
    bl_html_heading(file, "case", NULL);
    bl_html_heading(file, "shape", NULL);
    bl_html_heading(file, "change", NULL);
    bl_html_heading(file, "by (%)", "%");
    bl_html_heading(file, "before", BL_RATIO_UNIT);
    bl_html_heading(file, "after", BL_RATIO_UNIT);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t c = first; c < end; c++)
        for (size_t i = 0; i < comparison->count; i++)
            if (comparison->rows[i].change == worst_first[c])
                put_change(file, &comparison->rows[i]);
    fputs("</tbody></table></div>\n", file);
}

/* Writes how the last run differs from the first run, or from the history's typical values. Writes
 * nothing if `comparison` is NULL. id, title: the section's id and title. */
static void put_compared(FILE *file, const struct bl_comparison *comparison, const char *id,
                         const char *title)
{
    size_t counts[2] = {0};
    if (!comparison)
        return;
    fprintf(file, "<h2 id=\"%s\">%s</h2>\n<p>", id, title);
    if (comparison->is_same_run) {
        char same[1024];
        bl_htmlf(file, "%s.", bl_same_run_words(comparison, same));
        fputs("</p>\n", file);
        return;
    }
    const struct bl_run_info *before = &comparison->before->info, *after = &comparison->after->info;
    bl_htmlf(file, "From %s (%s, driver %s) to %s (%s, driver %s): ", comparison->names[0],
             before->device, before->driver, comparison->names[1], after->device, after->driver);
    bl_htmlf(file, "%zu %s", comparison->counts[BL_CHANGE_SAME], bl_change_name(BL_CHANGE_SAME));
    for (size_t c = 0; c < CHANGES; c++) {
        const size_t count = comparison->counts[worst_first[c]];
        counts[c >= NEWS] += count;
        if (count)
            bl_htmlf(file, ", %zu %s", count, bl_change_name(worst_first[c]));
    }
    if (fabs(comparison->own_times) >= 0.0005)
        bl_htmlf(file, "; the rows' own times changed by %+.1f %% (median)",
                 100 * comparison->own_times);
    fputs(".", file);
    if (bl_page_is_other_card(comparison))
        bl_htmlf(file, " The runs are of two cards, %s and %s, which may differ without a change.",
                 before->device_id, after->device_id);
    fputs("</p>\n", file);
    if (counts[0])
        put_changes(file, comparison, 0, NEWS);
    if (counts[1] == 0)
        return;
    fprintf(file,
            "<details><summary>Rows that are new, could not be judged or were not asked for: "
            "%zu</summary>\n",
            counts[1]);
    put_changes(file, comparison, NEWS, CHANGES);
    fputs("</details>\n", file);
}

/* Writes the measured ratios of all runs side by side. */
static void put_side_by_side(FILE *file, const struct bl_page *page)
{
    if (page->run_count < 2)
        return;
    const struct bl_run_rows *last = &page->runs[page->run_count - 1].rows;
    fputs("<h2 id=\"runs\">Runs side by side</h2>\n", file);
    bl_html_scroll(file, "Runs side by side");
    fputs("<table class=\"sorts\"><caption>Measured ratios of the rows of the last run.</caption>"
          "<thead><tr>",
          file);
    bl_html_heading(file, "case", NULL);
    bl_html_heading(file, "shape", NULL);
    for (size_t r = 0; r < page->run_count; r++) {
        char name[512];
        const struct bl_run_info *info = &page->runs[r].rows.info;
        snprintf(name, sizeof name, "%s%s%.13s, driver %s, %s", info->device,
                 *info->device_id ? ", " : "", info->device_id, info->driver, info->time_utc);
        bl_html_heading(file, name, BL_RATIO_UNIT);
    }
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < last->count; i++) {
        const struct bl_row_key *key = &last->rows[i].key;
        bl_html_row(file, key->case_id);
        bl_html_cell(file, key->shape);
        for (size_t r = 0; r < page->run_count; r++) {
            const struct bl_row *row = bl_run_find(&page->runs[r].rows, key);
            bl_html_number(file, row ? row->measured : NAN, 4);
        }
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

/* The sections of the page. */

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

/* Writes a figure of a level, such as "9862 GB/s". Writes nothing if the figure is unknown. */
static void put_figure(FILE *file, const char *tag, const char *before, double number,
                       const char *unit)
{
    if (!isfinite(number))
        return;
    bl_html_element(file, tag, "%s%.*f %s", before, number < 100, number, unit);
}

/* Writes the levels of memory side by side, each with its figures. */
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
        /* The name is a size if the machine does not say which level holds the working set. */
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

/* Writes the first screen: the device, the verdict, and the speed of each level. */
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
    put_compared(file, nights->comparison, "history", "Compared with the history");
    for (size_t i = 0; i < nights->count; i++)
        changed += nights->all[i].change_count > 0;
    fputs("<h2 id=\"nights\">Over the last runs</h2>\n", file);
    if (nights->count == 0)
        bl_html_block(file, "p", "The history has no earlier run of this card.");
    else if (nights->runs + 1 < 2 * BL_LEVEL_POINTS)
        bl_html_block(file, "p",
                      "Too few runs to find change points: %d are required, and there are %zu.",
                      2 * BL_LEVEL_POINTS, nights->runs + 1);
    else
        bl_html_block(
            file, "p",
            "%zu of %zu rows have a change point in the last runs of this card%s. At a change "
            "point the typical ratio changes by 2 %% or more, and at least five runs lie between "
            "two change points. In 98 of 100 histories without changes, chance causes no change "
            "point in any row.",
            changed, nights->count,
            changed > nights->curve_count ? "; the rows that changed most are shown" : "");
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
        "The costliest request of %u lanes on machine %s. Each row is a cache line, labelled with "
        "the tag bank that looks it up. A row's squares are the line's sectors; a filled sector is "
        "touched by a lane. Each column is a bank. A column's squares are the words that lanes "
        "want from the bank; the first word has its own colour, because lanes wait only for "
        "further words.",
        page->machine->lanes, page->machine->name);
    put_rank(file, page, true);
    fputs(
        "<details><summary>Other cases with a claim that a document prints, or that follows from a "
        "document's rule</summary>\n",
        file);
    put_rank(file, page, false);
    fputs("</details>\n", file);
}

static void put_footer(FILE *file, const struct bl_page *page)
{
    const struct bl_run_info *info = &last_run(page)->info;
    fputs("</main>\n<footer><h2 id=\"how\">How the figures were made</h2>\n", file);
    bl_html_block(
        file, "p",
        "Each row is a kernel with one access pattern. The device's clock times the kernel and "
        "its baseline alternately, at several placements in memory. A ratio is the mean of the "
        "placements' medians, with its 95 %% interval. The model computes a prediction from the "
        "addresses and the machine. A claim is a figure that a document prints for its own "
        "hardware or, if the table says so, one that follows from the document's rule. Measured by "
        "bankline %s, run %s; page by bankline %s, %s.",
        info->tool_version, info->run_id, page->tool_version, page->time_utc);
    fputs("<p>To repeat the measurement:</p>\n<pre><code>bankline run --csv run.csv", file);
    if (*info->device_id)
        bl_htmlf(file, " --device %.*s", (int)strcspn(info->device_id, "@"), info->device_id);
    fputs("\n", file);
    bl_html(file, page->command);
    fputs("</code></pre></footer>\n", file);
    fprintf(file, "<script>\n%s</script>\n</body></html>\n",
            bl_embedded_text(bl_page_texts, "page.js"));
}

/* Writes links to the sections, whose headings have ids. */
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
    bool has_shapes = false; /* whether a picture already defines the shapes of gnuplot's marks */
    put_findings(file, page);
    put_compared(file, page->comparison, "changes", "What changed");
    put_nights(file, page->nights, &has_shapes);
    put_curves(file, page, &has_shapes);
    bl_page_shapes(file, page);
    put_cases(file, page);
    bl_page_put_trace(file, &page->trace);
    bl_page_put_infer(file, &page->infer, page->sweeps, &has_shapes);
    put_side_by_side(file, page);
    fputs("<h2 id=\"all\">All rows</h2>\n", file);
    put_all_rows(file, page);
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
    put_sections(file, page); /* memory ran out: write the sections without a list of contents */
}
