/* Compares two runs row by row, and distinguishes a changed baseline from a changed case. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/placements.h"
#include "measure/spread.h"
#include "report/run.h"

/* Returns the case's own speed with its interval: 1 / case_ns if by_time, else the throughput.
 * (Rows have case_ns since schema 5.) A throughput has no interval of its own, nor has a time
 * before schema 6. In these cases the ratio's relative interval is used, which is at least as wide
 * because it includes the baseline's noise. */
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

/* The change of a row's number between the runs, as a logarithm, and the standard deviation of that
 * logarithm, from both intervals. NAN unless both runs have the number. */
struct moved {
    double by, error;
};

static struct moved moved_between(const struct bl_interval *old, const struct bl_interval *new)
{
    if (!(old->median > 0) || !(new->median > 0))
        return (struct moved){NAN, NAN};
    return (struct moved){
        log(new->median) - log(old->median),
        hypot(bl_log_half_width(old->lo, old->hi), bl_log_half_width(new->lo, new->hi)) /
            BL_WITHIN_95};
}

/* Returns the standard error of a row's change (as a logarithm), computed from the changes at each
 * placement, enlarged because they are few (bl_spread_error_of_pairs), and including
 * BL_STATED_SPREAD. Returns INFINITY unless both runs have ratios at the same placements, and at
 * MIN_PAIRS placements or more. tests: the number of changes that are judged in all rows together.
 */
static double paired_error(const struct bl_compared *row, size_t tests)
{
    enum { MIN_PAIRS = 5 };
    double before[BL_MAX_PLACEMENTS], after[BL_MAX_PLACEMENTS], sum = 0, squares = 0;
    size_t pairs = 0;
    bl_row_placement_ratios(row->before, before, BL_MAX_PLACEMENTS);
    bl_row_placement_ratios(row->after, after, BL_MAX_PLACEMENTS);
    for (size_t i = 0; i < BL_MAX_PLACEMENTS; i++) {
        const double by = log(after[i]) - log(before[i]);
        if (!isfinite(before[i]) != !isfinite(after[i]))
            return INFINITY;
        if (!isfinite(by))
            continue;
        pairs++;
        sum += by;
        squares += by * by;
    }
    if (pairs < MIN_PAIRS)
        return INFINITY;
    const double variance = fmax(0, squares - sum * sum / (double)pairs) / (double)(pairs - 1);
    const double error = sqrt(variance / (double)pairs);
    return hypot(bl_spread_error_of_pairs(error, pairs, tests, BL_FALSE_ALARMS), BL_STATED_SPREAD);
}

/* The changes of the rows' ratios or own speeds (moved), and how much each row's value varies
 * between runs even if nothing changed (hidden). */
struct quantity {
    struct moved *moved; /* one per row */
    struct bl_spread spread;
    double *hidden; /* one per row */
};

struct judging {
    struct bl_comparison *comparison;
    struct quantity ratio, time;
    double *scratch;
    size_t *indices; /* capacity: two per row */
};

static bool is_judged(const struct bl_compared *row)
{
    return row->before && row->after && isfinite(row->by) && row->change != BL_CHANGE_KERNEL;
}

static bool has_intervals(const struct bl_compared *row)
{
    return bl_row_ratio(row->before).is_95 && bl_row_ratio(row->after).is_95;
}

/* The buffer addresses of a placement may affect its ratio in the same way in every run. Then the
 * ratios of one run differ between placements, but the change between the runs is nearly the same
 * at every placement, and paired_error is smaller and more exact than the error from the intervals.
 * Only rows whose intervals are far wider than usual gain much, so only these rows use the smaller
 * of the two errors: each such choice makes a false alarm more likely. */
static void pair_placements(const struct judging *judging, size_t tests)
{
    static const double wide = 2; /* times the median error */
    const struct bl_comparison *comparison = judging->comparison;
    struct moved *moved = judging->ratio.moved;
    size_t n = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (isfinite(moved[i].error))
            judging->scratch[n++] = moved[i].error;
    const double usual = n > 0 ? bl_median(judging->scratch, n) : (double)INFINITY;
    for (size_t i = 0; i < comparison->count; i++)
        if (isfinite(moved[i].error) && moved[i].error > wide * usual)
            moved[i].error = fmin(moved[i].error, paired_error(&comparison->rows[i], tests * n));
}

/* Learns from all judged rows with 95 % intervals how much rows vary between runs. Each suite is a
 * group, because its rows are measured one after another. tests: the number of changes judged per
 * row. If the intervals already include differences between runs, learns only how large a deviation
 * chance alone causes among so many rows. Returns false if memory runs out. */
