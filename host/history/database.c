#include "history/database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folders.h"
#include "history/internal.h"

/* Of the tables below; in SQLite's user_version. */
enum { SCHEMA = 1, BUSY_TIMEOUT_MS = 30000 };

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, time_utc TEXT, "
    "tool_version TEXT, host TEXT, platform TEXT, device TEXT, driver TEXT, os TEXT, cpu TEXT, "
    "governor TEXT);"
    "CREATE INDEX IF NOT EXISTS run_of_device ON run (device, time_utc);"
    "CREATE TABLE IF NOT EXISTS case_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
    "case_id TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS key_of_case ON case_key (case_id);"
    "CREATE TABLE IF NOT EXISTS measured (key INTEGER NOT NULL, run INTEGER NOT NULL, ratio REAL, "
    "lo REAL, hi REAL, rate REAL, reason TEXT, PRIMARY KEY (key, run)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS measured_in_run ON measured (run);"
    "PRAGMA user_version = 1;";

enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error)
{
    return bl_fail(error, BL_FILE_FAILED, "%s: %s", history->path,
                   sqlite3_errmsg(history->database));
}

enum bl_status bl_history_prepare(struct bl_history *history, const char *sql,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error)
{
    if (sqlite3_prepare_v2(history->database, sql, -1, statement, NULL) != SQLITE_OK)
        return bl_history_fail(history, error);
    for (int i = 0; texts && texts[i]; i++)
        if (sqlite3_bind_text(*statement, i + 1, texts[i], -1, SQLITE_TRANSIENT) != SQLITE_OK)
            return bl_history_fail(history, error);
    return BL_OK;
}

const char *bl_history_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

double bl_history_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

static enum bl_status execute(struct bl_history *history, const char *sql, struct bl_error *error)
{
    return sqlite3_exec(history->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? BL_OK
               : bl_history_fail(history, error);
}

enum { NAP_MS = 10 };

/* What SQLite's own patience does not cover: some locks, as those of a change to WAL, it does not
 * wait for. Calls again and again as long as another one is at it. */
static enum bl_status persist(struct bl_history *history,
                              enum bl_status (*act)(struct bl_history *, struct bl_error *),
                              struct bl_error *error)
{
    for (int waited_ms = 0;; waited_ms += NAP_MS) {
        const enum bl_status status = act(history, error);
        if (status == BL_OK || sqlite3_errcode(history->database) != SQLITE_BUSY ||
            waited_ms >= history->busy_timeout_ms)
            return status;
        if (!sqlite3_get_autocommit(history->database))
            execute(history, "ROLLBACK", NULL);
        sqlite3_sleep(NAP_MS);
    }
}

static enum bl_status begin(struct bl_history *history, struct bl_error *error)
{
    return execute(history, "BEGIN IMMEDIATE", error);
}

/* The default place, its folders made. */
static enum bl_status default_path(char path[4096], struct bl_error *error)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (data && data[0] == '/') /* the specification: a relative one counts for nothing */
        length = snprintf(path, 4096, "%s/bankline/history.db", data);
    else if (home && *home)
        length = snprintf(path, 4096, "%s/.local/share/bankline/history.db", home);
    else
        return bl_fail(error, BL_FILE_FAILED, "no home folder for the history; --db names a file");
    if (length >= 4096)
        return bl_fail(error, BL_FILE_FAILED, "the path of the history is too long");
    return bl_make_folders(path, error);
}

