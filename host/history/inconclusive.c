/* Judges earlier runs again, each against the runs before it, to count how long rows have been
 * unclear. */
#include "history/inconclusive.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "history/statements.h"
#include "history/typical.h"

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

/* The number of earlier runs to search: more than are counted, because some may lack a row. */
enum { LOOK_BACK = 30 };

struct looking_back {
    struct bl_history *history;
    const struct bl_run_rows *now;
    size_t max, enough;
    double threshold;
    struct bl_inconclusive *rows; /* one per row of now */
    size_t open;                  /* number of rows whose count is not final */
    struct bl_run_info *runs;     /* before now, newest first */
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu runs", looking->count + 1);
    *kept = *run;
    return BL_OK;
}

static enum bl_status keep_point(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    return bl_run_add(context, &series->points[0], error);
}

/* Judges a run against the runs before it, and updates the counts. */
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", now->count);
    enum bl_status status =
        bl_history_last_runs(history, &now->info, LOOK_BACK, keep_run, &looking, error);
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
