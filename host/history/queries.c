#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/internal.h"

enum bl_status bl_history_runs(struct bl_history *history, bl_history_run_handler *handle,
                               void *context, struct bl_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum bl_status status =
        bl_history_prepare(history,
                           "SELECT run_id, time_utc, tool_version, host, device, driver, "
                           "(SELECT count(*) FROM measured WHERE run = run.id), "
                           "(SELECT count(*) FROM measured WHERE run = run.id AND ratio IS NULL) "
                           "FROM run ORDER BY time_utc, id",
                           NULL, &statement, error);
    int code = SQLITE_DONE;
    while (status == BL_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct bl_history_run run = {
            .run_id = bl_history_text(statement, 0),
            .time_utc = bl_history_text(statement, 1),
            .tool_version = bl_history_text(statement, 2),
            .host = bl_history_text(statement, 3),
            .device = bl_history_text(statement, 4),
            .driver = bl_history_text(statement, 5),
            .rows = (unsigned)sqlite3_column_int(statement, 6),
            .without_number = (unsigned)sqlite3_column_int(statement, 7),
        };
        handle(context, &run);
    }
    if (status == BL_OK && code != SQLITE_DONE)
        status = bl_history_fail(history, error);
    sqlite3_finalize(statement);
    return status;
}

enum bl_status bl_history_points(struct bl_history *history, const char *case_glob,
                                 const char *device, bl_history_point_handler *handle,
                                 void *context, struct bl_error *error)
{
    /* An id is looked up in the index; a glob looks at every key, of which there are few. */
    const bool is_glob = strpbrk(case_glob, "*?[") != NULL;
    const char *sql =
        is_glob
            ? "SELECT run_id, time_utc, tool_version, device, driver, case_key.key, ratio, lo, hi, "
              "reason FROM case_key JOIN measured ON measured.key = case_key.id "
              "JOIN run ON run.id = measured.run "
              "WHERE case_id GLOB ?1 AND (?2 = '' OR device = ?2) "
              "ORDER BY device, case_key.key, time_utc, run.id"
            : "SELECT run_id, time_utc, tool_version, device, driver, case_key.key, ratio, lo, hi, "
              "reason FROM case_key JOIN measured ON measured.key = case_key.id "
              "JOIN run ON run.id = measured.run "
              "WHERE case_id = ?1 AND (?2 = '' OR device = ?2) "
              "ORDER BY device, case_key.key, time_utc, run.id";
    const char *texts[] = {case_glob, device ? device : "", NULL};
    sqlite3_stmt *statement = NULL;
    enum bl_status status = bl_history_prepare(history, sql, texts, &statement, error);
    int code = SQLITE_DONE;
    while (status == BL_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct bl_history_point point = {
            .run_id = bl_history_text(statement, 0),
            .time_utc = bl_history_text(statement, 1),
            .tool_version = bl_history_text(statement, 2),
            .device = bl_history_text(statement, 3),
            .driver = bl_history_text(statement, 4),
            .key = bl_history_text(statement, 5),
            .ratio = bl_history_number(statement, 6),
            .lo = bl_history_number(statement, 7),
            .hi = bl_history_number(statement, 8),
            .reason = bl_history_text(statement, 9),
        };
        handle(context, &point);
    }
    if (status == BL_OK && code != SQLITE_DONE)
        status = bl_history_fail(history, error);
    sqlite3_finalize(statement);
    return status;
}

enum { MAX_TYPICAL_RUNS = 100 };

struct typical_row {
    double ratios[MAX_TYPICAL_RUNS], rates[MAX_TYPICAL_RUNS];
    double halves[MAX_TYPICAL_RUNS]; /* half-widths of their own intervals, in logarithms */
    size_t count, rate_count;
    char reason[512]; /* of the last run in which it had no number */
};

static double median_deviation(const double values[], size_t n, double median)
{
    double deviations[MAX_TYPICAL_RUNS];
    for (size_t i = 0; i < n; i++)
        deviations[i] = fabs(log(values[i]) - log(median));
    return bl_median(deviations, n);
}

