/* Finds the last change point of a row. Builds the typical run, which represents the last runs of a
 * card. Counts for how many runs a row was inconclusive, by comparing each earlier run with the
 * typical run of the runs before it. */
#include "history/typical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/statements.h"
#include "measure/stats.h"

/* The points that have a number, and whose kernels are those of the newest such point, oldest
 * first: the logarithms of their ratios, the half-widths of the ratios' intervals (logarithms), and
 * the points' indices. */
struct comparable {
    double values[BL_MAX_SINCE_POINTS], halves[BL_MAX_SINCE_POINTS];
    size_t index[BL_MAX_SINCE_POINTS], count;
    bool is_whole; /* false if the last number before these points has other kernels */
};

static void find_comparable(const struct bl_row points[], size_t count, struct comparable *found)
{
    const char *kernels = NULL;
    size_t first = count;
    *found = (struct comparable){.is_whole = true};
    for (size_t numbers = 0; first > 0 && numbers < BL_MAX_SINCE_POINTS; first--) {
        const struct bl_row *point = &points[first - 1];
        if (!bl_row_has_number(point))
            continue;
        kernels = kernels ? kernels : point->kernels;
        found->is_whole = strcmp(point->kernels, kernels) == 0;
        if (!found->is_whole)
            break;
        numbers++;
    }
    for (size_t i = first; i < count; i++) {
        if (!bl_row_has_number(&points[i]))
            continue;
        found->index[found->count] = i;
        found->values[found->count] = log(points[i].measured);
        found->halves[found->count++] =
            bl_log_half_width(points[i].measured_lo, points[i].measured_hi);
    }
}

static double median_of_copy(const double values[], size_t count)
{
    double copy[BL_MAX_SINCE_POINTS];
    memcpy(copy, values, count * sizeof *copy);
    return bl_median(copy, count);
}

struct bl_since bl_since_of(const struct bl_row points[], size_t count, double threshold,
                            size_t together)
{
    struct comparable found;
    find_comparable(points, count, &found);
    size_t changes[BL_MAX_SINCE_POINTS];
    const struct bl_change_search search = {
        .noise_floor = median_of_copy(found.halves, found.count) / BL_WITHIN_95,
        .least_step = bl_log_threshold(threshold),
        .series = together,
        .until_now = true,
    };
    const struct bl_drift drift = bl_drift_of(found.values, found.count, &search);
    const size_t steps =
        bl_change_points(found.values, found.count, &search, changes, BL_MAX_SINCE_POINTS);
    const size_t last = steps > 0 ? changes[steps - 1] : 0,
                 before = steps > 1 ? changes[steps - 2] : 0;
    struct bl_since since = {
        .first = found.index[last],
        .typical = exp(median_of_copy(found.values + last, found.count - last)),
        .before = NAN,
        .is_other_kernel = steps == 0 && !found.is_whole,
    };
    if (steps == 0 && found.is_whole)
        since.first = 0;
    if (drift.by != 0 && (found.is_whole || drift.first > 0)) {
        since.is_drift = true;
        since.is_other_kernel = false;
        since.first = found.index[drift.first];
        since.typical = exp(found.values[found.count - 1]);
        since.before = exp(found.values[found.count - 1] - drift.by);
    } else if (steps > 0) {
        since.before = exp(median_of_copy(found.values + before, last - before));
    }
    return since;
}

/* The typical run, which represents the last runs in a comparison. */

static const char points_of_last_runs[] =
    BL_SELECT_POINTS "WHERE measured.run IN (SELECT id " BL_LAST_RUNS ") ORDER BY " BL_BY_ROW;

struct numbers {
    double *all;
    size_t count, capacity;
};

struct making {
    const struct bl_run_rows *now;
    const struct bl_typical_settings *settings;
    size_t runs; /* number of past runs in the history, at most BL_MAX_TYPICAL_POINTS */
    struct bl_run_rows *typical;
    struct bl_history_basis *basis;
    struct numbers differences; /* one value per row and pair of consecutive runs of the history;
                                   learn_floor adds one per step */
    struct numbers steps;       /* one value per row of `now` that earlier runs have: the step from
                                   the row's newest number to `now` */
};

