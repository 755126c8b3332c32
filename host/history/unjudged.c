#include "history/unjudged.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "history/database.h"

/* `same` is also said of a row that has no number, and had none. */
static bool is_judged(const struct bl_compared *row)
{
    const enum bl_change change = row->change;
    if (!isfinite(row->by))
        return false;
    return change == BL_CHANGE_SAME || change == BL_CHANGE_SLOWER || change == BL_CHANGE_FASTER ||
           change == BL_CHANGE_BASELINE;
}

size_t bl_unjudged_before(const struct bl_comparison *comparison, const struct bl_run_rows *newest,
                          size_t enough, struct bl_unjudged unjudged[])
{
    size_t open = 0;
    for (size_t i = 0, c = 0; i < newest->count; i++) {
        struct bl_unjudged *row = &unjudged[i];
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

/* As many runs as are looked at for rows that some of them did not have. */
enum { LOOK_BACK = 30 };

struct infos {
    struct bl_run_info *runs; /* newest first */
    size_t count, capacity;
};

static enum bl_status keep_info(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)rows, (void)without_number;
    struct infos *infos = context;
    struct bl_run_info *more =
        bl_array_grow(infos->runs, infos->count, &infos->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu runs", infos->count + 1);
    infos->runs = more;
    infos->runs[infos->count++] = *run;
    return BL_OK;
}

static enum bl_status keep_point(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    return bl_run_add(context, &series->points[0], error);
}

/* Compares a run with those before it. */
static enum bl_status compare_then(struct bl_history *history, const struct bl_run_rows *then,
                                   size_t max, double threshold, struct bl_run_rows *typical,
                                   struct bl_comparison *comparison, struct bl_error *error)
{
    struct bl_history_basis basis;
    enum bl_status status = bl_history_typical(history, then, max, typical, &basis, error);
    *comparison = (struct bl_comparison){
        .before = typical, .after = then, .comparing = {.threshold = threshold}};
    return status == BL_OK ? bl_compare(comparison, error) : status;
}

/* Judges a run of the history as it was judged then. */
static enum bl_status look_at(struct bl_history *history, const struct bl_run_info *info,
                              size_t max, double threshold, size_t enough,
                              const struct bl_run_rows *newest, struct bl_unjudged unjudged[],
                              size_t *open, struct bl_error *error)
{
    struct bl_run_rows then = {.info = *info}, typical = {0};
    struct bl_comparison comparison = {0};
    const char *texts[] = {info->run_id, NULL};
    enum bl_status status =
        bl_history_each_series(history, BL_SELECT_POINTS "WHERE run_id = ?1 " BL_BY_SERIES, texts,
                               true, keep_point, &then, error);
    bl_run_sort(&then);
    if (status == BL_OK)
        status = compare_then(history, &then, max, threshold, &typical, &comparison, error);
    if (status == BL_OK)
        *open = bl_unjudged_before(&comparison, newest, enough, unjudged);
    bl_comparison_free(&comparison);
    bl_run_free(&typical);
    bl_run_free(&then);
    return status;
}

enum bl_status bl_history_unjudged(struct bl_history *history, const struct bl_run_rows *now,
                                   size_t max, double threshold, size_t enough, size_t counts[],
                                   struct bl_error *error)
{
    struct infos infos = {0};
    struct bl_run_rows typical = {0};
    struct bl_comparison comparison = {0};
    char limit[24];
    size_t open = now->count;
    snprintf(limit, sizeof limit, "%d", (int)LOOK_BACK);
    const char *texts[] = {
        now->info.device, now->info.run_id, now->info.time_utc, limit, now->info.device_id, NULL};
    struct bl_unjudged *unjudged = calloc(now->count + 1, sizeof *unjudged);
    if (!unjudged)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", now->count);
    enum bl_status status = bl_history_each_run(history, "SELECT 0, 0{run:, [@]} " BL_LAST_RUNS,
                                                texts, keep_info, &infos, error);
    if (status == BL_OK)
        status = compare_then(history, now, max, threshold, &typical, &comparison, error);
    if (status == BL_OK)
        open = bl_unjudged_before(&comparison, now, enough, unjudged);
    /* A row that nobody can judge now is what is asked for; of the others nothing is. */
    for (size_t i = 0; i < now->count && status == BL_OK; i++)
        if (unjudged[i].runs == 0 && !unjudged[i].is_over) {
            unjudged[i].is_over = true;
            open--;
        }
    for (size_t i = 0; i < infos.count && open > 0 && status == BL_OK; i++)
        status =
            look_at(history, &infos.runs[i], max, threshold, enough, now, unjudged, &open, error);
    for (size_t i = 0; i < now->count; i++)
        counts[i] = unjudged[i].runs;
    bl_comparison_free(&comparison);
    bl_run_free(&typical);
    free(unjudged);
    free(infos.runs);
    return status;
}
