/* Reads runs, rows, series and a fleet's nights from the database. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/statements.h"
#include "measure/stats.h"

/* Makes SQLite loop over the keys, then over the runs, and look up the row of each key and run. */
#define FROM_CASES_BY_RUN                                                            \
    "FROM case_key CROSS JOIN run CROSS JOIN measured ON measured.run = run.id AND " \
    "measured.key = case_key.id "
#define SELECT_POINTS_BY_RUN BL_SELECT_ROWS FROM_CASES_BY_RUN
/* Selects the device with name ?2 or, if there is none, devices whose name or platform contains ?2,
 * ignoring case. */
#define IS_DEVICE                                                                          \
    "device = ?2 OR (NOT EXISTS (SELECT 1 FROM run AS named WHERE named.device = ?2) AND " \
    "instr(lower(device) || char(10) || lower(platform), lower(?2)) > 0)"
#define CASE_MATCHES "([case] = ?1 OR [case] GLOB ?1 OR [case] GLOB ?1 || '/*')"

/* The runs and rows of one card. */

/* Selects the runs of card ?1 of device ?2. If ?1 is "", selects the runs of device ?2 on host ?3
 * that have no device_id. */
#define RUNS_OF_CARD                                                                       \
    "FROM run WHERE ((?1 <> '' AND device_id = ?1) OR (?1 = '' AND device_id IS NULL AND " \
    "host = ?3)) AND device = ?2 "

enum bl_status bl_history_series_of_card(struct bl_history *history, const struct bl_run_info *card,
                                         const struct bl_row_key *key, bl_series_handler *handle,
                                         void *context, struct bl_error *error)
{
    char numbers[2][24];
    snprintf(numbers[0], sizeof numbers[0], "%u", key->lanes);
    snprintf(numbers[1], sizeof numbers[1], "%llu", (unsigned long long)key->working_set_bytes);
    const char *texts[] = {card->device_id, card->device, card->host, key->case_id, key->type,
                           key->shape,      numbers[0],   numbers[1], NULL};
    return bl_history_each_series(history,
                                  SELECT_POINTS_BY_RUN
                                  "WHERE run.id IN (SELECT id " RUNS_OF_CARD
                                  ") AND [case] = ?4 AND type = ?5 AND shape = ?6 AND lanes = "
                                  "CAST(?7 AS INTEGER) AND working_set_bytes = CAST(?8 AS INTEGER) "
                                  "ORDER BY time_utc, run.id",
                                  texts, true, handle, context, error);
}

size_t bl_end_of_numbers(const struct bl_series *series, size_t count)
{
    while (count > 0 && !bl_row_has_number(&series->points[count - 1]))
        count--;
    return count;
}

struct counting_lacking {
    const struct bl_series *series;
    size_t end; /* bl_end_of_numbers of the series */
    bool requires_all;
    struct bl_lacking_runs *lacking;
};

/* Counts a run that comes after the row's last number and lacks the row, if the run was asked for
 * the row or all rows are required. */
static enum bl_status count_later(void *context, const struct bl_run_info *run, size_t has_suite,
                                  size_t without_number, struct bl_error *error)
{
    (void)without_number;
    (void)error;
    const struct counting_lacking *counting = context;
    const struct bl_series *series = counting->series;
    struct bl_lacking_runs *lacking = counting->lacking;
    for (size_t i = counting->end; i < series->count; i++)
        if (strcmp(series->runs[i].run_id, run->run_id) == 0)
            return BL_OK;
    if ((counting->requires_all ||
         bl_run_asked_for(run, series->points[0].key.case_id, has_suite > 0)) &&
        lacking->count++ == 0)
        snprintf(lacking->first, sizeof lacking->first, "%s", run->time_utc);
    return BL_OK;
}

/* The series has a point for each run that has the row, with or without a number. */
enum bl_status bl_history_lacking_runs(struct bl_history *history, const struct bl_series *series,
                                       bool requires_all, struct bl_lacking_runs *lacking,
                                       struct bl_error *error)
{
    const size_t end = bl_end_of_numbers(series, series->count);
    const struct bl_run_info *run = &series->runs[end > 0 ? end - 1 : 0];
    struct counting_lacking counting = {series, end, requires_all, lacking};
    char suite[BL_SUITE_BYTES];
    bl_suite_of(series->points[0].key.case_id, suite);
    const char *const texts[] = {run->device_id, run->device, run->host, run->run_id, suite, NULL};
    *lacking = (struct bl_lacking_runs){0};
    const enum bl_status status = bl_history_each_run(
        history,
        "SELECT EXISTS (SELECT 1 FROM measured JOIN case_key ON case_key.id = key WHERE "
        "measured.run = run.id AND [case] GLOB ?5 || '/*'), 0{run:, [@]} " RUNS_OF_CARD
        "AND (ifnull(time_utc, ''), id) > "
        "(SELECT ifnull(time_utc, ''), id FROM run WHERE run_id = ?4) ORDER BY time_utc, id",
        texts, count_later, &counting, error);
    if (end < series->count &&
        (lacking->count == 0 || strcmp(series->runs[end].time_utc, lacking->first) < 0))
        snprintf(lacking->first, sizeof lacking->first, "%s", series->runs[end].time_utc);
    lacking->count += series->count - end;
    return status;
}

