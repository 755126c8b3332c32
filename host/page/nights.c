/* A row's ratios over the last runs of a card: the change points, and a picture. A series begins
 * after the last run with kernels other than the newest run's, because such runs are not
 * comparable. */
#include "page/nights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/stats.h"
#include "page/page.h"
#include "report/csv.h"

enum { MEASURED, LOW, HIGH };

/* The index of the first comparable point. From there on, all points with a number have the kernels
 * of `now` or, if `now` has no number, of the newest point with a number. */
static size_t first_comparable(const struct bl_row points[], size_t count, const struct bl_row *now)
{
    const char *kernels = bl_row_has_number(now) ? now->kernels : NULL;
    size_t first = count;
    for (size_t i = count; i-- > 0;) {
        if (!bl_row_has_number(&points[i]))
            continue;
        kernels = kernels ? kernels : points[i].kernels;
        if (strcmp(points[i].kernels, kernels) != 0)
            break;
        first = i;
    }
    return first;
}

static bool add_point(struct bl_points *points, const struct bl_row *row,
                      const struct bl_run_info *run)
{
    const double numbers[BL_POINT_NUMBERS] = {row->measured, row->measured_lo, row->measured_hi};
    return !bl_row_has_number(row) || bl_points_add(points, run->time_utc, numbers);
}

enum bl_status bl_nights_add(struct bl_nights *nights, const struct bl_row points[],
                             const struct bl_run_info runs[], size_t count,
                             const struct bl_row *now, const struct bl_run_info *run,
                             struct bl_error *error)
{
    struct bl_night_series *series =
        bl_array_append(&nights->all, &nights->count, &nights->capacity, sizeof *series);
    if (!series)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while adding %zu series",
                       nights->count + 1);
    *series = (struct bl_night_series){
        .key = now->key,
        .points = {.what = "time_utc",
                   .columns = {{"measured", BL_RATIO_UNIT},
                               {"measured_lo", BL_RATIO_UNIT},
                               {"measured_hi", BL_RATIO_UNIT}}},
        .last_step = NAN,
    };
    bool is_whole = true;
    for (size_t i = first_comparable(points, count, now); i < count && is_whole; i++)
        is_whole = add_point(&series->points, &points[i], &runs[i]);
    return is_whole && add_point(&series->points, now, run)
               ? BL_OK
               : bl_fail(error, BL_NO_MEMORY, "out of memory while adding %zu points", count + 1);
}

static double level_of(const struct bl_night_series *series, size_t first, size_t end,
                       double scratch[])
{
    for (size_t i = first; i < end; i++)
        scratch[i - first] = series->points.all[i].numbers[MEASURED];
    return bl_median(scratch, end - first);
}

/* Searches the logarithms of the ratios, because the threshold is a fraction of a ratio. together:
 * the number of series that are searched. */
static enum bl_status search_series(struct bl_night_series *series, size_t together,
                                    double threshold, struct bl_error *error)
{
    const size_t count = series->points.count;
    double *values = calloc(count + 1, sizeof *values), *halves = calloc(count + 1, sizeof *halves);
    if (!values || !halves) {
        free(values);
        free(halves);
        return bl_fail(error, BL_NO_MEMORY, "out of memory while searching %zu points", count);
    }
    for (size_t i = 0; i < count; i++) {
        const double *numbers = series->points.all[i].numbers;
        values[i] = log(numbers[MEASURED]);
        halves[i] = bl_log_half_width(numbers[LOW], numbers[HIGH]);
    }
    if (count > 0) {
        const struct bl_change_search search = {
            .noise_floor = bl_median(halves, count) / BL_WITHIN_95,
            .least_step = bl_log_threshold(threshold),
            .series = together,
        };
        series->change_count =
            bl_change_points(values, count, &search, series->changes, BL_NIGHT_CHANGES);
    }
    if (series->change_count > 0) {
        const size_t last = series->changes[series->change_count - 1];
        const size_t before =
            series->change_count > 1 ? series->changes[series->change_count - 2] : 0;
        series->last_step =
            level_of(series, last, count, halves) / level_of(series, before, last, halves) - 1;
    }
    free(values);
    free(halves);
    return BL_OK;
}

