/* Summarizes a run: one sentence about the whole run, and a finding for each kind of problem or
 * change, with figures and advice. */
#include "page/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "report/summary.h"

size_t bl_page_count(const struct bl_run_rows *run, enum bl_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++)
        count += run->rows[i].verdict == verdict && bl_row_has_number(&run->rows[i]);
    return count;
}

const char *bl_severity_name(enum bl_severity severity)
{
    static const char *const names[] = {"bad", "look", "note"};
    return names[severity];
}

/* Adds a finding after all findings of the same severity. `todo` may be "". */
__attribute__((format(printf, 4, 5))) static void say(struct bl_headlines *findings,
                                                      enum bl_severity severity, const char *todo,
                                                      const char *format, ...)
{
    unsigned at = findings->count;
    if (at == BL_FINDINGS)
        return;
    for (; at > 0 && findings->all[at - 1].severity > severity; at--)
        findings->all[at] = findings->all[at - 1];
    findings->count++;
    struct bl_page_finding *finding = &findings->all[at];
    finding->severity = severity;
    snprintf(finding->todo, sizeof finding->todo, "%s", todo);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->what, sizeof finding->what, format, arguments);
    va_end(arguments);
}

/* If the two runs are of different devices or cards, returns "device" or "card"; then slower rows
 * need not be a fault. Otherwise returns NULL. */
static const char *other_of(const struct bl_comparison *comparison)
{
    if (comparison->count == 0) /* without rows, `before` and `after` may be NULL */
        return NULL;
    if (strcmp(comparison->before->info.device, comparison->after->info.device) != 0)
        return "device";
    return bl_page_is_other_card(comparison) ? "card" : NULL;
}

bool bl_page_is_other_card(const struct bl_comparison *comparison)
{
    const struct bl_run_info *before = &comparison->before->info, *after = &comparison->after->info;
    return strcmp(before->device, after->device) == 0 && *before->device_id && *after->device_id &&
           strcmp(before->device_id, after->device_id) != 0;
}

/* Whether missing rows may be rows that were not asked for. */
static bool is_unrecorded(const struct bl_comparison *comparison)
{
    return !*comparison->after->info.asked_for;
}

/* Whether missing rows are the only problem, and the newer run does not record what it was asked
 * for. That run may have been asked for fewer rows. */
static bool is_only_missing(const struct bl_comparison *comparison)
{
    const size_t missing = comparison->counts[BL_CHANGE_MISSING];
    return missing > 0 && missing == bl_comparison_bad(comparison) && is_unrecorded(comparison);
}

/* For a comparison in which no row is slower, broken or missing. Adds at most one finding: both
 * runs are the same, no row is slower, or no row could be compared because of different kernels. */
static void say_unchanged(const struct bl_comparison *comparison, struct bl_headlines *findings)
{
    const size_t *counts = comparison->counts, kernels = counts[BL_CHANGE_KERNEL];
    char same[1024], other_kernels[80] = "";
    if (kernels)
        snprintf(other_kernels, sizeof other_kernels,
                 ", %zu not comparable because the kernels changed", kernels);
    if (comparison->is_same_run)
        say(findings, BL_NOTE, "", "%s.", bl_same_run_words(comparison, same));
    else if (counts[BL_CHANGE_SAME] + counts[BL_CHANGE_FASTER] > 0)
        say(findings, BL_NOTE, "",
            "No row is slower than in %.300s: %zu same, %zu faster, %zu too noisy to judge%s.",
            comparison->names[0], counts[BL_CHANGE_SAME], counts[BL_CHANGE_FASTER],
            counts[BL_CHANGE_UNCLEAR], other_kernels);
    else if (kernels)
        say(findings, BL_ATTENTION,
            "Measure both runs with the same version and the same machine description.",
            "No row could be compared with %.300s: the kernels, their options or the sampler of "
            "%zu rows differ.",
            comparison->names[0], kernels);
}

static void find_change(const struct bl_comparison *comparison, struct bl_headlines *findings)
{
    const struct bl_compared *worst = NULL;
    size_t bad = 0;
    if (!comparison)
        return;
    const char *other = other_of(comparison);
    const enum bl_severity severity = other ? BL_ATTENTION : BL_SEVERE;
    char todo[120];
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (row->change != BL_CHANGE_SLOWER || !isfinite(row->by))
            continue;
        bad++;
        if (!worst || row->by < worst->by)
            worst = row;
    }
    snprintf(todo, sizeof todo,
             "The runs are from different %ss, so slower rows need not be a fault.",
             other ? other : "");
    if (worst)
        say(findings, severity, other ? todo : "Measure again before you look for a cause.",
            "%zu row%s slower than in %.300s, most of all %s %s: %.1f %%.", bad,
            bad == 1 ? " is" : "s are", comparison->names[0], worst->key->case_id,
            worst->key->shape, 100 * worst->by);
    const size_t lost =
        comparison->counts[BL_CHANGE_BROKEN] + comparison->counts[BL_CHANGE_MISSING];
    if (!worst && !lost)
        say_unchanged(comparison, findings);
    if (lost)
        say(findings, is_only_missing(comparison) ? BL_ATTENTION : severity,
            is_unrecorded(comparison)
                ? "The table of changes lists these rows. The newer file does not record which "
                  "cases were asked for, so the missing rows may be of other cases."
                : "The table of changes lists these rows.",
            "%zu row%s of %.300s %s now missing or without a number.", lost, bl_plural(lost),
            comparison->names[0], lost == 1 ? "is" : "are");
    if (isfinite(comparison->own_times) && fabs(comparison->own_times) > 0.02)
        say(findings, severity, "Check clocks and power.",
            "The rows' own times changed by %+.1f %% since %.300s; ratios do not show this.",
            100 * comparison->own_times, comparison->names[0]);
}