static enum bl_status keep_time(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)rows;
    (void)without_number;
    (void)error;
    snprintf(context, 64, "%s", run->time_utc);
    return BL_OK;
}

enum bl_status bl_history_later_run(struct bl_history *history, const struct bl_run_info *now,
                                    char later[64], struct bl_error *error)
{
    const char *const texts[] = {now->device, now->run_id, now->device_id, NULL};
    later[0] = '\0';
    const enum bl_status status = bl_history_each_run(
        history,
        "SELECT 0, 0{run:, [@]} FROM run WHERE ifnull(device, '') = ?1 AND run_id <> ?2 AND "
        "(?3 = '' OR ifnull(device_id, '') IN ('', ?3)) AND "
        "id < ifnull((SELECT id FROM run WHERE run_id = ?2), 9223372036854775807) "
        "ORDER BY id DESC LIMIT 1",
        texts, keep_time, later, error);
    if (strcmp(later, now->time_utc) <= 0)
        later[0] = '\0';
    return status;
}

/* The time of a row in a run. */
struct timed {
    sqlite3_int64 key;
    double time; /* logarithm of case_ns */
    char kernels[sizeof((struct bl_row *)0)->kernels];
};

struct speeds {
    struct timed *last; /* times of the newest run, with which earlier runs are compared, sorted by
                           key */
    size_t last_count, last_capacity;
    sqlite3_int64 run;   /* the run being read */
    char time_utc[32];   /* time of the run being read */
    double *differences; /* one per row: logarithm of (time in the run being read / time in
                            `last`) */
    size_t count, capacity;
    double threshold;
    char *since;
    bool *is_first;
    bool is_over;
};

/* Decides, after the last row of a run was read, whether the run was as fast as the newest run. */
static void judge(struct speeds *speeds)
{
    /* A run with few of the newest run's rows says little about the card's speed. */
    if (2 * speeds->count >= speeds->last_count && speeds->count > 0 && !speeds->is_over) {
        const double moved = bl_median(speeds->differences, speeds->count);
        speeds->is_over = fabs(expm1(moved)) > speeds->threshold;
        *speeds->is_first = !speeds->is_over;
        if (!speeds->is_over)
            strcpy(speeds->since, speeds->time_utc);
    }
    speeds->count = 0;
}

