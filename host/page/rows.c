#include "page/rows.h"

#include <math.h>
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

static void put_row(FILE *file, const struct bl_page *page, const struct bl_row *row)
{
    fprintf(file, "<tr data-verdict=\"%s\"><th scope=\"row\">", bl_verdict_name(row->verdict));
    bl_html(file, row->key.case_id);
    fputs("</th>", file);
    bl_html_cell(file, row->key.type);
    bl_html_cell(file, row->key.shape);
    bl_html_cell(file, row->level);
    bl_html_number(file, row->claim, 4);
    bl_html_number(file, row->predicted, 4);
    bl_html_number(file, row->measured, 4);
    bl_html_number(file, row->measured_lo, 4);
    bl_html_number(file, row->measured_hi, 4);
    bl_html_number(file, 100 * (row->measured / row->predicted - 1), 3);
    put_verdict(file, row);
    bl_html_number(file, row->bytes_per_clock_cu, 4);
    bl_html_number(file, row->gbytes_per_s, 5);
    bl_html_cell(file, page->document_of(row->key.case_id));
    bl_html_cell(file, *row->reason ? row->reason : row->note);
    fputs("</tr>\n", file);
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
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    put_filter(file, "rows");
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All rows\"><table "
          "class=\"sorts\" id=\"rows\"><caption>Ratios of throughput to the case's baseline; from, "
          "to: the 95 % interval of the measured one; off: measured against predicted.</caption>"
          "<thead><tr>",
          file);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        bl_html_heading(file, columns[i].name, columns[i].unit);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < rows->count; i++)
        put_row(file, page, &rows->rows[i]);
    fputs("</tbody></table></div>\n", file);
}

static void put_change(FILE *file, const struct bl_compared *row)
{
    fputs("<tr><th scope=\"row\">", file);
    bl_html(file, row->key->case_id);
    fputs("</th>", file);
    bl_html_cell(file, row->key->shape);
    bl_html_cell(file, bl_change_name(row->change));
    bl_html_number(file, 100 * row->by, 3);
    bl_html_number(file, row->before ? row->before->measured : NAN, 4);
    bl_html_number(file, row->after ? row->after->measured : NAN, 4);
    fputs("</tr>\n", file);
}

/* From here on nothing is bad or good news. */
static const enum bl_change worst_first[] = {
    BL_CHANGE_SLOWER, BL_CHANGE_BROKEN,  BL_CHANGE_MISSING, BL_CHANGE_BASELINE,
    BL_CHANGE_FASTER, BL_CHANGE_UNCLEAR, BL_CHANGE_KERNEL,  BL_CHANGE_NEW};
enum { CHANGES = sizeof worst_first / sizeof *worst_first, NEWS = 5 };

static void put_changes(FILE *file, const struct bl_comparison *comparison, size_t first,
                        size_t end)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Changes\"><table "
          "class=\"sorts\"><thead><tr>",
          file);
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

void bl_page_changes(FILE *file, const struct bl_comparison *comparison, const char *title)
{
    size_t counts[2] = {0};
    if (!comparison)
        return;
    fprintf(file, "<h2>%s</h2>\n<p>", title);
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
    fputs(
        "<h2 id=\"runs\">Runs side by side</h2>\n<div class=\"scroll\" tabindex=\"0\" "
        "role=\"region\" aria-label=\"Runs side by side\"><table class=\"sorts\"><caption>Measured "
        "ratios; rows of the last run.</caption><thead><tr>",
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
        fputs("<tr><th scope=\"row\">", file);
        bl_html(file, key->case_id);
        fputs("</th>", file);
        bl_html_cell(file, key->shape);
        for (size_t r = 0; r < page->run_count; r++) {
            const struct bl_row *row = bl_run_find(&page->runs[r].rows, key);
            bl_html_number(file, row ? row->measured : NAN, 4);
        }
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}
