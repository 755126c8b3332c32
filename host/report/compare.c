/* Judging two runs row by row, and telling a moved baseline from a moved case. */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* How fast the case itself was: by its time, which every row has from schema 5 on, else by what it
 * moved. Before schema 6 it has no interval of its own; the ratio's is at least as wide, for it has
 * the noise of the baseline too. */
static struct bl_interval rate_of(const struct bl_row *row, bool by_time)
{
    const struct bl_interval ratio = bl_row_ratio(row);
    if (by_time && isfinite(row->case_ns_lo) && isfinite(row->case_ns_hi))
        return (struct bl_interval){1 / row->case_ns, 1 / row->case_ns_hi, 1 / row->case_ns_lo,
                                    ratio.is_95};
    const double rate = by_time ? 1 / row->case_ns : bl_row_rate(row);
    return (struct bl_interval){rate, rate * ratio.lo / ratio.median,
                                rate * ratio.hi / ratio.median, ratio.is_95};
}

static bool have_times(const struct bl_row *before, const struct bl_row *after)
{
    return before->case_ns > 0 && after->case_ns > 0 && before->baseline_ns > 0 &&
           after->baseline_ns > 0;
}

static bool is_worse(enum bl_change one, enum bl_change other)
{
    static const int rank[] = {[BL_CHANGE_SAME] = 0,
                               [BL_CHANGE_BASELINE] = 1,
                               [BL_CHANGE_FASTER] = 2,
                               [BL_CHANGE_UNCLEAR] = 3,
                               [BL_CHANGE_SLOWER] = 4};
    return rank[one] > rank[other];
}

/* Judges the case's own rate, the one after multiplied by `factor`, and keeps that judgement where
 * it is worse than the row's. */
static void judge_rate(const struct bl_comparing *comparing, double factor,
                       struct bl_compared *compared)
{
    const bool by_time = have_times(compared->before, compared->after);
    const struct bl_interval old = rate_of(compared->before, by_time);
    struct bl_interval new = rate_of(compared->after, by_time);
    new.median *= factor;
    new.lo *= factor;
    new.hi *= factor;
    if (!isfinite(old.median) || !isfinite(new.median))
        return;
    const enum bl_change change = bl_change_of(&old, &new, comparing->threshold);
    if (is_worse(change, compared->change)) {
        compared->change = change;
        compared->by = new.median / old.median - 1;
        compared->is_absolute = true;
    }
}

/* Whether most of a ratio's change is its baseline's, and the case takes the time that it took. */
static bool only_baseline_moved(const struct bl_comparing *comparing,
                                const struct bl_compared *compared)
{
    const struct bl_row *before = compared->before, *after = compared->after;
    if (!have_times(before, after))
        return false;
    const double own = log(after->case_ns) - log(before->case_ns);
    const double baseline = log(after->baseline_ns) - log(before->baseline_ns);
    const double ratio = log(after->measured) - log(before->measured);
    if (fabs(own) >= fabs(ratio) / 2 || fabs(baseline - ratio) >= fabs(ratio) / 2)
        return false;
    const struct bl_interval old = rate_of(before, true), new = rate_of(after, true);
    const enum bl_change change = bl_change_of(&old, &new, comparing->threshold);
    return change == BL_CHANGE_SAME ||
           (change == BL_CHANGE_UNCLEAR && fabs(own) < comparing->threshold / 2);
}

static bool kernels_differ(const struct bl_row *before, const struct bl_row *after)
{
    return before->kernels[0] && after->kernels[0] && strcmp(before->kernels, after->kernels) != 0;
}

static void judge(const struct bl_comparing *comparing, struct bl_compared *compared)
{
    const struct bl_row *before = compared->before, *after = compared->after;
    compared->by = after->measured / before->measured - 1;
    if (kernels_differ(before, after)) {
        compared->change = BL_CHANGE_KERNEL;
        return;
    }
    const struct bl_interval old = bl_row_ratio(before), new = bl_row_ratio(after);
    compared->change = bl_change_of(&old, &new, comparing->threshold);
    const bool moved = compared->change == BL_CHANGE_SLOWER || compared->change == BL_CHANGE_FASTER;
    if (moved && only_baseline_moved(comparing, compared))
        compared->change = BL_CHANGE_BASELINE;
    if (comparing->absolute)
        judge_rate(comparing, 1, compared);
}

static struct bl_compared compare_rows(const struct bl_row *before, const struct bl_row *after,
                                       const struct bl_comparing *comparing)
{
    struct bl_compared compared = {
        .key = before ? &before->key : &after->key, .before = before, .after = after, .by = NAN};
    const bool had = before && bl_row_has_number(before), has = after && bl_row_has_number(after);
    if (!after)
        compared.change = BL_CHANGE_MISSING;
    else if (!before || (!had && has))
        compared.change = BL_CHANGE_NEW;
    else if (had && !has)
        compared.change = BL_CHANGE_BROKEN;
    if (had && has)
        judge(comparing, &compared);
    return compared;
}

static bool was_timed_twice(const struct bl_compared *compared)
{
    return compared->before && compared->after && isfinite(compared->by) &&
           have_times(compared->before, compared->after);
}

/* By which factor the rows outside a suite (NULL: all rows) became slower, as when a clock falls:
 * the median of their times, after / before; NAN where they are too few to tell. */
