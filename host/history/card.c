/* What one card has in the history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/internal.h"
#include "measure/stats.h"

/* The runs of card ?1, or where that is "" of device ?2 on host ?3. */
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
                           key->shape,      numbers[0],   numbers[1], key->machine, NULL};
    return bl_history_each_series(
        history,
        BL_SELECT_ROWS
        "FROM case_key CROSS JOIN run CROSS JOIN measured ON measured.run = run.id AND "
        "measured.key = case_key.id WHERE run.id IN (SELECT id " RUNS_OF_CARD
        ") AND [case] = ?4 AND type = ?5 AND shape = ?6 AND lanes = "
        "CAST(?7 AS INTEGER) AND working_set_bytes = CAST(?8 AS INTEGER) AND "
        "machine = ?9 ORDER BY time_utc, run.id",
        texts, true, handle, context, error);
}

/* A row's own time in a run. */
struct timed {
    sqlite3_int64 key;
    double time; /* its logarithm */
    char kernels[sizeof((struct bl_row *)0)->kernels];
};

struct speeds {
    struct timed *last; /* of the newest run, by key */
    size_t last_count, last_capacity;
    sqlite3_int64 run;   /* that is being read */
    char time_utc[32];   /* of it */
    double *differences; /* from the newest run's */
    size_t count, capacity;
    double threshold;
    char *since;
    bool *is_first;
    bool is_over;
};

/* Of the run that was read: whether it is at the newest one's level. */
static void judge(struct speeds *speeds)
{
    if (speeds->count > 0 && !speeds->is_over) {
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
    const char *time_utc = (const char *)sqlite3_column_text(statement, 1),
               *kernels = (const char *)sqlite3_column_text(statement, 4);
    struct timed timed = {.key = sqlite3_column_int64(statement, 2),
                          .time = log(sqlite3_column_double(statement, 3))};
    snprintf(timed.kernels, sizeof timed.kernels, "%s", kernels ? kernels : "");
    if (run != speeds->run)
        judge(speeds);
    const bool is_newest = speeds->run == 0 || (run == speeds->run && !speeds->since[0]);
    speeds->run = run;
    snprintf(speeds->time_utc, sizeof speeds->time_utc, "%.31s", time_utc ? time_utc : "");
    if (speeds->is_over)
        return BL_OK;
    if (is_newest) { /* rows come by key */
        struct timed *more =
            bl_array_grow(speeds->last, speeds->last_count, &speeds->last_capacity, sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for a run's times");
        speeds->last = more;
        more[speeds->last_count++] = timed;
    }
    const struct timed *last =
        bsearch(&timed, speeds->last, speeds->last_count, sizeof timed, by_key);
    if (!last || strcmp(last->kernels, timed.kernels) != 0)
        return BL_OK;
    double *more =
        bl_array_grow(speeds->differences, speeds->count, &speeds->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run's times");
    speeds->differences = more;
    more[speeds->count++] = timed.time - last->time;
    return BL_OK;
}

enum bl_status bl_history_speed_since(struct bl_history *history, const struct bl_run_info *card,
                                      double threshold, char since[32], bool *is_first,
                                      struct bl_error *error)
{
    struct speeds speeds = {.threshold = threshold, .since = since, .is_first = is_first};
    const char *texts[] = {card->device_id, card->device, card->host, NULL};
    *since = '\0';
    *is_first = false;
    enum bl_status status = bl_history_each(
        history,
        "SELECT run.id, time_utc, measured.key, case_ns, kernels FROM run CROSS JOIN measured ON "
        "measured.run = run.id WHERE run.id IN (SELECT id " RUNS_OF_CARD
        ") AND case_ns > 0 ORDER BY time_utc DESC, run.id DESC, measured.key",
        texts, take_time, &speeds, error);
    if (status == BL_OK)
        judge(&speeds);
    free(speeds.last);
    free(speeds.differences);
    return status;
}
