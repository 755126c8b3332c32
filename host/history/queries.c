#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/internal.h"

struct run_reading {
    bl_history_run_handler *handle;
    void *context;
};

static enum bl_status read_run(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    const struct run_reading *reading = context;
    struct bl_run_info run = bl_run_info_empty();
    const enum bl_status status = bl_history_take(history, statement, 2, BL_COLUMN_OF_RUN,
                                                  BL_COLUMN_OF_RUN, &run, NULL, error);
    return status == BL_OK
               ? reading->handle(reading->context, &run, (size_t)sqlite3_column_int64(statement, 0),
                                 (size_t)sqlite3_column_int64(statement, 1), error)
               : status;
}

enum bl_status bl_history_each_run(struct bl_history *history, const char *template,
                                   const char *const texts[], bl_history_run_handler *handle,
                                   void *context, struct bl_error *error)
{
    struct run_reading reading = {handle, context};
    return bl_history_each(history, template, texts, read_run, &reading, error);
}

enum bl_status bl_history_runs(struct bl_history *history, bl_history_run_handler *handle,
                               void *context, struct bl_error *error)
{
    return bl_history_each_run(
        history,
        "SELECT (SELECT count(*) FROM measured WHERE run = run.id),"
        " (SELECT count(*) FROM measured WHERE run = run.id AND measured IS NULL){run:, [@]} "
        "FROM run ORDER BY time_utc, id",
        NULL, handle, context, error);
}

struct row_reading {
    bl_row_handler *handle;
    void *context;
};

static enum bl_status read_row(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    const struct row_reading *reading = context;
    struct bl_run_info run = bl_run_info_empty();
    struct bl_row row = bl_row_empty();
    const enum bl_status status = bl_history_take(history, statement, 1, BL_COLUMN_OF_RUN,
                                                  BL_COLUMN_OF_ROW, &run, &row, error);
    run.schema = BL_CSV_SCHEMA; /* whatever its file had: the row has all columns of this one */
    return status == BL_OK ? reading->handle(reading->context, &run, &row,
                                             (size_t)sqlite3_column_int64(statement, 0), error)
                           : status;
}

enum bl_status bl_history_rows(struct bl_history *history, bl_row_handler *handle, void *context,
                               struct bl_error *error)
{
    struct row_reading reading = {handle, context};
    return bl_history_each(history,
                           BL_SELECT_ROWS "FROM run CROSS JOIN measured ON measured.run = run.id "
                                          "CROSS JOIN case_key ON case_key.id = measured.key "
                                          "ORDER BY run.time_utc, run.id, position, key",
                           NULL, read_row, &reading, error);
}

struct collecting {
    struct bl_run_info *runs;
    struct bl_row *points;
    size_t count, run_capacity, point_capacity;
    bool is_one_card;
    bl_series_handler *handle;
    void *context;
};

static enum bl_status end_series(struct collecting *all, struct bl_error *error)
{
    const struct bl_series series = {all->runs, all->points, all->count};
    all->count = 0;
    return series.count > 0 ? all->handle(all->context, &series, error) : BL_OK;
}

static enum bl_status collect(void *context, const struct bl_run_info *run,
                              const struct bl_row *row, size_t position, struct bl_error *error)
{
    (void)position;
    struct collecting *all = context;
    enum bl_status status = BL_OK;
    if (all->count > 0 &&
        (bl_row_key_compare(&all->points[0].key, &row->key) != 0 ||
         strcmp(all->runs[0].device, run->device) != 0 ||
         (!all->is_one_card && strcmp(all->runs[0].device_id, run->device_id) != 0)))
        status = end_series(all, error);
    if (status != BL_OK)
        return status;
    struct bl_run_info *runs =
        bl_array_grow(all->runs, all->count, &all->run_capacity, sizeof *runs);
    if (runs)
        all->runs = runs;
    struct bl_row *points =
        bl_array_grow(all->points, all->count, &all->point_capacity, sizeof *points);
    if (points)
        all->points = points;
    if (!runs || !points)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu points", all->count + 1);
    runs[all->count] = *run;
    points[all->count++] = *row;
    return BL_OK;
}

enum bl_status bl_history_each_series(struct bl_history *history, const char *template,
                                      const char *const texts[], bool is_one_card,
                                      bl_series_handler *handle, void *context,
                                      struct bl_error *error)
{
    struct collecting all = {.is_one_card = is_one_card, .handle = handle, .context = context};
    struct row_reading reading = {collect, &all};
    enum bl_status status = bl_history_each(history, template, texts, read_row, &reading, error);
    if (status == BL_OK)
        status = end_series(&all, error);
    free(all.runs);
    free(all.points);
    return status;
}

/* Cards whose device_id begins so. */
struct cards {
    size_t count;
    char name[64]; /* of the first, which is one of this very name where there is one */
};

static enum bl_status take_card(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                struct bl_error *error)
{
    (void)history, (void)error;
    struct cards *cards = context;
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    if (cards->count++ == 0)
        snprintf(cards->name, sizeof cards->name, "%.63s", name ? name : "");
    return BL_OK;
}

static enum bl_status find_cards(struct bl_history *history, const char *name, struct cards *cards,
                                 struct bl_error *error)
{
    const char *texts[] = {name, NULL};
    *cards = (struct cards){0};
    const enum bl_status status = bl_history_each(
        history,
        "SELECT DISTINCT device_id FROM run WHERE device_id >= ?1 AND device_id < ?1 || "
        "char(0x10ffff) ORDER BY device_id LIMIT 2",
        texts, take_card, cards, error);
    return status == BL_OK && cards->count > 1 && strcmp(cards->name, name) != 0
               ? bl_fail(error, BL_USAGE, "several cards' device_id begins with '%s', as %s", name,
                         cards->name)
               : status;
}

enum bl_status bl_history_series(struct bl_history *history, const char *case_glob,
                                 const char *device, bl_series_handler *handle, void *context,
                                 struct bl_error *error)
{
    const char *texts[] = {case_glob, device, NULL};
    struct cards cards = {0};
    const enum bl_status status = device ? find_cards(history, device, &cards, error) : BL_OK;
    if (status != BL_OK)
        return status;
    if (cards.count > 0)
        texts[1] = cards.name;
    if (cards.count > 0) /* by its runs: a fleet's history has far more rows of the case */
        return bl_history_each_series(
            history,
            BL_SELECT_ROWS
            "FROM case_key CROSS JOIN run CROSS JOIN measured ON measured.run = "
            "run.id AND measured.key = case_key.id WHERE ([case] = ?1 OR [case] "
            "GLOB ?1) AND run.id IN (SELECT id FROM run WHERE device_id = ?2) " BL_BY_SERIES,
            texts, false, handle, context, error);
    return bl_history_each_series(history,
                                  BL_SELECT_POINTS "WHERE ([case] = ?1 OR [case] GLOB ?1) AND "
                                                   "(?2 IS NULL OR device = ?2) " BL_BY_SERIES,
                                  texts, false, handle, context, error);
}
