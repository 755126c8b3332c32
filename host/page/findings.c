#include "page/findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/layout.h"

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
    size_t count = 0, held = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        held += row->claim_verdict == BL_CONFIRMED;
        if (row->claim_verdict != BL_REFUTED || !(row->measured > 0) || !(row->claim > 0))
            continue;
        count++;
        const double own = fabs(log(row->measured / row->claim));
        worst = !worst || own > fabs(log(worst->measured / worst->claim)) ? row : worst;
    }
    char claim[16], measured[48];
    if (worst)
        say(findings,
            "%zu of %zu claims of the documents do not hold on this device, most of all %s %s: the "
            "document says %s, measured is %s. Their numbers are of other hardware: go by the "
            "prediction for this machine.",
            count, count + held, worst->key.case_id, worst->key.shape,
            bl_format_ratio(worst->claim, claim), bl_format_measured(worst, measured));
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