static double slowed_by(const struct bl_comparison *comparison, const char *but_suite,
                        double scratch[])
{
    enum { MIN_ROWS = 5 };
    size_t n = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (was_timed_twice(row) && !(but_suite && strcmp(row->after->suite, but_suite) == 0))
            scratch[n++] = row->after->case_ns / row->before->case_ns;
    }
    return n < MIN_ROWS ? (double)NAN : bl_median(scratch, n);
}

static bool is_close(double one, double other) { return fabs(one / other - 1) < 0.01; }

/* Whether two rows of a suite have the same baseline, or `other` is that baseline, in any suite. */
static bool have_same_baseline(const struct bl_compared *one, const struct bl_compared *other)
{
    const struct bl_row *then = other->before, *now = other->after;
    const bool in_suite = strcmp(one->after->suite, now->suite) == 0 &&
                          is_close(one->before->baseline_ns, then->baseline_ns) &&
                          is_close(one->after->baseline_ns, now->baseline_ns);
    return in_suite || (is_close(one->before->baseline_ns, then->case_ns) &&
                        is_close(one->after->baseline_ns, now->case_ns));
}

/* Whether most rows of this row's baseline also say that it moved. */
static bool most_say_so(const struct bl_comparison *comparison, const struct bl_compared *moved)
{
    size_t rows = 0, of_them = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        /* The baseline's own ratio is 1 whatever happens. */
        if (!was_timed_twice(row) || !have_same_baseline(moved, row) ||
            is_close(row->before->case_ns, row->before->baseline_ns))
            continue;
        rows++;
        of_them += row->change == BL_CHANGE_BASELINE;
    }
    return 2 * of_them >= rows;
}

/* A row that kept its ratio to a baseline that moved, as another row shows, moved too; above all
 * the baseline's own row, whose ratio is always 1. Their own times say by how much, after what the
 * clock did to all other suites is taken out; where these have too few rows, most rows of the
 * baseline must agree that it moved. */
static void judge_baselines(struct bl_comparison *comparison, double scratch[])
{
    const char *suite = NULL; /* rows of one follow each other */
    double slowed = NAN;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *moved = &comparison->rows[i];
        if (moved->change != BL_CHANGE_BASELINE || !was_timed_twice(moved))
            continue;
        if (!suite || strcmp(suite, moved->after->suite) != 0)
            slowed = slowed_by(comparison, moved->after->suite, scratch);
        suite = moved->after->suite;
        if (isnan(slowed) && !most_say_so(comparison, moved))
            continue;
        for (size_t k = 0; k < comparison->count; k++) {
            struct bl_compared *row = &comparison->rows[k];
            if (row->change == BL_CHANGE_SAME && was_timed_twice(row) &&
                have_same_baseline(moved, row))
                judge_rate(&comparison->comparing, isnan(slowed) ? 1 : slowed, row);
        }
    }
}

/* Keeps the rows of the selected cases; all rows were needed to judge them. */
static void select_rows(struct bl_comparison *comparison)
{
    size_t kept = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared row = comparison->rows[i];
        if (bl_case_is_selected(row.key->case_id, comparison->selectors,
                                comparison->selector_count))
            comparison->rows[kept++] = row;
    }
    comparison->count = kept;
}

static bool lacks_kernels(const struct bl_run_rows *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (bl_row_has_number(&run->rows[i]) && !run->rows[i].kernels[0])
            return true;
    return false;
}

enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error)
{
    const struct bl_run_rows *before = comparison->before, *after = comparison->after;
    comparison->count = 0;
    comparison->lacks_kernels[0] = lacks_kernels(before);
    comparison->lacks_kernels[1] = lacks_kernels(after);
    memset(comparison->counts, 0, sizeof comparison->counts);
    const size_t capacity = before->count + after->count + 1;
    comparison->rows = malloc(capacity * sizeof *comparison->rows);
    double *scratch = malloc(capacity * sizeof *scratch);
    if (!comparison->rows || !scratch) {
        free(scratch);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the comparison");
    }
    size_t b = 0, a = 0;
    while (b < before->count || a < after->count) {
        const int order = b == before->count ? 1
                          : a == after->count
                              ? -1
                              : bl_row_key_compare(&before->rows[b].key, &after->rows[a].key);
        const struct bl_row *old = order <= 0 ? &before->rows[b++] : NULL;
        const struct bl_row *new = order >= 0 ? &after->rows[a++] : NULL;
        comparison->rows[comparison->count++] = compare_rows(old, new, &comparison->comparing);
    }
    judge_baselines(comparison, scratch);
    comparison->own_times = slowed_by(comparison, NULL, scratch) - 1;
    free(scratch);
    select_rows(comparison);
    for (size_t i = 0; i < comparison->count; i++)
        comparison->counts[comparison->rows[i].change]++;
    return BL_OK;
}

void bl_comparison_free(struct bl_comparison *comparison)
{
    free(comparison->rows);
    comparison->rows = NULL;
    comparison->count = 0;
}

size_t bl_comparison_bad(const struct bl_comparison *comparison)
{
    size_t bad = 0;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (bl_change_is_bad((enum bl_change)change))
            bad += comparison->counts[change];
    return bad;
}