static enum bl_status count_run(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)rows, (void)without_number, (void)error;
    struct making *making = context;
    if (making->runs++ == 0)
        making->typical->info = *run;
    return BL_OK;
}

static enum bl_status keep(struct numbers *numbers, double number, struct bl_error *error)
{
    double *kept =
        bl_array_append(&numbers->all, &numbers->count, &numbers->capacity, sizeof *kept);
    if (!kept)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while collecting %zu differences",
                       numbers->count);
    *kept = number;
    return BL_OK;
}

static enum bl_status learn_differences(void *context, const struct bl_series *series,
                                        struct bl_error *error)
{
    struct making *making = context;
    double found[BL_MAX_TYPICAL_POINTS], step;
    const struct bl_row *next = bl_run_find(making->now, &series->points[0].key);
    const size_t n = bl_run_differences(series->points, series->count, found);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < n && status == BL_OK; i++)
        status = keep(&making->differences, found[i], error);
    if (status == BL_OK && bl_run_step(series->points, series->count, next, &step))
        status = keep(&making->steps, step, error);
    return status;
}

static enum bl_status learn_floor(struct making *making, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    bl_steps_to_differences(making->steps.all, making->steps.count);
    for (size_t i = 0; i < making->steps.count && status == BL_OK; i++)
        status = keep(&making->differences, making->steps.all[i], error);
    making->basis->floor = bl_spread_floor_of(making->differences.all, making->differences.count);
    return status;
}

/* Whether the point or run of this age (0 is the newest) is used. If settings->part is 1 or 2 and
 * there are at least FEWEST runs, every second run is used; otherwise every run. At most max_runs
 * runs are used. */
static bool is_taken(const struct making *making, size_t age)
{
    enum { FEWEST = 4 };
    const unsigned part = making->runs < FEWEST ? 0 : making->settings->part;
    const size_t rank = part == 0 ? age : age / 2;
    return rank < making->settings->max_runs && (part == 0 || age % 2 == part - 1);
}

static size_t take_points(const struct making *making, const struct bl_row points[], size_t count,
                          struct bl_row taken[])
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (is_taken(making, count - 1 - i))
            taken[n++] = points[i];
    return n;
}

/* The number of points to use. If a row has drifted up to `now`, only the points before the drift
 * are used (but at least BL_LEVEL_POINTS), and the note says since when the row has drifted. With
 * later points the drift would stay hidden: no single night differs much from the last runs, which
 * have drifted, too. */
static size_t before_drift(const struct making *making, const struct bl_series *series,
                           const struct bl_row *next, char note[BL_NOTE_BYTES])
{
    struct bl_row points[BL_MAX_TYPICAL_POINTS + 1];
    if (!next || !bl_row_has_number(next) || series->count > BL_MAX_TYPICAL_POINTS)
        return series->count;
    memcpy(points, series->points, series->count * sizeof *points);
    points[series->count] = *next;
    const struct bl_since since =
        bl_since_of(points, series->count + 1, making->settings->threshold, making->now->count);
    if (!since.is_drift)
        return series->count;
    bl_add_note(note, "drifting since %s", series->runs[since.first].time_utc);
    return since.first < BL_LEVEL_POINTS ? BL_LEVEL_POINTS : since.first;
}

static enum bl_status add_typical(void *context, const struct bl_series *series,
                                  struct bl_error *error)
{
    const struct making *making = context;
    struct bl_row taken[BL_MAX_TYPICAL_POINTS];
    char note[BL_NOTE_BYTES] = "";
    const struct bl_row *next = bl_run_find(making->now, &series->points[0].key);
    const size_t usable = before_drift(making, series, next, note);
    size_t count = take_points(making, series->points, usable, taken);
    if (count == 0) /* the wanted half of the runs has no point of the row: take the newest point */
        count = 1, taken[0] = series->points[usable - 1];
    size_t runs;
    struct bl_row row = bl_typical_row(taken, count, making->basis->floor.sd, &runs);
    memcpy(row.note, note, sizeof row.note);
    return bl_run_add(making->typical, &row, error);
}

/* The parameters of BL_LAST_RUNS. */
struct last_runs {
    char limit[24];
    const char *texts[6];
};