static void find_levels(const struct bl_nights *nights, struct bl_headlines *findings)
{
    size_t changed = 0;
    for (size_t i = 0; nights && i < nights->count; i++)
        changed += nights->all[i].change_count > 0;
    if (changed == 0)
        return;
    const struct bl_night_series *first = &nights->all[0]; /* the series with the largest step */
    char todo[300];
    snprintf(todo, sizeof todo,
             "'bankline history since %.200s' shows the drivers and bankline versions before and "
             "after the change.",
             first->key.case_id);
    say(findings, BL_SEVERE, todo,
        "%zu of %zu rows have a change point in the last runs of the history. The typical ratio of "
        "%s %s changed most: %+.1f %%.",
        changed, nights->count, first->key.case_id, first->key.shape, 100 * first->last_step);
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
        say(findings, BL_SEVERE,
            "The driver may also fail in other programs: report the failure with the case's "
            "kernel.",
            "%zu row%s no number, the first of them %s %s (%s: %.200s).", failed,
            failed == 1 ? " has" : "s have", first->key.case_id, first->key.shape,
            bl_row_status_name(first->status), first->reason);
}

static double off(const struct bl_row *row) { return fabs(log(row->measured / row->predicted)); }

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
    char predicted[16], measured[48], todo[300];
    if (!worst)
        return;
    snprintf(todo, sizeof todo,
             "Either machine %s does not describe this device, or something is slower "
             "than the pattern explains: 'bankline model %.120s' shows the predicted counts.",
             worst->key.machine, worst->key.case_id);
    say(findings, BL_SEVERE, todo,
        "%zu prediction%s refuted, most of all %s %s: predicted %s, measured %s, %+.1f %%.", count,
        count == 1 ? " is" : "s are", worst->key.case_id, worst->key.shape,
        bl_format_ratio(worst->predicted, predicted), bl_format_measured(worst, measured),
        100 * (worst->measured / worst->predicted - 1));
}

/* Finds refuted claims in words, which state only that a case is faster or slower than its
 * baseline. */
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
        say(findings, BL_ATTENTION,
            "The document's recommendation does not pay off on this device, so do not follow it.",
            "%zu claim%s in words ('faster', 'slower') %s not hold here, for example %s %s: it "
            "should be %s than its baseline, but %s was measured.",
            count, count == 1 ? "" : "s", count == 1 ? "does" : "do", first->key.case_id,
            first->key.shape, bl_direction_name(first->direction),
            bl_format_measured(first, measured));
}

static double width(const struct bl_row *row) { return row->measured_hi / row->measured_lo; }

/* Finds rows that are too noisy for a verdict, and rows measured while the GPU was throttled. */
static void find_doubtful(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *widest = NULL;
    size_t unclear = 0, throttled = 0;
    const char *why = "";
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        if (row->verdict != BL_UNCLEAR || !bl_row_has_number(row))
            continue;
        unclear++;
        widest = !widest || width(row) > width(widest) ? row : widest;
    }
    char predicted[16], measured[48];
    if (widest)
        say(findings, BL_ATTENTION, "Measure longer (--seconds), or when the host is less busy.",
            "%zu row%s too noisy to test, most of all %s %s: predicted %s, measured %s.", unclear,
            unclear == 1 ? " is" : "s are", widest->key.case_id, widest->key.shape,
            bl_format_ratio(widest->predicted, predicted), bl_format_measured(widest, measured));
    for (size_t i = 0; i < run->count; i++)
        if (*run->rows[i].throttled) {
            throttled++;
            why = run->rows[i].throttled;
        }
    if (throttled)
        say(findings, BL_ATTENTION, "Compare ratios, not GB/s, and check power and cooling.",
            "%zu row%s measured while the GPU was throttled: %s.", throttled,
            throttled == 1 ? " was" : "s were", why);
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
        say(findings, BL_NOTE,
            "The documents' numbers are from other hardware: rely on the predictions for this "
            "device.",
            "%u of %u claims of the documents do not hold on this device, most of all %s %s: the "
            "document states %s, but %s was measured.",
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
        say(findings, BL_NOTE,
            "Kernels with this pattern gain most from a change; 'bankline try' suggests a change.",
            "The costliest pattern that behaves as predicted is %s %s, which reaches %s of its "
            "baseline.",
            worst->key.case_id, worst->key.shape, bl_format_measured(worst, measured));
}

