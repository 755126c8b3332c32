/* A case in the nights of a fleet: of many cards nobody reads every measurement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/internal.h"
#include "measure/outliers.h"

struct reading {
    struct bl_fleet_night night; /* that is being read */
    double *values;
    size_t capacity;
    char card[64]; /* that is being read; its last run of a night counts */
    double ratio;  /* 0: there is none */
    bl_fleet_night_handler *handle;
    void *context;
};

static enum bl_status end_card(struct reading *reading, struct bl_error *error)
{
    struct bl_fleet_night *night = &reading->night;
    const double ratio = reading->ratio;
    if (ratio == 0)
        return BL_OK;
    double *more = bl_array_grow(reading->values, night->cards, &reading->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a night of %zu cards", night->cards);
    reading->values = more;
    more[night->cards++] = log(ratio);
    if (ratio < night->lowest) {
        night->lowest = ratio;
        memcpy(night->lowest_card, reading->card, sizeof night->lowest_card);
    }
    if (ratio > night->highest) {
        night->highest = ratio;
        memcpy(night->highest_card, reading->card, sizeof night->highest_card);
    }
    reading->ratio = 0;
    return BL_OK;
}

static enum bl_status end_night(struct reading *reading, struct bl_error *error)
{
    struct bl_fleet_night *night = &reading->night;
    enum bl_status status = end_card(reading, error);
    if (status != BL_OK || night->cards == 0)
        return status;
    const struct bl_usual usual = bl_usual_of(reading->values, night->cards);
    night->median = exp(usual.median);
    night->spread = usual.sd;
    status = reading->handle(reading->context, night, error);
    night->cards = 0;
    return status;
}

static enum bl_status take(struct bl_history *history, sqlite3_stmt *statement, void *context,
                           struct bl_error *error)
{
    struct reading *reading = context;
    struct bl_fleet_night *night = &reading->night;
    struct bl_row row = bl_row_empty();
    const char *date = (const char *)sqlite3_column_text(statement, 0),
               *device = (const char *)sqlite3_column_text(statement, 1),
               *card = (const char *)sqlite3_column_text(statement, 2);
    enum bl_status status = bl_history_take(history, statement, 4, BL_COLUMN_OF_KEY,
                                            BL_COLUMN_OF_KEY, NULL, &row, error);
    if (status != BL_OK)
        return status;
    if (!date || !device || !card)
        return bl_history_fail(history, error);
    const bool is_same = strcmp(night->date, date) == 0 && strcmp(night->device, device) == 0 &&
                         bl_row_key_compare(&night->key, &row.key) == 0;
    if (!is_same)
        status = end_night(reading, error);
    else if (strcmp(reading->card, card) != 0)
        status = end_card(reading, error);
    if (!is_same) {
        *night = (struct bl_fleet_night){.key = row.key, .lowest = INFINITY, .highest = -INFINITY};
        snprintf(night->date, sizeof night->date, "%s", date);
        snprintf(night->device, sizeof night->device, "%s", device);
    }
    snprintf(reading->card, sizeof reading->card, "%s", card);
    reading->ratio = sqlite3_column_double(statement, 3);
    return status;
}

enum bl_status bl_history_fleet_nights(struct bl_history *history, const char *case_glob,
                                       bl_fleet_night_handler *handle, void *context,
                                       struct bl_error *error)
{
    struct reading reading = {.handle = handle, .context = context};
    const char *texts[] = {case_glob, NULL};
    enum bl_status status = bl_history_each(
        history,
        "SELECT substr(time_utc, 1, 10) AS date, ifnull(device, ''), ifnull(device_id, host), "
        "measured{key:, case_key.[@]} FROM case_key CROSS JOIN run CROSS JOIN measured ON "
        "measured.run = run.id AND measured.key = case_key.id "
        "WHERE ([case] = ?1 OR [case] GLOB ?1) AND measured > 0 AND time_utc >= "
        "(SELECT strftime('%Y-%m-%d', time_utc, '-6 days') FROM run WHERE "
        "time_utc <= " BL_TOMORROW " AND julianday(time_utc) IS NOT NULL ORDER BY time_utc DESC "
        "LIMIT 1) AND time_utc <= " BL_TOMORROW
        " ORDER BY device, case_key.id, date, ifnull(device_id, host), time_utc, run.id",
        texts, take, &reading, error);
    if (status == BL_OK)
        status = end_night(&reading, error);
    free(reading.values);
    return status;
}

static enum bl_status take_count(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                 struct bl_error *error)
{
    (void)history, (void)error;
    *(size_t *)context = (size_t)sqlite3_column_int64(statement, 0);
    return BL_OK;
}

enum bl_status bl_history_has_fleet(struct bl_history *history, bool *has, struct bl_error *error)
{
    size_t count = 0;
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM (SELECT DISTINCT device_id FROM run WHERE device_id IS NOT NULL "
             "LIMIT %d)",
             BL_FEW_CARDS + 1);
    const enum bl_status status = bl_history_each(history, sql, NULL, take_count, &count, error);
    *has = count > BL_FEW_CARDS;
    return status;
}