static void name_last_runs(const struct bl_run_info *now, size_t max, struct last_runs *last)
{
    snprintf(last->limit, sizeof last->limit, "%zu",
             max < BL_MAX_TYPICAL_POINTS ? max : (size_t)BL_MAX_TYPICAL_POINTS);
    const char *const texts[] = {now->device, now->run_id, now->time_utc, last->limit,
                                 now->device_id};
    memcpy(last->texts, texts, sizeof texts);
    last->texts[5] = NULL;
}

/* Calls the handler for the last runs before `now`, newest first. The handler's counts of rows are
 * always 0. */
static enum bl_status each_last_run(struct bl_history *history, const struct bl_run_info *now,
                                    size_t max, bl_history_run_handler *handle, void *context,
                                    struct bl_error *error)
{
    struct last_runs last;
    name_last_runs(now, max, &last);
    return bl_history_each_run(history, "SELECT 0, 0{run:, [@]} " BL_LAST_RUNS, last.texts, handle,
                               context, error);
}

enum bl_status bl_history_recent(struct bl_history *history, const struct bl_run_rows *now,
                                 size_t max, bl_series_handler *handle, void *context,
                                 struct bl_error *error)
{
    struct last_runs last;
    name_last_runs(&now->info, max, &last);
    return bl_history_each_series(history, points_of_last_runs, last.texts, true, handle, context,
                                  error);
}

enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  const struct bl_typical_settings *settings,
                                  struct bl_run_rows *typical, struct bl_history_basis *basis,
                                  struct bl_error *error)
{
    *typical = (struct bl_run_rows){.info = now->info};
    *basis = (struct bl_history_basis){0};
    struct making making = {.now = now, .settings = settings, .typical = typical, .basis = basis};
    struct last_runs last;
    name_last_runs(&now->info, BL_MAX_TYPICAL_POINTS, &last);
    enum bl_status status =
        each_last_run(history, &now->info, BL_MAX_TYPICAL_POINTS, count_run, &making, error);
    for (size_t age = 0; age < making.runs; age++)
        basis->runs += is_taken(&making, age);
    if (status == BL_OK)
        status = bl_history_each_series(history, points_of_last_runs, last.texts, true,
                                        learn_differences, &making, error);
    if (status == BL_OK)
        status = learn_floor(&making, error);
    free(making.differences.all);
    free(making.steps.all);
    if (status == BL_OK)
        status = bl_history_each_series(history, points_of_last_runs, last.texts, true, add_typical,
                                        &making, error);
    bl_run_sort(typical);
    return status;
}

/* The median of the known values; NAN if no value is known. */
static double median_of_known(const double values[], size_t count)
{
    double known[BL_MAX_TYPICAL_POINTS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            known[n++] = values[i];
    return n > 0 ? bl_median(known, n) : (double)NAN;
}

/* The half-width, as a logarithm, of the range that contains 95 % of the values. */
static double spread_of(const double values[], size_t count, double median)
{
    double distances[BL_MAX_TYPICAL_POINTS];
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(log(values[i]) - log(median));
    return BL_WITHIN_95 * BL_MAD_TO_SD * median_of_known(distances, count);
}

/* The values of several points, and the half-widths of their intervals. */
struct measured_points {
    double values[BL_MAX_TYPICAL_POINTS], halves[BL_MAX_TYPICAL_POINTS];
};

/* Computes the median of the points' values, and the interval lo to hi that contains 95 % of them;
 * see bl_typical_row. */
static void conclude(const struct measured_points *points, size_t count, double floor_sd,
                     double *median, double *lo, double *hi)
{
    *median = median_of_known(points->values, count);
    const double own = median_of_known(points->halves, count);
    double spread = spread_of(points->values, count, *median);
    if (floor_sd > 0) {
        /* A spread estimated from a few runs depends mostly on chance. So the row's variance is
         * averaged with the variance of all rows, with numbers of runs as weights. Each run of the
         * row counts as 0.37 runs, the efficiency of the median absolute deviation compared with
         * the mean square. The factor 1 + 1 / count accounts for the error of the median itself. */
        static const double of_all = 4; /* weight of the variance of all rows, in runs */
        const double of_row = 0.37 * (double)(count - 1), all = BL_WITHIN_95 * floor_sd;
        spread = sqrt((of_all * all * all + of_row * spread * spread) / (of_all + of_row) *
                      (1 + 1 / (double)count));
    }
    const double half = fmax(spread, own);
    *lo = *median * exp(-half);
    *hi = *median * exp(half);
}

bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step)
{
    size_t last = count;
    while (last > 0 && !bl_row_has_number(&points[last - 1]))
        last--;
    if (last == 0 || !next || !bl_row_has_number(next) ||
        strcmp(points[last - 1].kernels, next->kernels) != 0)
        return false;
    *step = log(next->measured) - log(points[last - 1].measured);
    return true;
}

