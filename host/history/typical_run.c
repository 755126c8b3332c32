/* A run that stands for the last ones, to compare another with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/internal.h"

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
    double *more = bl_array_grow(numbers->all, numbers->count, &numbers->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu differences", numbers->count);
    numbers->all = more;
    more[numbers->count++] = number;
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
    enum bl_status status = bl_history_each_run(history, "SELECT 0, 0{run:, [@]} " BL_LAST_RUNS,
                                                last.texts, count_run, &making, error);
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