static bool learn_spread(struct judging *judging, struct quantity *quantity, size_t tests)
{
    const bool is_known = judging->comparison->comparing.knows_spread;
    const struct bl_comparison *comparison = judging->comparison;
    const size_t count = comparison->count;
    double *const differences = judging->scratch, *const errors = differences + count,
                  *const hidden = errors + count;
    size_t *const groups = judging->indices, *const rows = groups + count, n = 0, group = 0;
    for (size_t i = 0; i < count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        quantity->hidden[i] = 0;
        if (!is_judged(row) || !has_intervals(row) || !isfinite(quantity->moved[i].by))
            continue;
        if (n > 0 && strcmp(comparison->rows[rows[n - 1]].after->suite, row->after->suite) != 0)
            group++;
        differences[n] = quantity->moved[i].by;
        errors[n] = quantity->moved[i].error;
        groups[n] = group;
        rows[n++] = i;
    }
    if (quantity == &judging->ratio)
        judging->comparison->spread_rows = n;
    const struct bl_spread_question question = {.n = is_known ? 0 : n,
                                                .differences = differences,
                                                .errors = errors,
                                                .groups = groups,
                                                .are_spreads = is_known,
                                                .are_of_two = true,
                                                .tests = tests * n,
                                                .chance = BL_FALSE_ALARMS,
                                                .stated = is_known ? 0 : BL_STATED_SPREAD};
    if (!bl_spread_learn(&question, &quantity->spread, hidden))
        return false;
    for (size_t i = 0; i < count; i++)
        quantity->hidden[i] = quantity->spread.hidden;
    for (size_t i = 0; i < n; i++)
        quantity->hidden[rows[i]] = hidden[i];
    return true;
}

/* Judges row i, which changed by `by`: slower, faster, the same, or unclear. */
static enum bl_change change_by(const struct judging *judging, const struct quantity *quantity,
                                size_t i, double by)
{
    const double error = quantity->moved[i].error, hidden = quantity->hidden[i];
    if (!has_intervals(&judging->comparison->rows[i]))
        return BL_CHANGE_UNCLEAR;
    return bl_change_of(by, hypot(error, hidden), bl_spread_limit(&quantity->spread, error, hidden),
                        judging->comparison->comparing.threshold);
}

/* Judges the change `by` of a row's own speed. If this verdict outranks the verdict on the row's
 * ratio (is_worse), it replaces that verdict. */
static void judge_speed(const struct judging *judging, size_t i, double by)
{
    struct bl_compared *row = &judging->comparison->rows[i];
    const enum bl_change change = change_by(judging, &judging->time, i, by);
    if (is_worse(change, row->change)) {
        row->change = change;
        row->by = expm1(by);
        row->is_absolute = true;
    }
}

/* Pairs a row of the older run with the same row of the newer run (NULL if a run lacks the row),
 * and sets the kind of change if no numbers need to be judged. */
static struct bl_compared pair_rows(const struct bl_row *before, const struct bl_row *after)
{
    struct bl_compared compared = {
        .key = before ? &before->key : &after->key, .before = before, .after = after, .by = NAN};
    const bool had = before && bl_row_has_number(before), has = after && bl_row_has_number(after);
    if (!after)
        compared.change = BL_CHANGE_MISSING;
    else if (!had && has)
        compared.change = BL_CHANGE_NEW;
    else if (had && !has)
        compared.change = BL_CHANGE_BROKEN;
    else if (!had)
        compared.change = BL_CHANGE_NO_NUMBER;
    else if (strcmp(before->kernels, after->kernels) != 0) /* also if only one row names its
                                                              kernels: other versions measured it */
        compared.change = BL_CHANGE_KERNEL;
    if (had && has)
        compared.by = after->measured / before->measured - 1;
    return compared;
}

static bool was_timed_twice(const struct bl_compared *compared)
{
    return is_judged(compared) && have_times(compared->before, compared->after);
}

/* The median change of speed, as a logarithm, over all rows that have times in both runs: at this
 * level of memory (NULL: at any level), without the rows of the suite `but_suite` (NULL: with all
 * suites). NAN if there are too few rows. */
static double speed_change(const struct judging *judging, const char *but_suite, const char *level)
{
    enum { MIN_ROWS = 5 };
    const struct bl_comparison *comparison = judging->comparison;
    size_t n = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        const struct bl_row *after = row->after;
        if (was_timed_twice(row) && after && !(but_suite && strcmp(after->suite, but_suite) == 0) &&
            !(level && strcmp(after->level, level) != 0))
            judging->scratch[n++] = judging->time.moved[i].by;
    }
    return n < MIN_ROWS ? (double)NAN : bl_median(judging->scratch, n);
}