static enum bl_status add_typical(struct bl_run_file *typical, const char *key,
                                  struct typical_row *from, struct bl_error *error)
{
    if (typical->count == typical->capacity) {
        const size_t capacity = typical->capacity ? 2 * typical->capacity : 256;
        struct bl_run_row *more = realloc(typical->rows, capacity * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", capacity);
        typical->rows = more;
        typical->capacity = capacity;
    }
    struct bl_run_row *row = &typical->rows[typical->count];
    *row = (struct bl_run_row){.key = strdup(key), .rate = NAN};
    if (!row->key)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a row");
    typical->count++;
    if (from->count == 0) {
        row->ratio.median = NAN;
        row->reason = strdup(from->reason);
        return row->reason ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for a row");
    }
    const double median = bl_median(from->ratios, from->count);
    /* 1.4826 scales a normal distribution's median absolute deviation to its standard deviation. */
    const double spread = 1.96 * 1.4826 * median_deviation(from->ratios, from->count, median);
    const double half = fmax(spread, bl_median(from->halves, from->count));
    row->ratio = (struct bl_interval){median, median * exp(-half), median * exp(half), true};
    if (from->rate_count > 0)
        row->rate = bl_median(from->rates, from->rate_count);
    return BL_OK;
}

static void add_point(struct typical_row *row, sqlite3_stmt *statement)
{
    const double ratio = bl_history_number(statement, 1), lo = bl_history_number(statement, 2);
    const double hi = bl_history_number(statement, 3), rate = bl_history_number(statement, 4);
    if (!isfinite(ratio))
        snprintf(row->reason, sizeof row->reason, "%s", bl_history_text(statement, 5));
    if (!isfinite(ratio) || row->count == MAX_TYPICAL_RUNS)
        return;
    row->halves[row->count] = (log(hi) - log(lo)) / 2;
    row->ratios[row->count++] = ratio;
    if (isfinite(rate))
        row->rates[row->rate_count++] = rate;
}

/* The runs that are meant, newest first. */
#define LAST_RUNS                                                                           \
    "(SELECT id FROM run WHERE device = ?1 AND run_id <> ?2 AND time_utc <= ?3 AND EXISTS " \
    "(SELECT 1 FROM measured WHERE measured.run = run.id AND ratio IS NOT NULL) "           \
    "ORDER BY time_utc DESC, id DESC LIMIT ?4)"

static enum bl_status last_runs(struct bl_history *history, const char *const texts[],
                                unsigned *runs, struct bl_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum bl_status status =
        bl_history_prepare(history, "SELECT count(*) FROM " LAST_RUNS, texts, &statement, error);
    if (status == BL_OK && sqlite3_step(statement) != SQLITE_ROW)
        status = bl_history_fail(history, error);
    if (status == BL_OK)
        *runs = (unsigned)sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

/* What the newest of them says of the machine that it ran on. */
static enum bl_status describe_newest(struct bl_history *history, const char *const texts[],
                                      struct bl_row *about, struct bl_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum bl_status status = bl_history_prepare(
        history,
        "SELECT run_id, time_utc, tool_version, host, driver, os, cpu, governor FROM run "
        "WHERE id IN " LAST_RUNS " ORDER BY time_utc DESC, id DESC LIMIT 1",
        texts, &statement, error);
    const int code = status == BL_OK ? sqlite3_step(statement) : SQLITE_DONE;
    if (code == SQLITE_ROW) {
        const struct {
            char *to;
            size_t capacity;
        } fields[] = {{about->run_id, sizeof about->run_id},
                      {about->time_utc, sizeof about->time_utc},
                      {about->tool_version, sizeof about->tool_version},
                      {about->host, sizeof about->host},
                      {about->driver, sizeof about->driver},
                      {about->os, sizeof about->os},
                      {about->cpu, sizeof about->cpu},
                      {about->governor, sizeof about->governor}};
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
            snprintf(fields[i].to, fields[i].capacity, "%s", bl_history_text(statement, (int)i));
    } else if (code != SQLITE_DONE) {
        status = bl_history_fail(history, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Reads the points of all rows, key by key. */
static enum bl_status gather(struct bl_history *history, sqlite3_stmt *statement,
                             struct typical_row *row, struct bl_run_file *typical,
                             struct bl_error *error)
{
    char *key = NULL;
    enum bl_status status = BL_OK;
    int code = SQLITE_DONE;
    while (status == BL_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *own = bl_history_text(statement, 0);
        if (!key || strcmp(key, own) != 0) {
            if (key)
                status = add_typical(typical, key, row, error);
            *row = (struct typical_row){0};
            free(key);
            key = strdup(own);
            if (!key && status == BL_OK)
                status = bl_fail(error, BL_NO_MEMORY, "no memory for a row");
        }
        add_point(row, statement);
    }
    if (status == BL_OK && code != SQLITE_DONE)
        status = bl_history_fail(history, error);
    if (status == BL_OK && key)
        status = add_typical(typical, key, row, error);
    free(key);
    return status;
}

enum bl_status bl_history_typical(struct bl_history *history, const struct bl_row *about,
                                  unsigned max, struct bl_run_file *typical, unsigned *runs,
                                  struct bl_error *error)
{
    *typical = (struct bl_run_file){.about = *about, .min_mhz = NAN, .max_mhz = NAN};
    *runs = 0;
    char limit[16];
    snprintf(limit, sizeof limit, "%u", max < MAX_TYPICAL_RUNS ? max : MAX_TYPICAL_RUNS);
    const char *texts[] = {about->device, about->run_id, about->time_utc, limit, NULL};
    enum bl_status status = last_runs(history, texts, runs, error);
    if (status == BL_OK)
        status = describe_newest(history, texts, &typical->about, error);
    sqlite3_stmt *statement = NULL;
    if (status == BL_OK)
        status =
            bl_history_prepare(history,
                               "SELECT case_key.key, ratio, lo, hi, rate, reason FROM measured "
                               "JOIN case_key ON case_key.id = measured.key "
                               "WHERE run IN " LAST_RUNS " ORDER BY case_key.key",
                               texts, &statement, error);
    struct typical_row *row = calloc(1, sizeof *row);
    if (status == BL_OK)
        status = row ? gather(history, statement, row, typical, error)
                     : bl_fail(error, BL_NO_MEMORY, "no memory for a row");
    free(row);
    sqlite3_finalize(statement);
    return status;
}
