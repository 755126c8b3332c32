/* The levels of a row over time, and the run that stands for the last ones. */
#include "history/typical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/statements.h"
#include "measure/stats.h"

enum { LEVEL_POINTS = 9 };

struct bl_interval bl_since_level(const struct bl_row points[], size_t count, size_t first)
{
    double ratios[LEVEL_POINTS], half = 0;
    size_t n = 0;
    for (size_t i = first; i < count && n < LEVEL_POINTS; i++) {
        if (!bl_row_has_number(&points[i]))
            continue;
        ratios[n++] = points[i].measured;
        half += bl_log_half_width(points[i].measured_lo, points[i].measured_hi);
    }
    half /= (double)n;
    const double median = bl_median(ratios, n);
    return (struct bl_interval){median, median * exp(-half), median * exp(half), true};
}

size_t bl_since_first(const struct bl_row points[], size_t count, double threshold)
{
    size_t first = count;
    for (size_t i = count; i-- > 0;) {
        if (!bl_row_has_number(&points[i]))
            continue;
        if (first < count && strcmp(points[i].kernels, points[first].kernels) != 0)
            return first;
        if (first < count) {
            const struct bl_interval level = bl_since_level(points, count, first);
            const struct bl_interval own = {points[i].measured, points[i].measured_lo,
                                            points[i].measured_hi, true};
            const enum bl_change change = bl_change_of(&own, &level, threshold);
            if (change == BL_CHANGE_SLOWER || change == BL_CHANGE_FASTER)
                return first;
        }
        first = i;
    }
    return 0;
}

/* A run that stands for the last ones, to compare another with. */

static const char points_of_last_runs[] =
    BL_SELECT_POINTS "WHERE measured.run IN (SELECT id " BL_LAST_RUNS ") ORDER BY " BL_BY_ROW;

struct numbers {
    double *all;
    size_t count, capacity;
};

struct making {
    const struct bl_run_rows *now;
    struct bl_run_rows *typical;
    struct bl_history_basis *basis;
    struct numbers differences; /* of the runs in the history */
    struct numbers steps;       /* to `now`, a row each */
};

static enum bl_status count_run(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)rows, (void)without_number, (void)error;
    const struct making *making = context;
    if (making->basis->runs++ == 0)
        making->typical->info = *run;
    return BL_OK;
}

static enum bl_status keep(struct numbers *numbers, double number, struct bl_error *error)
{
    double *kept =
        bl_array_append(&numbers->all, &numbers->count, &numbers->capacity, sizeof *kept);
    if (!kept)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu differences", numbers->count);
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

static enum bl_status add_typical(void *context, const struct bl_series *series,
                                  struct bl_error *error)
{
    const struct making *making = context;
    size_t runs;
    const struct bl_row row =
        bl_typical_row(series->points, series->count, making->basis->floor.sd, &runs);
    making->basis->rows_of_few += runs > 0 && runs < BL_FULL_HISTORY;
    return bl_run_add(making->typical, &row, error);
}

/* What BL_LAST_RUNS asks for. */
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

enum bl_status bl_history_last_runs(struct bl_history *history, const struct bl_run_info *now,
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
                                  size_t max, struct bl_run_rows *typical,
                                  struct bl_history_basis *basis, struct bl_error *error)
{
    *typical = (struct bl_run_rows){.info = now->info};
    *basis = (struct bl_history_basis){0};
    struct making making = {.now = now, .typical = typical, .basis = basis};
    struct last_runs last;
    name_last_runs(&now->info, max, &last);
    enum bl_status status =
        bl_history_last_runs(history, &now->info, max, count_run, &making, error);
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

/* Of the values that are known; NAN: none is. */
static double median_of_known(const double values[], size_t count)
{
    double known[BL_MAX_TYPICAL_POINTS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            known[n++] = values[i];
    return n > 0 ? bl_median(known, n) : (double)NAN;
}

/* The half-width of the spread that 95 % of the values keep to, in logarithms. */
static double spread_of(const double values[], size_t count, double median)
{
    double distances[BL_MAX_TYPICAL_POINTS];
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(log(values[i]) - log(median));
    return BL_WITHIN_95 * BL_MAD_TO_SD * median_of_known(distances, count);
}

/* A quantity that has an interval, of several points. */
struct quantity {
    double values[BL_MAX_TYPICAL_POINTS], halves[BL_MAX_TYPICAL_POINTS];
};

static void conclude(const struct quantity *quantity, size_t count, double floor_sd, double *median,
                     double *lo, double *hi)
{
    *median = median_of_known(quantity->values, count);
    const double own = median_of_known(quantity->halves, count);
    double half = fmax(spread_of(quantity->values, count, *median), own);
    if (count < BL_FULL_HISTORY) /* another run differs from a median that has an error itself */
        half = fmax(half, BL_WITHIN_95 * floor_sd * sqrt(1 + 1 / (double)count));
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
    /* A difference of two runs has the spread of both. */
    return (struct bl_spread_floor){BL_MAD_TO_SD * bl_median(differences, count) / sqrt(2), count};
}

struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs)
{
    struct quantity ratio, own, baseline;
    double clocks[BL_MAX_TYPICAL_POINTS], times[BL_MAX_TYPICAL_POINTS];
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
            break; /* not comparable, nor is what came before */
        }
        ratio.values[n] = point->measured;
        ratio.halves[n] = bl_log_half_width(point->measured_lo, point->measured_hi);
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
    row.bytes_per_clock_cu = median_of_known(clocks, n);
    row.ns_per_request = median_of_known(times, n);
    return row;
}