static int by_key(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static enum bl_status take_time(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                struct bl_error *error)
{
    (void)history;
    struct speeds *speeds = context;
    const sqlite3_int64 run = sqlite3_column_int64(statement, 0);
    struct timed timed = {.key = sqlite3_column_int64(statement, 2),
                          .time = log(sqlite3_column_double(statement, 3))};
    bl_history_text(statement, 4, timed.kernels, sizeof timed.kernels);
    if (run != speeds->run)
        judge(speeds);
    const bool is_newest = speeds->run == 0 || (run == speeds->run && !speeds->since[0]);
    speeds->run = run;
    bl_history_text(statement, 1, speeds->time_utc, sizeof speeds->time_utc);
    if (speeds->is_over)
        return BL_OK;
    if (is_newest) { /* rows are read in the order of their keys, so `last` stays sorted */
        struct timed *added = bl_array_append(&speeds->last, &speeds->last_count,
                                              &speeds->last_capacity, sizeof *added);
        if (!added)
            return bl_fail(error, BL_NO_MEMORY, "out of memory while reading a run's times");
        *added = timed;
    }
    const struct timed *last =
        bsearch(&timed, speeds->last, speeds->last_count, sizeof timed, by_key);
    if (!last || strcmp(last->kernels, timed.kernels) != 0)
        return BL_OK;
    double *difference = bl_array_append(&speeds->differences, &speeds->count, &speeds->capacity,
                                         sizeof *difference);
    if (!difference)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading a run's times");
    *difference = timed.time - last->time;
    return BL_OK;
}

enum bl_status bl_history_speed_since(struct bl_history *history, const struct bl_run_info *card,
                                      double threshold, char since[32], bool *is_first,
                                      struct bl_error *error)
{
    struct speeds speeds = {.threshold = threshold, .since = since, .is_first = is_first};
    const char *texts[] = {card->device_id, card->device, card->host, card->time_utc, NULL};
    *since = '\0';
    *is_first = false;
    enum bl_status status = bl_history_each(
        history,
        "WITH same AS MATERIALIZED (SELECT id, " BL_SAME_KEY "AS key FROM case_key) "
        "SELECT run.id, time_utc, same.key, case_ns, kernels FROM run CROSS JOIN measured ON "
        "measured.run = run.id JOIN same ON same.id = measured.key "
        "WHERE run.id IN (SELECT id " RUNS_OF_CARD
        "AND time_utc <= ?4) AND case_ns > 0 ORDER BY time_utc DESC, run.id DESC, same.key",
        texts, take_time, &speeds, error);
    if (status == BL_OK)
        judge(&speeds);
    free(speeds.last);
    free(speeds.differences);
    return status;
}

/* The nights of a fleet: a case's values are summarized for each night, because a person cannot
 * read every measurement of many cards. */

struct fleet_reading {
    struct bl_fleet_night night; /* the night being read */
    double *values;
    size_t capacity;
    char card[64]; /* the card being read; only its last run in a night counts */
    double ratio;  /* the ratio of this card; 0 until a ratio was read */
    bl_fleet_night_handler *handle;
    void *context;
};

static enum bl_status end_card(struct fleet_reading *reading, struct bl_error *error)
{
    struct bl_fleet_night *night = &reading->night;
    const double ratio = reading->ratio;
    if (ratio == 0)
        return BL_OK;
    double *value =
        bl_array_append(&reading->values, &night->cards, &reading->capacity, sizeof *value);
    if (!value)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading a night of %zu cards",
                       night->cards);
    *value = log(ratio);
    if (ratio < night->lowest)
        memcpy(night->lowest_card, reading->card, sizeof night->lowest_card);
    if (ratio > night->highest)
        memcpy(night->highest_card, reading->card, sizeof night->highest_card);
    night->lowest = fmin(night->lowest, ratio);
    night->highest = fmax(night->highest, ratio);
    reading->ratio = 0;
    return BL_OK;
}

static enum bl_status end_night(struct fleet_reading *reading, struct bl_error *error)
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
    struct fleet_reading *reading = context;
    struct bl_fleet_night *night = &reading->night;
    struct bl_row row = bl_row_empty();
    const char *date = (const char *)sqlite3_column_text(statement, 0),
               *device = (const char *)sqlite3_column_text(statement, 1),
               *card = (const char *)sqlite3_column_text(statement, 2);
    enum bl_status status =
        bl_history_take(history, statement, 4, BL_KEY_COLUMNS, NULL, &row, error);
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
    struct fleet_reading reading = {.handle = handle, .context = context};
    const char *texts[] = {case_glob, NULL};
    enum bl_status status = bl_history_each(
        history,
        "SELECT substr(time_utc, 1, 10) AS date, ifnull(device, ''), ifnull(device_id, host), "
        "measured{key:, case_key.[@]} " FROM_CASES_BY_RUN "WHERE " CASE_MATCHES
        " AND measured > 0 AND time_utc >= "
        "(SELECT strftime('%Y-%m-%d', time_utc, '-6 days') FROM run WHERE "
        "time_utc <= " BL_TOMORROW " AND julianday(time_utc) IS NOT NULL ORDER BY time_utc DESC "
        "LIMIT 1) AND time_utc <= " BL_TOMORROW " ORDER BY device, " BL_ROW_KEY
        ", date, ifnull(device_id, host), time_utc, run.id",
        texts, take, &reading, error);
    if (status == BL_OK)
        status = end_night(&reading, error);
    free(reading.values);
    return status;
}

enum bl_status bl_history_has_fleet(struct bl_history *history, bool *has, struct bl_error *error)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) > %d FROM (SELECT DISTINCT device_id FROM run "
             "WHERE device_id IS NOT NULL LIMIT %d)",
             BL_FEW_CARDS, BL_FEW_CARDS + 1);
    int is_more = 0;
    const enum bl_status status = bl_history_ask(history, sql, NULL, &is_more, error);
    *has = is_more;
    return status;
}

/* The handler to call: either `runs` or `rows`; the other member is NULL. */
struct calling {
    bl_history_run_handler *runs;
    bl_row_handler *rows;
    void *context;
};