size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[])
{
    size_t n = 0;
    for (size_t i = 1; i < count; i++)
        if (bl_run_step(points, i, &points[i], &differences[n])) {
            differences[n] = fabs(differences[n]);
            n++;
        }
    return n;
}

void bl_steps_to_differences(double steps[], size_t count)
{
    if (count == 0)
        return;
    const double common = bl_median(steps, count);
    for (size_t i = 0; i < count; i++)
        steps[i] = fabs(steps[i] - common);
}

struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count)
{
    static const double stated_sd = 0.005;
    if (count < BL_MIN_SAMPLES)
        return (struct bl_spread_floor){.sd = stated_sd};
    /* A difference of two runs has the variances of both runs, hence sqrt(2). */
    return (struct bl_spread_floor){BL_MAD_TO_SD * bl_median(differences, count) / sqrt(2), count};
}

struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs)
{
    struct measured_points ratio, own, baseline;
    double mhz[BL_MAX_TYPICAL_POINTS], clocks[BL_MAX_TYPICAL_POINTS], times[BL_MAX_TYPICAL_POINTS];
    struct bl_row row = bl_row_empty();
    const struct bl_row *last = &points[count - 1];
    row.key = last->key;
    size_t n = 0;
    for (size_t i = count; i-- > 0 && n < BL_MAX_TYPICAL_POINTS;) {
        const struct bl_row *point = &points[i];
        if (!bl_row_has_number(point))
            continue;
        if (n == 0) {
            memcpy(row.suite, point->suite, sizeof row.suite);
            memcpy(row.kernels, point->kernels, sizeof row.kernels);
        } else if (strcmp(point->kernels, row.kernels) != 0) {
            break; /* this point and all earlier points have other kernels, so they are not
                      comparable */
        }
        ratio.values[n] = point->measured;
        ratio.halves[n] = bl_log_half_width(point->measured_lo, point->measured_hi);
        mhz[n] = point->device_mhz;
        own.values[n] = point->case_ns;
        own.halves[n] = bl_log_half_width(point->case_ns_lo, point->case_ns_hi);
        baseline.values[n] = point->baseline_ns;
        baseline.halves[n] = bl_log_half_width(point->baseline_ns_lo, point->baseline_ns_hi);
        clocks[n] = point->bytes_per_clock_cu;
        times[n++] = point->ns_per_request;
    }
    *runs = n;
    if (n == 0) {
        row.status = last->status;
        memcpy(row.reason, last->reason, sizeof row.reason);
        return row;
    }
    conclude(&ratio, n, floor_sd, &row.measured, &row.measured_lo, &row.measured_hi);
    conclude(&own, n, floor_sd, &row.case_ns, &row.case_ns_lo, &row.case_ns_hi);
    conclude(&baseline, n, floor_sd, &row.baseline_ns, &row.baseline_ns_lo, &row.baseline_ns_hi);
    row.device_mhz = median_of_known(mhz, n);
    row.bytes_per_clock_cu = median_of_known(clocks, n);
    row.ns_per_request = median_of_known(times, n);
    return row;
}

/* The functions below count how long rows have been unclear: they compare each earlier run with the
 * runs before it once more. */

static bool is_judged(const struct bl_compared *row)
{
    const enum bl_change change = row->change;
    if (!isfinite(row->by))
        return false;
    return change == BL_CHANGE_SAME || change == BL_CHANGE_SLOWER || change == BL_CHANGE_FASTER ||
           change == BL_CHANGE_BASELINE;
}