/* The change of row i's speed, as a logarithm, without the part that is due to the clock. The
 * clock's part is estimated from the rows of other suites at the same level of memory. If there are
 * too few such rows, the clock's part is the change of all other suites, or zero, whichever leaves
 * the smaller change of row i. *is_clock_known receives whether the other suites had enough
 * rows for an estimate. */
static double speed_without_clock(const struct judging *judging, size_t i, bool *is_clock_known)
{
    const struct bl_row *row = judging->comparison->rows[i].after;
    const double by = judging->time.moved[i].by;
    double clock = speed_change(judging, row->suite, row->level);
    *is_clock_known = true;
    if (isfinite(clock))
        return by - clock;
    clock = speed_change(judging, row->suite, NULL);
    *is_clock_known = isfinite(clock);
    return *is_clock_known && fabs(by - clock) < fabs(by) ? by - clock : by;
}

/* Whether most of a ratio's change is due to its baseline, and the case is as fast as before. */
static bool only_baseline_moved(const struct judging *judging, size_t i)
{
    const struct bl_compared *compared = &judging->comparison->rows[i];
    const struct bl_row *before = compared->before, *after = compared->after;
    if (!was_timed_twice(compared))
        return false;
    bool is_known;
    const double own = speed_without_clock(judging, i, &is_known);
    const double by_times =
        judging->time.moved[i].by + log(after->baseline_ns) - log(before->baseline_ns);
    const double ratio = judging->ratio.moved[i].by;
    if (fabs(own) >= fabs(ratio) / 2 || fabs(by_times - ratio) >= fabs(ratio) / 2)
        return false;
    const enum bl_change change = change_by(judging, &judging->time, i, own);
    if (change != BL_CHANGE_UNCLEAR)
        return change == BL_CHANGE_SAME;
    /* Times vary more between runs than ratios do. They show enough if they tell a case that is as
     * fast as before from a case whose speed changed as its ratio did. */
    const double error = hypot(judging->time.moved[i].error, judging->time.hidden[i]),
                 follows = copysign(1, ratio) * own; /* how far the case changed as its ratio did */
    return follows < judging->comparison->comparing.threshold / 2 ||
           (follows < error && fabs(own - ratio) > 2 * error);
}

static void judge_ratios(const struct judging *judging)
{
    struct bl_comparison *comparison = judging->comparison;
    for (size_t i = 0; i < comparison->count; i++) {
        struct bl_compared *row = &comparison->rows[i];
        if (!is_judged(row))
            continue;
        row->change = change_by(judging, &judging->ratio, i, judging->ratio.moved[i].by);
        const bool moved = row->change == BL_CHANGE_SLOWER || row->change == BL_CHANGE_FASTER;
        if (moved && only_baseline_moved(judging, i))
            row->change = BL_CHANGE_BASELINE;
        if (comparison->comparing.absolute && isfinite(judging->time.moved[i].by))
            judge_speed(judging, i, judging->time.moved[i].by);
    }
}

static bool is_close(double one, double other) { return fabs(one / other - 1) < 0.01; }

/* Whether two rows have the same baseline and suite, or `other` is the baseline of `one`. */
static bool have_same_baseline(const struct bl_compared *one, const struct bl_compared *other)
{
    const struct bl_row *then = other->before, *now = other->after;
    const bool in_suite = strcmp(one->after->suite, now->suite) == 0 &&
                          is_close(one->before->baseline_ns, then->baseline_ns) &&
                          is_close(one->after->baseline_ns, now->baseline_ns);
    return in_suite || (is_close(one->before->baseline_ns, then->case_ns) &&
                        is_close(one->after->baseline_ns, now->case_ns));
}

static bool is_own_baseline(const struct bl_row *row)
{
    return is_close(row->case_ns, row->baseline_ns);
}

/* Whether at least half of the rows with the same baseline show that the baseline changed. */
static bool most_say_so(const struct bl_comparison *comparison, const struct bl_compared *moved)
{
    size_t rows = 0, of_them = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        /* The baseline's own ratio is always 1, so it shows nothing. */
        if (!was_timed_twice(row) || !have_same_baseline(moved, row) ||
            is_own_baseline(row->before))
            continue;
        rows++;
        of_them += row->change == BL_CHANGE_BASELINE;
    }
    return 2 * of_them >= rows;
}

