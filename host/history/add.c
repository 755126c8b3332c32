/* Adds the runs of a CSV file. Rows are first collected in temporary tables, so that a file that
 * arrives slowly through a pipe does not block other writers. */
#include <string.h>

#include "history/statements.h"

struct incoming {
    struct bl_history *history;
    sqlite3_stmt *find_run, *check_time, *insert_run, *insert_row;
    struct bl_run_info run; /* the run of the row that was read last */
    sqlite3_int64 run_line; /* line of the file in which that run begins */
};

static const char collect[] =
    "BEGIN;"
    "CREATE TEMP TABLE incoming_run (line INTEGER PRIMARY KEY{run:, [@] #});"
    "CREATE UNIQUE INDEX temp.incoming_run_once ON incoming_run (run_id);"
    "CREATE TEMP TABLE incoming (line INTEGER PRIMARY KEY, run INTEGER{key:, [@] #}{row:, [@] #},"
    " UNIQUE (run, " BL_ROW_KEY "));";

static const char forget[] =
    "DROP TABLE IF EXISTS temp.incoming; DROP TABLE IF EXISTS temp.incoming_run";

/* Rejects a time that is empty or not of the form 2026-01-31T02:00:00Z, has a day or hour that does
 * not exist, lies before 2009, when OpenCL appeared, or lies more than a day in the future. */
static enum bl_status check_time(struct incoming *incoming, const char *time_utc, size_t line,
                                 struct bl_error *error)
{
    sqlite3_stmt *check = incoming->check_time;
    sqlite3_bind_text(check, 1, time_utc, -1, SQLITE_STATIC);
    bool is_time = false, is_past = false, is_early = false;
    if (sqlite3_step(check) == SQLITE_ROW) {
        is_time = sqlite3_column_int(check, 0) != 0;
        is_past = sqlite3_column_int(check, 1) != 0;
        is_early = sqlite3_column_int(check, 2) != 0;
    }
    if (sqlite3_reset(check) != SQLITE_OK)
        return bl_history_fail(incoming->history, error);
    if (!is_time)
        return bl_fail(error, BL_BAD_FORMAT,
                       "line %zu: time_utc '%s': expected a time such as 2026-01-31T02:00:00Z",
                       line, time_utc);
    if (is_early)
        return bl_fail(error, BL_BAD_FORMAT,
                       "line %zu: time_utc '%s' is older than OpenCL: the clock was wrong", line,
                       time_utc);
    if (!is_past)
        return bl_fail(error, BL_BAD_FORMAT, "line %zu: time_utc '%s' lies in the future", line,
                       time_utc);
    return BL_OK;
}

/* Makes incoming->run the run of the row on this line: a run that earlier rows of the file added
 * or, if there is none, a new run. */
static enum bl_status change_run(struct incoming *incoming, const struct bl_run_info *info,
                                 size_t line, struct bl_error *error)
{
    struct bl_history *history = incoming->history;
    sqlite3_stmt *find = incoming->find_run;
    enum bl_status status = BL_OK;
    incoming->run = bl_run_info_empty();
    sqlite3_bind_text(find, 1, info->run_id, -1, SQLITE_STATIC);
    const bool is_there = sqlite3_step(find) == SQLITE_ROW;
    incoming->run_line = is_there ? sqlite3_column_int64(find, 0) : (sqlite3_int64)line;
    if (is_there)
        status = bl_history_take(history, find, 1, BL_RUN_COLUMNS, &incoming->run, NULL, error);
    if (sqlite3_reset(find) != SQLITE_OK)
        status = bl_history_fail(history, error);
    if (status == BL_OK && !is_there)
        status = check_time(incoming, info->time_utc, line, error);
    if (status != BL_OK || is_there)
        return status;
    incoming->run = *info;
    sqlite3_bind_int64(incoming->insert_run, 1, incoming->run_line);
    return bl_history_insert(history, incoming->insert_run, 2, BL_RUN_COLUMNS, info, NULL, error);
}

