/* The rows of a run, and its changes, as tables. */
#include "page/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "report/layout.h"

/* The text and the verdict that a table's rows are filtered by. */
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

static double off_percent(const struct bl_row *row)
{
    return row->verdict == BL_BASELINE ? (double)NAN : 100 * (row->measured / row->predicted - 1);
}

static void put_row(FILE *file, const struct bl_page *page, const struct bl_row *row)
{
    fprintf(file, "<tr data-verdict=\"%s\">", bl_verdict_name(row->verdict));
    bl_html_row_heading(file, row->key.case_id);
    bl_html_cell(file, row->key.type);
    bl_html_cell(file, row->key.shape);
    bl_html_cell(file, row->level);
    bl_html_number(file, row->claim, 4);
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

/* What a reader has to look at comes first: 0 is the worst. */
static unsigned rank_of(const struct bl_row *row)
{
    static const unsigned ranks[] = {[BL_REFUTED] = 1,   [BL_UNCLEAR] = 2, [BL_NO_VERDICT] = 3,
                                     [BL_CONFIRMED] = 4, [BL_NO_RULE] = 5, [BL_BASELINE] = 6};
    return row->status >= BL_ROW_ERROR ? 0 : bl_row_has_number(row) ? ranks[row->verdict] : 3;
}

/* By rank; of one rank those that are farthest from their prediction first, then by key. */
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

void bl_page_rows(FILE *file, const struct bl_page *page)
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
    fputs(
        "<p>What needs a look is first. Ratios of throughput to the case's baseline; from, to: the "
        "95 % interval of the measured one; off: measured against predicted.</p>\n",
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

/* The first NEWS of these are good or bad news. */
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

void bl_page_changes(FILE *file, const struct bl_comparison *comparison, const char *id,
                     const char *title)
{
    size_t counts[2] = {0};
    if (!comparison)
        return;
    fprintf(file, "<h2 id=\"%s\">%s</h2>\n<p>", id, title);
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
    if (isfinite(comparison->own_times))
        bl_htmlf(file, "; the rows' own times moved by %+.1f %% (median)",
                 100 * comparison->own_times);
    fputs(".</p>\n", file);
    if (counts[0])
        put_changes(file, comparison, 0, NEWS);
    if (counts[1] == 0)
        return;
    fprintf(file, "<details><summary>%zu rows that could not be judged, or are new</summary>\n",
            counts[1]);
    put_changes(file, comparison, NEWS, CHANGES);
    fputs("</details>\n", file);
}

void bl_page_side_by_side(FILE *file, const struct bl_page *page)
{
    if (page->run_count < 2)
        return;
    const struct bl_run_rows *last = &page->runs[page->run_count - 1].rows;
    fputs("<h2 id=\"runs\">Runs side by side</h2>\n", file);
    bl_html_scroll(file, "Runs side by side");
    fputs("<table class=\"sorts\"><caption>Measured ratios; rows of the last run.</caption>"
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