/* If a row shows that its baseline's speed changed, other rows with this baseline may have changed,
 * too, although their ratios do not show it. A row whose ratio stayed the same changed as the
 * baseline did; the baseline's own row is an example, even if the interval of its ratio is too wide
 * to tell. A row whose ratio rose may still be slower, but by less than the baseline. Such rows are
 * judged by their own times, without the part that is due to the clock. If the clock's part is
 * unknown, at least half of the rows with this baseline must agree that the baseline changed. */
static void judge_baselines(const struct judging *judging)
{
    const struct bl_comparison *comparison = judging->comparison;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *moved = &comparison->rows[i];
        bool is_clock_known;
        if (moved->change != BL_CHANGE_BASELINE)
            continue;
        speed_without_clock(judging, i, &is_clock_known);
        if (!is_clock_known && !most_say_so(comparison, moved))
            continue;
        for (size_t k = 0; k < comparison->count; k++) {
            const struct bl_compared *row = &comparison->rows[k];
            const bool may_hide_it =
                row->change == BL_CHANGE_SAME || row->change == BL_CHANGE_FASTER ||
                (row->change == BL_CHANGE_UNCLEAR && is_own_baseline(row->before));
            if (may_hide_it && was_timed_twice(row) && have_same_baseline(moved, row))
                judge_speed(judging, k, speed_without_clock(judging, k, &is_clock_known));
        }
    }
}

/* Pairs rows whose keys differ only because one of them could not run and therefore has no working
 * set. */
static void join_without_working_set(struct bl_comparison *comparison)
{
    size_t kept = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared one = comparison->rows[i];
        bool is_joined = false;
        for (size_t k = 0; k < kept && !(one.before && one.after) && !is_joined; k++) {
            struct bl_compared *other = &comparison->rows[k];
            const struct bl_row *before = one.before ? one.before : other->before,
                                *after = one.after ? one.after : other->after;
            struct bl_row_key keys[2];
            if ((one.before && other->before) || (one.after && other->after) || !before || !after ||
                (before->key.working_set_bytes > 0 && after->key.working_set_bytes > 0))
                continue;
            keys[0] = before->key, keys[1] = after->key;
            keys[0].working_set_bytes = keys[1].working_set_bytes = 0;
            is_joined = bl_row_key_compare(&keys[0], &keys[1]) == 0;
            if (is_joined)
                *other = pair_rows(before, after);
        }
        if (!is_joined)
            comparison->rows[kept++] = one;
    }
    comparison->count = kept;
}

/* Finds missing rows that are no cause for alarm. A row becomes `not-asked` if the newer run has no
 * rows of the row's machine (another machine was chosen), or if the newer run was not asked for the
 * row. A row becomes `kernel-changed` if only the older run does not name its kernels, because an
 * older bankline with other cases made that run. If all rows are required, or if the user selected
 * cases and the newer run does not record what it was asked for, only the first of these reasons
 * (another machine) counts. */
static void excuse_missing(struct bl_comparison *comparison)
{
    const struct bl_run_rows *after = comparison->after;
    const bool is_older = comparison->lacks_kernels[0] && !comparison->lacks_kernels[1];
    const bool is_recorded = *after->info.asked_for != '\0';
    const bool expects_all =
        comparison->comparing.requires_all || (comparison->selector_count > 0 && !is_recorded);
    for (size_t i = 0; i < comparison->count; i++) {
        struct bl_compared *row = &comparison->rows[i];
        if (row->change != BL_CHANGE_MISSING)
            continue;
        bool has_machine = false, has_suite = false;
        for (size_t a = 0; a < after->count; a++) {
            has_machine |= strcmp(after->rows[a].key.machine, row->before->key.machine) == 0;
            has_suite |= strcmp(after->rows[a].suite, row->before->suite) == 0;
        }
        const bool is_asked = bl_run_asked_for(&after->info, row->key->case_id, has_suite);
        if (!has_machine || (!expects_all && !is_asked))
            row->change = BL_CHANGE_NOT_ASKED;
        else if (!expects_all && is_older)
            row->change = BL_CHANGE_KERNEL;
    }
}

/* Removes the rows of all cases that are not selected. Call this function after the judging, which
 * needs all rows. */
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

static void pair_all(struct bl_comparison *comparison)
{
    const struct bl_run_rows *before = comparison->before, *after = comparison->after;
    size_t b = 0, a = 0;
    comparison->count = 0;
    while (b < before->count || a < after->count) {
        const int order = b == before->count ? 1
                          : a == after->count
                              ? -1
                              : bl_row_key_compare(&before->rows[b].key, &after->rows[a].key);
        const struct bl_row *old = order <= 0 ? &before->rows[b++] : NULL;
        const struct bl_row *new = order >= 0 ? &after->rows[a++] : NULL;
        comparison->rows[comparison->count++] = pair_rows(old, new);
    }
    join_without_working_set(comparison);
}