size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[])
{
    size_t open = 0;
    for (size_t i = 0, c = 0; i < newest->count; i++) {
        struct bl_inconclusive *row = &rows[i];
        int order = -1;
        while (c < comparison->count &&
               (order = bl_row_key_compare(comparison->rows[c].key, &newest->rows[i].key)) < 0)
            c++;
        if (c < comparison->count && order == 0 && !row->is_over) {
            row->runs += comparison->rows[c].change == BL_CHANGE_UNCLEAR;
            row->is_over = is_judged(&comparison->rows[c]) || row->runs == enough;
        }
        open += !row->is_over;
    }
    return open;
}

/* The number of earlier runs to search. It exceeds the number to count, because some runs may lack
 * a row. */
enum { LOOK_BACK = 30 };

struct looking_back {
    struct bl_history *history;
    const struct bl_run_rows *now;
    size_t max, enough;
    double threshold;
    struct bl_inconclusive *rows; /* one element per row of `now` */
    size_t open;                  /* number of rows whose counting has not ended */
    struct bl_run_info *runs;     /* the runs before `now`, newest first */
    size_t count, capacity;
};

static enum bl_status keep_run(void *context, const struct bl_run_info *run, size_t rows,
                               size_t without_number, struct bl_error *error)
{
    (void)rows, (void)without_number;
    struct looking_back *looking = context;
    struct bl_run_info *kept =
        bl_array_append(&looking->runs, &looking->count, &looking->capacity, sizeof *kept);
    if (!kept)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while collecting %zu runs",
                       looking->count + 1);
    *kept = *run;
    return BL_OK;
}

static enum bl_status keep_point(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    return bl_run_add(context, &series->points[0], error);
}

/* Compares the run `then` with the runs before it, and updates the counts of inconclusive
 * comparisons. */
static enum bl_status judge(struct looking_back *looking, const struct bl_run_rows *then,
                            struct bl_error *error)
{
    struct bl_run_rows typical = {0};
    struct bl_history_basis basis;
    struct bl_comparison comparison = {
        .before = &typical,
        .after = then,
        .comparing = {.threshold = looking->threshold, .knows_spread = true}};
    const struct bl_typical_settings settings = {looking->max, looking->threshold, 0};
    enum bl_status status =
        bl_history_typical(looking->history, then, &settings, &typical, &basis, error);
    if (status == BL_OK)
        status = bl_compare(&comparison, error);
    if (status == BL_OK)
        looking->open =
            bl_inconclusive_before(&comparison, looking->now, looking->enough, looking->rows);
    bl_comparison_free(&comparison);
    bl_run_free(&typical);
    return status;
}

static enum bl_status judge_earlier(struct looking_back *looking, const struct bl_run_info *info,
                                    struct bl_error *error)
{
    struct bl_run_rows then = {.info = *info};
    const char *texts[] = {info->run_id, NULL};
    enum bl_status status =
        bl_history_each_series(looking->history, BL_SELECT_POINTS "WHERE run_id = ?1 " BL_BY_SERIES,
                               texts, true, keep_point, &then, error);
    bl_run_sort(&then);
    if (status == BL_OK)
        status = judge(looking, &then, error);
    bl_run_free(&then);
    return status;
}

enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error)
{
    struct looking_back looking = {.history = history,
                                   .now = now,
                                   .max = max,
                                   .enough = enough,
                                   .threshold = threshold,
                                   .open = now->count,
                                   .rows = calloc(now->count + 1, sizeof *looking.rows)};
    if (!looking.rows)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while counting unclear runs of %zu rows",
                       now->count);
    enum bl_status status =
        each_last_run(history, &now->info, LOOK_BACK, keep_run, &looking, error);
    if (status == BL_OK)
        status = judge(&looking, now, error);
    /* Only rows that are unclear in the newest run are counted. */
    for (size_t i = 0; i < now->count && status == BL_OK; i++)
        if (looking.rows[i].runs == 0 && !looking.rows[i].is_over) {
            looking.rows[i].is_over = true;
            looking.open--;
        }
    for (size_t i = 0; i < looking.count && looking.open > 0 && status == BL_OK; i++)
        status = judge_earlier(&looking, &looking.runs[i], error);
    for (size_t i = 0; i < now->count; i++)
        counts[i] = looking.rows[i].runs;
    free(looking.rows);
    free(looking.runs);
    return status;
}