static enum bl_status take_row(void *context, const struct bl_run_info *info,
                               const struct bl_row *row, size_t line, struct bl_error *error)
{
    struct incoming *incoming = context;
    enum bl_status status = BL_OK;
    if (!info->run_id[0])
        return bl_fail(error, BL_BAD_FORMAT, "line %zu: no run_id", line);
    if (strcmp(info->run_id, incoming->run.run_id) != 0)
        status = change_run(incoming, info, line, error);
    if (status == BL_OK)
        status = bl_run_check_row(&incoming->run, info, row, line, error);
    if (status != BL_OK)
        return status;
    sqlite3_bind_int64(incoming->insert_row, 1, (sqlite3_int64)line);
    sqlite3_bind_int64(incoming->insert_row, 2, incoming->run_line);
    status = bl_history_insert(incoming->history, incoming->insert_row, 3,
                               BL_KEY_COLUMNS | BL_ROW_COLUMNS, info, row, error);
    if (sqlite3_errcode(incoming->history->database) == SQLITE_CONSTRAINT)
        return bl_fail(error, BL_BAD_FORMAT, "line %zu: the same row twice: %s, shape %s, type %s",
                       line, row->key.case_id, row->key.shape, row->key.type);
    return status;
}

static enum bl_status read_file(struct bl_history *history, const char *csv_path,
                                struct bl_error *error)
{
    struct incoming incoming = {.history = history};
    const struct {
        const char *sql;
        sqlite3_stmt **statement;
    } all[] = {
        {"SELECT line{run:, [@]} FROM incoming_run WHERE run_id = ?", &incoming.find_run},
        /* Adding and then subtracting a second normalizes the date. For example, February 30th
         * becomes March 2nd, so the result differs from the text. */
        {"SELECT ?1 IS strftime('%Y-%m-%dT%H:%M:%SZ', ?1, '+1 second', '-1 second'), "
         "?1 <= " BL_TOMORROW ", ?1 < '2009'",
         &incoming.check_time},
        {"INSERT INTO incoming_run (line{run:, [@]}) VALUES (?{run:, ?})", &incoming.insert_run},
        {"INSERT INTO incoming (line, run{key:, [@]}{row:, [@]}) VALUES (?, ?{key:, ?}{row:, ?})",
         &incoming.insert_row}};
    enum { STATEMENTS = sizeof all / sizeof all[0] };
    /* If adding an earlier file failed, its temporary tables may still exist: dropping them fails,
     * too, if the disk is full. */
    enum bl_status status = bl_history_execute(history, forget, error);
    if (status == BL_OK)
        status = bl_history_execute(history, collect, error);
    for (size_t i = 0; i < STATEMENTS && status == BL_OK; i++)
        status = bl_history_prepare(history, all[i].sql, NULL, all[i].statement, error);
    if (status == BL_OK)
        status = bl_csv_read(csv_path, take_row, &incoming, error);
    if (status == BL_OK && incoming.run_line == 0)
        status = bl_fail(error, BL_BAD_FORMAT, "%s: there are no rows after the header", csv_path);
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(*all[i].statement);
    return status == BL_OK ? bl_history_execute(history, "COMMIT", error) : status;
}

/* Fails if a run of the file differs from the stored run with the same run_id. */
static enum bl_status check_run(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                struct bl_error *error)
{
    (void)context;
    const struct bl_row no_row = bl_row_empty();
    struct bl_run_info infos[2] = {bl_run_info_empty(), bl_run_info_empty()};
    for (int i = 0; i < 2; i++) {
        const enum bl_status status =
            bl_history_take(history, statement, sqlite3_column_count(statement) / 2 * i + 1,
                            BL_RUN_COLUMNS, &infos[i], NULL, error);
        if (status != BL_OK)
            return status;
    }
    infos[0].schema = infos[1].schema; /* ignore the schemas: an export has the newest schema,
                                          whatever the schemas of its runs were */
    return bl_run_check_row(&infos[0], &infos[1], &no_row,
                            (size_t)sqlite3_column_int64(statement, 0), error);
}

