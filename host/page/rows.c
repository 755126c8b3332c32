/* The most important facts about a run in three sentences, and its rows and changes as tables. */
#include "page/rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "page/html.h"
#include "report/layout.h"
#include "report/score.h"

size_t bl_page_count(const struct bl_run_rows *run, enum bl_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++)
        count += run->rows[i].verdict == verdict && bl_row_has_number(&run->rows[i]);
    return count;
}

__attribute__((format(printf, 2, 3))) static void say(struct bl_headlines *findings,
                                                      const char *format, ...)
{
    if (findings->count == BL_FINDINGS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(findings->all[findings->count++], sizeof findings->all[0], format, arguments);
    va_end(arguments);
}

static void find_change(const struct bl_comparison *comparison, struct bl_headlines *findings)
{
    const struct bl_compared *worst = NULL;
    size_t bad = 0;
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (row->change != BL_CHANGE_SLOWER || !isfinite(row->by))
            continue;
        bad++;
        if (!worst || row->by < worst->by)
            worst = row;
    }
    if (!comparison)
        return;
    if (worst)
        say(findings, "%zu row%s slower than in %.300s, most of all %s %s: %.1f %%. %s", bad,
            bad == 1 ? " is" : "s are", comparison->names[0], worst->key->case_id,
            worst->key->shape, 100 * worst->by,
            strcmp(comparison->before->info.device, comparison->after->info.device) == 0
                ? "Measure again before you look for a cause."
                : "They are different devices.");
    if (isfinite(comparison->own_times) && fabs(comparison->own_times) > 0.02)
        say(findings,
            "All rows' own times moved by %+.1f %% since %.300s, which ratios do not see: look at "
            "clocks and power.",
            100 * comparison->own_times, comparison->names[0]);
}

static void find_levels(const struct bl_nights *nights, struct bl_headlines *findings)
{
    size_t changed = 0;
    for (size_t i = 0; nights && i < nights->count; i++)
        changed += nights->all[i].change_count > 0;
    if (changed == 0)
        return;
    const struct bl_night_series *first = &nights->all[0]; /* the largest step */
    say(findings,
        "%zu of %zu rows changed their level in the history's last runs, most of all %s %s, by "
        "%+.1f %%: 'bankline history since %s' names the driver and version of then.",
        changed, nights->count, first->key.case_id, first->key.shape, 100 * first->last_step,
        first->key.case_id);
}

static void find_failures(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    size_t failed = 0;
    const struct bl_row *first = NULL;
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].status >= BL_ROW_ERROR) {
            failed++;
            first = first ? first : &run->rows[i];
        }
    if (first)
        say(findings,
            "%zu row%s no number, the first of them %s %s (%s: %.200s). A driver that "
            "fails here fails elsewhere: report it with the case's kernel.",
            failed, failed == 1 ? " has" : "s have", first->key.case_id, first->key.shape,
            bl_row_status_name(first->status), first->reason);
}

static double off(const struct bl_row *row) { return fabs(log(row->measured / row->predicted)); }

/* Claims that are only words: a case that should be faster than its baseline, or slower. */
static void find_words_refuted(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        if (row->verdict != BL_REFUTED || row->predicted > 0 ||
            row->direction == BL_ANY_DIRECTION || !(row->measured > 0))
            continue;
        count++;
        first = first ? first : row;
    }
    char measured[48];
    if (first)
        say(findings,
            "%zu statement%s without a number %s not hold here, for example %s %s: it should be %s "
            "than its baseline, and measured is %s. What the document recommends does not pay on "
            "this device.",
            count, count == 1 ? "" : "s", count == 1 ? "does" : "do", first->key.case_id,
            first->key.shape, bl_direction_name(first->direction),
            bl_format_measured(first, measured));
}

static void find_refuted(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *worst = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        if (row->verdict != BL_REFUTED || !(row->measured > 0) || !(row->predicted > 0))
            continue;
        count++;
        worst = !worst || off(row) > off(worst) ? row : worst;
    }
    char predicted[16], measured[48];
    find_words_refuted(run, findings);
    if (worst)
        say(findings,
            "%zu prediction%s refuted, most of all %s %s: predicted %s, measured %s, %+.1f %%. "
            "Either the model of machine %s does not know this device, or something is slower than "
            "the pattern explains: 'bankline model %s' shows the request.",
            count, count == 1 ? " is" : "s are", worst->key.case_id, worst->key.shape,
            bl_format_ratio(worst->predicted, predicted), bl_format_measured(worst, measured),
            100 * (worst->measured / worst->predicted - 1), worst->key.machine, worst->key.case_id);
}