/* Sorts by the size of the latest step, largest first, and then by key. */
static int by_step(const void *left, const void *right)
{
    const struct bl_night_series *a = left, *b = right;
    const double x = a->change_count ? fabs(a->last_step) : 0,
                 y = b->change_count ? fabs(b->last_step) : 0;
    return x != y ? (x < y) - (x > y) : bl_row_key_compare(&a->key, &b->key);
}

enum bl_status bl_nights_search(struct bl_nights *nights, double threshold, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < nights->count && status == BL_OK; i++)
        status = search_series(&nights->all[i], nights->count, threshold, error);
    if (nights->count > 0)
        qsort(nights->all, nights->count, sizeof *nights->all, by_step);
    return status;
}

/* Writes a series as CSV, with those columns of `history export` that nights.gp needs. */
static void write_series(FILE *file, const void *series_)
{
    const struct bl_night_series *series = series_;
    fputs("time_utc,case,shape,measured,measured_lo,measured_hi\n", file);
    for (size_t i = 0; i < series->points.count; i++) {
        const struct bl_plot_point *point = &series->points.all[i];
        bl_csv_field(file, point->name, ",");
        bl_csv_field(file, series->key.case_id, ",");
        bl_csv_field(file, series->key.shape, ",");
        for (unsigned n = 0; n < 3; n++)
            bl_csv_number(file, point->numbers[n], n < 2 ? "," : "\n");
    }
}

static enum bl_status draw(struct bl_plotter *plotter, struct bl_night_series *series,
                           struct bl_page_curve *curve, struct bl_error *error)
{
    const char *arguments[BL_NIGHT_CHANGES + 3] = {series->key.case_id, series->key.shape};
    for (size_t i = 0; i < series->change_count; i++)
        arguments[2 + i] = series->points.all[series->changes[i]].name;
    snprintf(curve->title, sizeof curve->title, "%.200s %s", series->key.case_id,
             series->key.shape);
    if (series->change_count > 0)
        snprintf(
            curve->what, sizeof curve->what,
            "%zu runs with %zu change point%s. The typical ratio last changed by %+.1f %%, at the "
            "run of %s. The band contains 95 of 100 runs between two change points.",
            series->points.count, series->change_count, bl_plural(series->change_count),
            100 * series->last_step, arguments[1 + series->change_count]);
    else
        snprintf(
            curve->what, sizeof curve->what,
            "%zu runs without a change point: the differences are random. The band contains 95 of "
            "100 runs.",
            series->points.count);
    const enum bl_status status =
        bl_plotter_put(plotter, "nights.csv", write_series, series, error);
    if (status == BL_OK)
        bl_plot(plotter, "nights.gp", "nights.csv", arguments, curve);
    curve->points = series->points; /* the curve owns the points from now on */
    series->points = (struct bl_points){0};
    return status;
}

/* Whether the ratios of the runs are not all equal. A baseline's ratio is 1 in every run. */
static bool can_change(const struct bl_night_series *series)
{
    for (size_t i = 1; i < series->points.count; i++)
        if (series->points.all[i].numbers[MEASURED] != series->points.all[0].numbers[MEASURED])
            return true;
    return false;
}

enum bl_status bl_nights_draw(struct bl_plotter *plotter, struct bl_nights *nights,
                              struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < nights->count && status == BL_OK; i++) {
        struct bl_night_series *series = &nights->all[i];
        if (nights->curve_count == BL_NIGHT_PICTURES ||
            (nights->curve_count > 0 && series->change_count == 0))
            break;
        if (can_change(series))
            status = draw(plotter, series, &nights->curves[nights->curve_count++], error);
    }
    return status;
}

void bl_nights_free(struct bl_nights *nights)
{
    for (size_t i = 0; i < nights->count; i++)
        bl_points_free(&nights->all[i].points);
    free(nights->all);
    bl_page_free_curves(nights->curves, nights->curve_count);
    *nights = (struct bl_nights){0};
}
