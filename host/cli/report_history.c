#include "cli/report_history.h"

#include <stdlib.h>

#include "cli/output.h"
#include "history/database.h"

static const struct bl_change_settings defaults = BL_CHANGE_DEFAULTS; /* as `compare` has them */

/* As many runs as `history compare` has by default, and as the pictures show. */
enum { TYPICAL_RUNS = 10, SHOWN_RUNS = 100 };

struct adding {
    struct bl_nights *nights;
    const struct bl_run_rows *now;
};

/* A series and its row of now, which the history need not have yet. */
static enum bl_status add_series(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    const struct adding *adding = context;
    const struct bl_row *row = bl_run_find(adding->now, &series->points[0].key);
    if (!row)
        return BL_OK;
    struct bl_row *points = calloc(series->count + 1, sizeof *points);
    struct bl_run_info *runs = calloc(series->count + 1, sizeof *runs);
    enum bl_status status = BL_OK;
    if (points && runs) {
        for (size_t i = 0; i < series->count; i++) {
            points[i] = series->points[i];
            runs[i] = series->runs[i];
        }
        points[series->count] = *row;
        runs[series->count] = adding->now->info;
        status = bl_nights_add(adding->nights, points, runs, series->count + 1, error);
    } else {
        status = bl_fail(error, BL_NO_MEMORY, "no memory for %zu runs", series->count);
    }
    free(points);
    free(runs);
    return status;
}

static enum bl_status compare(struct bl_history *database, const struct bl_run_rows *now,
                              struct bl_report_history *history, struct bl_error *error)
{
    struct bl_history_basis basis;
    enum bl_status status =
        bl_history_typical(database, now, TYPICAL_RUNS, &history->typical, &basis, error);
    history->nights.runs = basis.runs;
    if (status != BL_OK || basis.runs == 0)
        return status;
    history->comparison = (struct bl_comparison){
        .before = &history->typical,
        .after = now,
        .names = {"the history", "this run"},
        .comparing = {.threshold = defaults.threshold},
    };
    history->nights.comparison = &history->comparison;
    return bl_compare(&history->comparison, error);
}

enum bl_status bl_report_history_read(const char *db, const struct bl_run_rows *now,
                                      struct bl_report_history *history, struct bl_error *error)
{
    char path[BL_HISTORY_PATH];
    struct bl_history *database = NULL;
    struct adding adding = {&history->nights, now};
    *history = (struct bl_report_history){0};
    enum bl_status status = db ? BL_OK : bl_history_default_path(path, error);
    if (status == BL_OK)
        status = bl_history_open(db ? db : path, db ? BL_HISTORY_READ : BL_HISTORY_READ_OR_NONE,
                                 &database, error);
    if (status == BL_OK)
        status = compare(database, now, history, error);
    if (status == BL_OK)
        status = bl_history_recent(database, now, SHOWN_RUNS, add_series, &adding, error);
    if (status == BL_OK)
        status = bl_nights_search(&history->nights, defaults.threshold, error);
    bl_history_close(database);
    return status;
}

void bl_report_history_free(struct bl_report_history *history)
{
    bl_nights_free(&history->nights);
    bl_comparison_free(&history->comparison);
    bl_run_free(&history->typical);
}