static enum bl_status read_run(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    const struct calling *calling = context;
    struct bl_run_info run = bl_run_info_empty();
    const enum bl_status status =
        bl_history_take(history, statement, 2, BL_RUN_COLUMNS, &run, NULL, error);
    return status == BL_OK
               ? calling->runs(calling->context, &run, (size_t)sqlite3_column_int64(statement, 0),
                               (size_t)sqlite3_column_int64(statement, 1), error)
               : status;
}

enum bl_status bl_history_each_run(struct bl_history *history, const char *template,
                                   const char *const texts[], bl_history_run_handler *handle,
                                   void *context, struct bl_error *error)
{
    struct calling calling = {.runs = handle, .context = context};
    return bl_history_each(history, template, texts, read_run, &calling, error);
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

static enum bl_status read_row(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    const struct calling *calling = context;
    struct bl_run_info run = bl_run_info_empty();
    struct bl_row row = bl_row_empty();
    const enum bl_status status = bl_history_take(
        history, statement, 1, BL_RUN_COLUMNS | BL_KEY_COLUMNS | BL_ROW_COLUMNS, &run, &row, error);
    run.schema = BL_CSV_SCHEMA; /* exported rows have the columns of the present schema */
    return status == BL_OK ? calling->rows(calling->context, &run, &row,
                                           (size_t)sqlite3_column_int64(statement, 0), error)
                           : status;
}

enum bl_status bl_history_rows(struct bl_history *history, bl_row_handler *handle, void *context,
                               struct bl_error *error)
{
    struct calling calling = {.rows = handle, .context = context};
    return bl_history_each(history,
                           BL_SELECT_ROWS "FROM run CROSS JOIN measured ON measured.run = run.id "
                                          "CROSS JOIN case_key ON case_key.id = measured.key "
                                          "ORDER BY run.time_utc, run.id, position, key",
                           NULL, read_row, &calling, error);
}

struct collecting {
    struct bl_run_info *runs;
    struct bl_row *points;
    size_t count, run_capacity, point_count, point_capacity;
    bool is_one_card;
    bl_series_handler *handle;
    void *context;
};

static enum bl_status end_series(struct collecting *all, struct bl_error *error)
{
    const struct bl_series series = {all->runs, all->points, all->count};
    all->count = all->point_count = 0;
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
    struct bl_row *point =
        bl_array_append(&all->points, &all->point_count, &all->point_capacity, sizeof *point);
    struct bl_run_info *of =
        point ? bl_array_append(&all->runs, &all->count, &all->run_capacity, sizeof *of) : NULL;
    if (!of)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading %zu points",
                       all->count + 1);
    *of = *run;
    *point = *row;
    return BL_OK;
}

enum bl_status bl_history_each_series(struct bl_history *history, const char *template,
                                      const char *const texts[], bool is_one_card,
                                      bl_series_handler *handle, void *context,
                                      struct bl_error *error)
{
    struct collecting all = {.is_one_card = is_one_card, .handle = handle, .context = context};
    struct calling calling = {.rows = collect, .context = &all};
    enum bl_status status = bl_history_each(history, template, texts, read_row, &calling, error);
    if (status == BL_OK)
        status = end_series(&all, error);
    free(all.runs);
    free(all.points);
    return status;
}

/* Cards whose device_id begins with a text. */
struct cards {
    size_t count;
    char name[64]; /* the first of these device_ids in alphabetical order; equal to the text if any
                      device_id is */
};

static enum bl_status take_card(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                struct bl_error *error)
{
    (void)history, (void)error;
    struct cards *cards = context;
    if (cards->count++ == 0)
        bl_history_text(statement, 0, cards->name, sizeof cards->name);
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
               ? bl_fail(
                     error, BL_USAGE,
                     "'%s' is ambiguous: more than one card's device_id starts with it, such as %s",
                     name, cards->name)
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
    /* For a single card, the query looks up the rows of the card's runs one by one, because in a
     * fleet's history most rows of the case belong to other cards. */
    static const char of_card[] = SELECT_POINTS_BY_RUN
        "WHERE " CASE_MATCHES
        " AND run.id IN (SELECT id FROM run WHERE device_id = ?2) " BL_BY_SERIES,
                      of_device[] = BL_SELECT_POINTS
                      "WHERE " CASE_MATCHES " AND (?2 IS NULL OR " IS_DEVICE ") " BL_BY_SERIES;
    if (cards.count > 0)
        texts[1] = cards.name;
    return bl_history_each_series(history, cards.count > 0 ? of_card : of_device, texts, false,
                                  handle, context, error);
}