static void find_claims(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *worst = NULL;
    struct bl_claim_score score = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        if (bl_claim_score_add(&score, row) != &score.printed)
            continue;
        if (row->claim_verdict != BL_REFUTED || !(row->measured > 0) || !(row->claim > 0))
            continue;
        const double own = fabs(log(row->measured / row->claim));
        worst = !worst || own > fabs(log(worst->measured / worst->claim)) ? row : worst;
    }
    char claim[16], measured[48];
    if (worst)
        say(findings,
            "%u of %u claims of the documents do not hold on this device, most of all %s %s: the "
            "document says %s, measured is %s. Their numbers are of other hardware: go by the "
            "prediction for this machine.",
            score.printed.verdicts[BL_REFUTED], score.printed.tested, worst->key.case_id,
            worst->key.shape, bl_format_ratio(worst->claim, claim),
            bl_format_measured(worst, measured));
}

static void find_costliest(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *worst = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        if (row->verdict == BL_CONFIRMED && row->predicted > 0 && row->measured > 0 &&
            (!worst || row->measured < worst->measured))
            worst = row;
    }
    char measured[48];
    if (worst && worst->measured < 0.9)
        say(findings,
            "The costliest pattern that is as predicted is %s %s: it reaches %s of its baseline. "
            "Kernels with this pattern gain most from a change: 'bankline try' says which.",
            worst->key.case_id, worst->key.shape, bl_format_measured(worst, measured));
    const size_t unclear = bl_page_count(run, BL_UNCLEAR);
    if (unclear)
        say(findings,
            "%zu row%s unclear: the interval straddles the tolerance. Measure longer (--seconds), "
            "or on a quieter machine.",
            unclear, unclear == 1 ? " is" : "s are");
    if (findings->count == 0)
        say(findings, "Nothing stands out: every row that has a prediction is confirmed.");
}

void bl_page_findings(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                      const struct bl_nights *nights, struct bl_headlines *findings)
{
    *findings = (struct bl_headlines){0};
    find_change(comparison, findings);
    if (nights)
        find_change(nights->comparison, findings);
    find_levels(nights, findings);
    find_failures(run, findings);
    find_refuted(run, findings);
    find_claims(run, findings);
    find_costliest(run, findings);
}

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
    fprintf(file, "<tr data-verdict=\"%s\">", bl_verdict_name(row->verdict));
    bl_html_element(file, "th scope=\"row\"", "%s", row->key.case_id);
    bl_html_cell(file, row->key.type);
    bl_html_cell(file, row->key.shape);
    bl_html_cell(file, row->level);
    bl_html_number(file, row->claim, 4);
    bl_html_cell(file, row->claim_source);
    bl_html_number(file, row->predicted, 4);
    bl_html_number(file, row->measured, 4);
    bl_html_number(file, row->measured_lo, 4);
    bl_html_number(file, row->measured_hi, 4);
    bl_html_number(
        file, row->verdict == BL_BASELINE ? NAN : 100 * (row->measured / row->predicted - 1), 3);
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
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    put_filter(file, "rows");
    bl_html_scroll(file, "All rows");
    fputs(
        "<table class=\"sorts\" id=\"rows\"><caption>Ratios of throughput to the case's baseline; "
        "from, to: the 95 % interval of the measured one; off: measured against predicted."
        "</caption><thead><tr>",
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
    BL_CHANGE_SLOWER, BL_CHANGE_BROKEN,  BL_CHANGE_MISSING, BL_CHANGE_BASELINE,
    BL_CHANGE_FASTER, BL_CHANGE_UNCLEAR, BL_CHANGE_KERNEL,  BL_CHANGE_NEW};
enum { CHANGES = sizeof worst_first / sizeof *worst_first, NEWS = 5 };

static void put_changes(FILE *file, const struct bl_comparison *comparison, size_t first,
                        size_t end)
{
    bl_html_scroll(file, "Changes");
    fputs("<table class=\"sorts\"><thead><tr>", file);
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