/* Finds rows that the device cannot run. */
static void find_unsupported(const struct bl_run_rows *run, struct bl_headlines *findings)
{
    const struct bl_row *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].status == BL_ROW_UNSUPPORTED) {
            count++;
            first = first ? first : &run->rows[i];
        }
    if (first)
        say(findings, BL_NOTE, "", "This device cannot run %zu row%s, for example %s %s: %.200s.",
            count, bl_plural(count), first->key.case_id, first->key.shape, first->reason);
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
    find_words_refuted(run, findings);
    find_doubtful(run, findings);
    find_claims(run, findings);
    find_costliest(run, findings);
    find_unsupported(run, findings);
    if (findings->count == 0)
        say(findings, BL_NOTE, "",
            "Nothing stands out: no row is worse, refuted or unclear, and none failed.");
}

static size_t bad_of(const struct bl_comparison *comparison)
{
    return comparison ? bl_comparison_bad(comparison) : 0;
}

/* Rows that are worse than in the older run. */
struct worse {
    size_t rows;
    bool is_only_missing;
    const char *other; /* result of other_of */
};

/* Writes the sentence about the whole run: the first of the statements below that is true. */
static void lead(struct bl_page_verdict *verdict, const struct worse *worse, size_t failed,
                 size_t refuted, size_t unclear, size_t tested)
{
    enum bl_severity severity = BL_NOTE;
    char *text = verdict->lead;
    *text = '\0';
    if (worse->rows && worse->is_only_missing) {
        severity = BL_ATTENTION;
        bl_text_add(text, sizeof verdict->lead, "%zu row%s missing, or not asked for.", worse->rows,
                    worse->rows == 1 ? " is" : "s are");
    } else if (worse->rows) {
        severity = worse->other ? BL_ATTENTION : BL_SEVERE;
        bl_text_add(text, sizeof verdict->lead, "Worse than %s%s: %zu row%s slower or lost.",
                    worse->other ? "the other " : "", worse->other ? worse->other : "before",
                    worse->rows, worse->rows == 1 ? " is" : "s are");
    } else if (failed) {
        severity = BL_SEVERE;
        bl_text_add(text, sizeof verdict->lead, "%zu row%s failed.", failed, bl_plural(failed));
    } else if (tested == 0) {
        bl_text_add(text, sizeof verdict->lead, "Measured, but no prediction was tested.");
    } else if (refuted) {
        severity = 10 * refuted > tested ? BL_SEVERE : BL_ATTENTION;
        bl_text_add(text, sizeof verdict->lead, "As predicted, except %zu row%s of %zu.", refuted,
                    bl_plural(refuted), tested);
    } else if (unclear) {
        severity = BL_ATTENTION;
        bl_text_add(text, sizeof verdict->lead, "As predicted, but some rows are unclear.");
    } else {
        bl_text_add(text, sizeof verdict->lead, "As predicted.");
    }
    verdict->severity = severity;
}

void bl_page_judge(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                   const struct bl_nights *nights, struct bl_page_verdict *verdict)
{
    size_t failed = 0, without = 0;
    for (size_t i = 0; i < run->count; i++) {
        failed += run->rows[i].status >= BL_ROW_ERROR;
        without += !bl_row_has_number(&run->rows[i]);
    }
    const size_t confirmed = bl_page_count(run, BL_CONFIRMED),
                 refuted = bl_page_count(run, BL_REFUTED), unclear = bl_page_count(run, BL_UNCLEAR),
                 tested = confirmed + refuted + unclear;
    const struct {
        size_t count;
        const char *words;
    } others[] = {{bl_page_count(run, BL_NO_RULE), "without a rule"},
                  {bl_page_count(run, BL_BASELINE), "their own baseline"},
                  {without, "without a number"}};
    const size_t bad = bad_of(comparison), usual = bad_of(nights ? nights->comparison : NULL);
    const struct worse worse = {bad > usual ? bad : usual,
                                usual == 0 && bad > 0 && is_only_missing(comparison),
                                bad > 0 ? other_of(comparison) : NULL};
    lead(verdict, &worse, failed, refuted, unclear, tested);
    char *text = verdict->counts;
    *text = '\0';
    if (tested)
        bl_text_add(text, sizeof verdict->counts,
                    "Of %zu rows, %zu could be tested: %zu confirmed, %zu refuted, %zu unclear",
                    run->count, tested, confirmed, refuted, unclear);
    else
        bl_text_add(text, sizeof verdict->counts, "%zu row%s", run->count, bl_plural(run->count));
    const char *before_it = tested ? "; not tested: " : ": ";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].count) {
            bl_text_add(text, sizeof verdict->counts, "%s%zu %s", before_it, others[i].count,
                        others[i].words);
            before_it = ", ";
        }
    bl_text_add(text, sizeof verdict->counts, ".");
}