static enum bl_status refuse_row(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                 struct bl_error *error)
{
    (void)history, (void)context;
    return bl_fail(
        error, BL_BAD_FORMAT, "line %lld: run %s is already in the history with other values",
        sqlite3_column_int64(statement, 0), (const char *)sqlite3_column_text(statement, 1));
}

/* Joins each row of the file with the database's ids of its run and its key. */
#define WITH_IDS                                                            \
    " FROM incoming JOIN incoming_run ON incoming_run.line = incoming.run " \
    "JOIN run USING (run_id) JOIN case_key USING (" BL_ROW_KEY ") "

static enum bl_status merge(struct bl_history *history, struct bl_history_added *added,
                            struct bl_error *error)
{
    enum bl_status status = bl_history_execute(
        history,
        "INSERT OR IGNORE INTO run (id{run:, [@]}) SELECT NULL{run:, [@]} FROM incoming_run "
        "ORDER BY line",
        error);
    added->runs = (size_t)sqlite3_changes64(history->database);
    if (status == BL_OK)
        status = bl_history_each(history,
                                 "SELECT incoming_run.line{run:, run.[@]}{run:, incoming_run.[@]} "
                                 "FROM incoming_run JOIN run USING (run_id)",
                                 NULL, check_run, NULL, error);
    if (status == BL_OK)
        status = bl_history_execute(history,
                                    "INSERT OR IGNORE INTO case_key (id{key:, [@]}) "
                                    "SELECT DISTINCT NULL{key:, [@]} FROM incoming",
                                    error);
    if (status == BL_OK) /* in SQL, NULL <> x is never true, so an unknown value never differs */
        status = bl_history_each(
            history,
            "SELECT incoming.line, run_id" WITH_IDS
            "JOIN measured ON measured.run = run.id AND key = case_key.id "
            "WHERE case_key.machine <> incoming.machine{row: OR measured.[@] <> incoming.[@]}",
            NULL, refuse_row, NULL, error);
    if (status == BL_OK)
        status = bl_history_execute(
            history,
            "INSERT INTO measured (run, key, position{row:, [@]}) SELECT run.id, case_key.id, "
            "row_number() OVER (PARTITION BY incoming.run ORDER BY incoming.line)"
            "{row:, incoming.[@]}" WITH_IDS "WHERE case_key.machine = incoming.machine "
            "ON CONFLICT (run, key) DO UPDATE SET "
            "position = max(position, excluded.position){row:, [@] = coalesce([@], excluded.[@])} "
            "WHERE position < excluded.position"
            "{row: OR [@] IS NULL AND excluded.[@] IS NOT NULL}",
            error);
    added->rows = (size_t)sqlite3_changes64(history->database);
    return status;
}

static enum bl_status begin(struct bl_history *history, struct bl_error *error)
{
    return bl_history_execute(history, "BEGIN IMMEDIATE", error);
}

/* Whether the error comes from the database and not from the CSV. Sentences of bl_history_fail
 * begin with the database's path. */
static bool is_of_database(const struct bl_history *history, const struct bl_error *error)
{
    const size_t length = strlen(history->path);
    return error && strncmp(error->sentence, history->path, length) == 0 &&
           strncmp(error->sentence + length, ": ", 2) == 0;
}

enum bl_status bl_history_add(struct bl_history *history, const char *csv_path,
                              struct bl_history_added *added, struct bl_error *error)
{
    *added = (struct bl_history_added){0};
    enum bl_status status = read_file(history, csv_path, error);
    if (status == BL_OK)
        status = bl_history_create(history, error);
    if (status == BL_OK)
        status = bl_history_persist(history, begin, error);
    if (status == BL_OK) {
        status = merge(history, added, error);
        if (status == BL_BAD_FORMAT && !is_of_database(history, error))
            bl_error_context(error, "%s", csv_path);
    }
    if (status == BL_OK)
        status = bl_history_execute(history, "COMMIT", error);
    if (status != BL_OK) {
        *added = (struct bl_history_added){.database_failed = is_of_database(history, error)};
        if (added->database_failed)
            bl_error_context(error, "%s", csv_path);
        bl_history_execute(history, "ROLLBACK", NULL);
    }
    bl_history_execute(history, forget, NULL);
    return status;
}