/* Whether both are the same run with the same rows. Equal run_ids do not suffice: a file may have
 * lost rows, or been edited. */
static bool are_same_run(const struct bl_run_rows *one, const struct bl_run_rows *other)
{
    char texts[2][BL_COLUMN_BUFFER];
    if (!*one->info.run_id || strcmp(one->info.run_id, other->info.run_id) != 0 ||
        one->count != other->count)
        return false;
    /* An export may have a later schema than its runs; the additional columns are then empty. */
    const unsigned schema =
        one->info.schema < other->info.schema ? one->info.schema : other->info.schema;
    for (size_t c = 1; c < BL_COLUMN_COUNT && bl_columns[c].schema <= schema; c++)
        for (size_t i = 0; i < one->count; i++)
            if (strcmp(bl_column_text(&bl_columns[c], &one->info, &one->rows[i], texts[0]),
                       bl_column_text(&bl_columns[c], &other->info, &other->rows[i], texts[1])) !=
                0)
                return false;
    return true;
}

/* Judges all rows, unless both runs are the same. Returns false if memory runs out. */
static bool judge_all(struct judging *judging)
{
    struct bl_comparison *comparison = judging->comparison;
    comparison->own_times = NAN;
    comparison->spread_rows = 0;
    for (size_t i = 0; i < comparison->count && comparison->is_same_run; i++)
        if (is_judged(&comparison->rows[i]))
            comparison->rows[i].change = BL_CHANGE_SAME;
    if (comparison->is_same_run)
        return true;
    const size_t tests = comparison->comparing.absolute ? 2 : 1;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        judging->ratio.moved[i] = judging->time.moved[i] = (struct moved){NAN, NAN};
        if (!is_judged(row))
            continue;
        const bool by_time = have_times(row->before, row->after);
        const struct bl_interval old = bl_row_ratio(row->before), new = bl_row_ratio(row->after),
                                 was = rate_of(row->before, by_time),
                                 is = rate_of(row->after, by_time);
        judging->ratio.moved[i] = moved_between(&old, &new);
        judging->time.moved[i] = moved_between(&was, &is);
    }
    if (!comparison->comparing.knows_spread)
        pair_placements(judging, tests);
    if (!learn_spread(judging, &judging->ratio, tests) ||
        !learn_spread(judging, &judging->time, tests))
        return false;
    judge_ratios(judging);
    judge_baselines(judging);
    comparison->own_times = expm1(-speed_change(judging, NULL, NULL));
    return true;
}

enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error)
{
    const size_t capacity = comparison->before->count + comparison->after->count + 1;
    comparison->is_same_run = are_same_run(comparison->before, comparison->after);
    comparison->lacks_kernels[0] = lacks_kernels(comparison->before);
    comparison->lacks_kernels[1] = lacks_kernels(comparison->after);
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        comparison->counts[change] = 0;
    comparison->count = 0;
    comparison->rows = malloc(capacity * sizeof *comparison->rows);
    double *numbers = calloc(capacity, 9 * sizeof *numbers);
    size_t *indices = calloc(capacity, 2 * sizeof *indices);
    bool has_memory = comparison->rows && numbers && indices;
    if (has_memory) {
        struct judging judging = {
            .comparison = comparison,
            .ratio = {.moved = (struct moved *)numbers, .hidden = numbers + 2 * capacity},
            .time = {.moved = (struct moved *)(numbers + 3 * capacity),
                     .hidden = numbers + 5 * capacity},
            .scratch = numbers + 6 * capacity,
            .indices = indices};
        pair_all(comparison);
        excuse_missing(comparison);
        has_memory = judge_all(&judging);
    }
    free(numbers);
    free(indices);
    if (!has_memory)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while comparing the runs");
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

const char *bl_same_run_words(const struct bl_comparison *comparison, char text[1024])
{
    const struct bl_run_info *info = &comparison->before->info;
    snprintf(text, 1024, "%.300s and %.300s are the same run, run %s%s%s: nothing to compare",
             comparison->names[0], comparison->names[1], info->run_id,
             *info->time_utc ? " of " : "", info->time_utc);
    return text;
}

size_t bl_comparison_bad(const struct bl_comparison *comparison)
{
    size_t bad = 0;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (bl_change_is_bad((enum bl_change)change))
            bad += comparison->counts[change];
    return bad;
}