static enum bl_status version_of(struct bl_history *history, int *version, struct bl_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum bl_status status =
        bl_history_prepare(history, "PRAGMA user_version", NULL, &statement, error);
    if (status == BL_OK && sqlite3_step(statement) != SQLITE_ROW)
        status = bl_history_fail(history, error);
    if (status == BL_OK)
        *version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static enum bl_status set_up(struct bl_history *history, struct bl_error *error)
{
    int version = 0;
    enum bl_status status = version_of(history, &version, error);
    if (status == BL_OK && version > SCHEMA)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: of schema %d, and this bankline knows up to %d: it is of a newer one",
                       history->path, version, (int)SCHEMA);
    if (status == BL_OK && version < SCHEMA) {
        status = execute(history, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE", error);
        if (status == BL_OK)
            status = execute(history, tables, error);
        if (status == BL_OK)
            status = execute(history, "COMMIT", error);
    }
    return status;
}

enum bl_status bl_history_open(const char *path, bool must_exist, struct bl_history **history,
                               struct bl_error *error)
{
    *history = NULL;
    struct bl_history *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the history");
    enum bl_status status = BL_OK;
    if (!path)
        status = default_path(opened->path, error);
    else if ((size_t)snprintf(opened->path, sizeof opened->path, "%s", path) >= sizeof opened->path)
        status = bl_fail(error, BL_FILE_FAILED, "the path of --db is too long");
    if (status == BL_OK && must_exist && access(opened->path, F_OK) != 0)
        status = bl_fail(error, BL_FILE_FAILED,
                         "%s: no history yet; 'bankline history add "
                         "RUN.csv' begins one",
                         opened->path);
    if (status == BL_OK &&
        sqlite3_open_v2(opened->path, &opened->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        status = bl_history_fail(opened, error);
    if (status == BL_OK) {
        bl_history_set_busy_timeout(opened, BUSY_TIMEOUT_MS);
        status = persist(opened, set_up, error);
    }
    if (status != BL_OK) {
        bl_history_close(opened);
        return status;
    }
    *history = opened;
    return BL_OK;
}

void bl_history_set_busy_timeout(struct bl_history *history, int milliseconds)
{
    history->busy_timeout_ms = milliseconds;
    sqlite3_busy_timeout(history->database, milliseconds);
}

void bl_history_close(struct bl_history *history)
{
    if (!history)
        return;
    sqlite3_close(history->database);
    free(history);
}

static enum bl_status insert_run(struct bl_history *history, const struct bl_row *about,
                                 bool *added, struct bl_error *error)
{
    const char *texts[] = {
        about->run_id, about->time_utc, about->tool_version, about->host, about->platform,
        about->device, about->driver,   about->os,           about->cpu,  about->governor,
        NULL};
    sqlite3_stmt *statement = NULL;
    enum bl_status status = bl_history_prepare(
        history,
        "INSERT OR IGNORE INTO run (run_id, time_utc, tool_version, host, platform, device, driver, "
        "os, cpu, governor) VALUES (?,?,?,?,?,?,?,?,?,?)",
        texts, &statement, error);
    if (status == BL_OK && sqlite3_step(statement) != SQLITE_DONE)
        status = bl_history_fail(history, error);
    *added = status == BL_OK && sqlite3_changes(history->database) == 1;
    sqlite3_finalize(statement);
    return status;
}

static void bind_number(sqlite3_stmt *statement, int parameter, double number)
{
    if (isfinite(number))
        sqlite3_bind_double(statement, parameter, number);
    else
        sqlite3_bind_null(statement, parameter);
}

static enum bl_status insert_rows(struct bl_history *history, const struct bl_run_file *run,
                                  struct bl_error *error)
{
    const sqlite3_int64 run_number = sqlite3_last_insert_rowid(history->database);
    sqlite3_stmt *key = NULL, *row = NULL;
    enum bl_status status =
        bl_history_prepare(history, "INSERT OR IGNORE INTO case_key (key, case_id) VALUES (?1, ?2)",
                           NULL, &key, error);
    if (status == BL_OK)
        status = bl_history_prepare(
            history,
            "INSERT INTO measured (key, run, ratio, lo, hi, rate, reason) "
            "VALUES ((SELECT id FROM case_key WHERE key = ?1), ?2, ?3, ?4, ?5, ?6, ?7)",
            NULL, &row, error);
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        const struct bl_run_row *from = &run->rows[i];
        const bool has = isfinite(from->ratio.median);
        sqlite3_bind_text(key, 1, from->key, -1, SQLITE_STATIC);
        sqlite3_bind_text(key, 2, from->key, (int)strcspn(from->key, "\n"), SQLITE_STATIC);
        sqlite3_bind_text(row, 1, from->key, -1, SQLITE_STATIC);
        sqlite3_bind_int64(row, 2, run_number);
        bind_number(row, 3, from->ratio.median);
        bind_number(row, 4, has ? from->ratio.lo : NAN);
        bind_number(row, 5, has ? from->ratio.hi : NAN);
        bind_number(row, 6, from->rate);
        sqlite3_bind_text(row, 7, from->reason, -1, SQLITE_STATIC);
        if (sqlite3_step(key) != SQLITE_DONE || sqlite3_step(row) != SQLITE_DONE)
            status = bl_history_fail(history, error);
        sqlite3_reset(key);
        sqlite3_reset(row);
    }
    sqlite3_finalize(key);
    sqlite3_finalize(row);
    return status;
}

enum bl_status bl_history_add(struct bl_history *history, const char *csv_path, bool *added,
                              struct bl_error *error)
{
    *added = false;
    struct bl_run_file run;
    enum bl_status status = bl_run_file_read(csv_path, &run, error);
    if (status == BL_OK && !run.about.run_id[0])
        status = bl_fail(error, BL_BAD_FORMAT, "%s: line 2: no run_id", csv_path);
    if (status == BL_OK)
        status = persist(history, begin, error);
    if (status == BL_OK) {
        status = insert_run(history, &run.about, added, error);
        if (status == BL_OK && *added)
            status = insert_rows(history, &run, error);
        if (status == BL_OK)
            status = execute(history, "COMMIT", error);
        if (status != BL_OK) {
            *added = false;
            execute(history, "ROLLBACK", NULL);
        }
    }
    bl_run_file_free(&run);
    return status;
}
