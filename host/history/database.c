/* The history's database: finds its path, opens it, and creates its tables, which are generated
 * from the columns of a row. A database of an older schema is upgraded: in the file if runs are to
 * be added, else in a copy in memory. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/statements.h"
#include "model/machine.h"

enum { SCHEMA = 3, APPLICATION_ID = 0x626e6b6c }; /* "bnkl" */

/* Finds the database's schema (0 if it is empty) and whether it has every column and the newest
 * index (*is_complete). Fails with BL_BAD_FORMAT if the database is another program's, or has a
 * newer schema. */
static enum bl_status identify(struct bl_history *history, int *schema, bool *is_complete,
                               struct bl_error *error)
{
    enum { ID, OF_SCHEMA, TABLES, OWN_TABLES, COLUMNS /* also counts the newest index */ };
    int is[COLUMNS + 1] = {0};
    const enum bl_status status = bl_history_ask(
        history,
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master),"
        "(SELECT count(*) FROM sqlite_master"
        " WHERE type = 'table' AND name IN ('run', 'case_key', 'measured')),"
        "(SELECT count(*) FROM pragma_table_info('run') WHERE name IN (''{run:, '@'})) +"
        "(SELECT count(*) FROM pragma_table_info('case_key') WHERE name IN (''{key:, '@'})) +"
        "(SELECT count(*) FROM pragma_table_info('measured') WHERE name IN (''{row:, '@'})) +"
        "(SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'run_of_card') "
        "FROM pragma_application_id, pragma_user_version",
        NULL, is, error);
    if (status != BL_OK)
        return status;
    *schema = is[OF_SCHEMA];
    *is_complete = *schema == SCHEMA && is[COLUMNS] == BL_COLUMN_COUNT + 1;
    if (is[ID] == 0 && *schema == 0 && is[TABLES] == 0)
        return BL_OK;
    if (is[OWN_TABLES] != 3 || is[ID] != (*schema > 1 ? APPLICATION_ID : 0) || *schema < 1)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: this is another program's database, not a history of bankline",
                       history->path);
    if (*schema > SCHEMA)
        return bl_fail(
            error, BL_BAD_FORMAT,
            "%s: a newer bankline wrote schema %d, but this one reads only schemas up to %d",
            history->path, *schema, (int)SCHEMA);
    return BL_OK;
}

/* Parses a key of schema 1, which has one part per line. */
static bool parse_old_key(const char *text, struct bl_row *row)
{
    const struct bl_column *column;
    for (size_t i = 0; (column = bl_key_column(i)); i++) {
        char part[sizeof row->key.case_id];
        const size_t length = strcspn(text, "\n");
        if (length >= sizeof part || (text[length] == '\n') != (bl_key_column(i + 1) != NULL))
            return false;
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        if (!bl_column_parse(column, part, NULL, row))
            return false;
        text += length + 1;
    }
    return true;
}

static enum bl_status bring_key(struct bl_history *history, sqlite3_stmt *old, void *insert,
                                struct bl_error *error)
{
    struct bl_row row = bl_row_empty();
    const char *text = (const char *)sqlite3_column_text(old, 1);
    if (!text || !parse_old_key(text, &row))
        return bl_fail(error, BL_BAD_FORMAT, "%s: '%.60s' is not a key of schema 1", history->path,
                       text ? text : "");
    sqlite3_bind_int64(insert, 1, sqlite3_column_int64(old, 0));
    return bl_history_insert(history, insert, 2, BL_KEY_COLUMNS, NULL, &row, error);
}

/* Copies the runs and rows of schema 1. Its rows have no position. A row that was measured has a
 * ratio and a rate (bytes per clock and compute unit; NULL if the device's clock was unknown). A
 * row without a ratio has a status and a reason, joined as "STATUS: REASON". */
static const char bring_rows[] =
    "INSERT INTO run (id, run_id, time_utc, tool_version, host, platform, device, driver, os, cpu,"
    " governor) SELECT id, run_id, nullif(time_utc, ''), nullif(tool_version, ''),"
    " nullif(host, ''), nullif(platform, ''), nullif(device, ''), nullif(driver, ''),"
    " nullif(os, ''), nullif(cpu, ''), nullif(governor, '') FROM run_1;"
    "WITH old AS (SELECT *, instr(reason || ':', ':') AS colon FROM measured_1) "
    "INSERT INTO measured (run, key, position, measured, measured_lo, measured_hi,"
    " bytes_per_clock_cu, status, reason) SELECT run, key, 0, ratio, lo, hi, rate,"
    " CASE WHEN ratio IS NOT NULL THEN NULL"
    " WHEN substr(reason, 1, colon - 1) IN ('skipped', 'unsupported', 'error', 'wrong-result',"
    "  'bad-clock', 'impossible') THEN substr(reason, 1, colon - 1) ELSE 'ok' END,"
    " CASE WHEN ratio IS NULL THEN nullif(substr(reason, colon + 2), '') END FROM old;"
    "DROP TABLE measured_1; DROP TABLE case_key_1; DROP TABLE run_1;";

static enum bl_status bring_schema_1(struct bl_history *history, struct bl_error *error)
{
    sqlite3_stmt *insert = NULL;
    enum bl_status status = bl_history_prepare(
        history, "INSERT INTO case_key (id{key:, [@]}) VALUES (?{key:, ?})", NULL, &insert, error);
    if (status == BL_OK)
        status = bl_history_each(history, "SELECT id, key FROM case_key_1", NULL, bring_key, insert,
                                 error);
    sqlite3_finalize(insert);
    return status == BL_OK ? bl_history_execute(history, bring_rows, error) : status;
}

/* Adds the missing columns. In a new database all columns are missing. */
static enum bl_status add_columns(struct bl_history *history, struct bl_error *error)
{
    static const char *const tables[] = {[BL_COLUMN_OF_RUN] = "run",
                                         [BL_COLUMN_OF_KEY] = "case_key",
                                         [BL_COLUMN_OF_ROW] = "measured"};
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < BL_COLUMN_COUNT && status == BL_OK; i++) {
        const struct bl_column *column = &bl_columns[i];
        const char *texts[] = {tables[column->owner], column->name, NULL};
        char sql[160];
        int is_there = 0;
        status = bl_history_ask(history, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2",
                                texts, &is_there, error);
        snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN [%s] %s", texts[0], column->name,
                 bl_history_type(column));
        if (status == BL_OK && !is_there)
            status = bl_history_execute(history, sql, error);
    }
    return status;
}

static const char rename_schema_1[] = "ALTER TABLE run RENAME TO run_1;"
                                      "ALTER TABLE case_key RENAME TO case_key_1;"
                                      "ALTER TABLE measured RENAME TO measured_1;";

static const char tables_without_columns[] =
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY);"
    "CREATE TABLE IF NOT EXISTS case_key (id INTEGER PRIMARY KEY);"
    "CREATE TABLE IF NOT EXISTS measured (run INTEGER NOT NULL, key INTEGER NOT NULL,"
    " position INTEGER NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID;";

/* key_once is rebuilt, because it must cover all key columns, including those that add_columns
 * added. */
static const char indexes[] = "CREATE UNIQUE INDEX IF NOT EXISTS run_once ON run (run_id);"
                              "CREATE INDEX IF NOT EXISTS run_in_time ON run (time_utc);"
                              "DROP INDEX IF EXISTS key_once;"
                              "CREATE UNIQUE INDEX key_once ON case_key ([case]{key:, [@]});"
                              "CREATE INDEX IF NOT EXISTS run_of_card ON run (device_id, time_utc);"
                              "CREATE INDEX IF NOT EXISTS measured_of_key ON measured (key);"
                              "PRAGMA application_id = 0x626e6b6c; PRAGMA user_version = 3;";

/* Replaces old names of machines by their present names; before schema 3, rows could have old
 * names. */
static enum bl_status rename_machines(struct bl_history *history, struct bl_error *error)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        const char *const texts[] = {all[i].name, all[i].formerly, NULL};
        if (all[i].formerly[0])
            status = bl_history_each(history, "UPDATE case_key SET machine = ?1 WHERE machine = ?2",
                                     texts, NULL, NULL, error);
    }
    return status;
}

/* Upgrades a database that is empty, has an older schema, or lacks the newest columns or index.
 * Does this in a transaction, which stays open after a failure. */
static enum bl_status set_up(struct bl_history *history, struct bl_error *error)
{
    int schema;
    bool is_complete;
    enum bl_status status = identify(history, &schema, &is_complete, error);
    if (status != BL_OK || is_complete)
        return status;
    status = bl_history_execute(history, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE", error);
    if (status == BL_OK) /* check again: another process may have upgraded the database meanwhile */
        status = identify(history, &schema, &is_complete, error);
    if (status == BL_OK && schema == 1)
        status = bl_history_execute(history, rename_schema_1, error);
    if (status == BL_OK)
        status = bl_history_execute(history, tables_without_columns, error);
    if (status == BL_OK)
        status = add_columns(history, error);
    if (status == BL_OK)
        status = bl_history_execute(history, indexes, error);
    if (status == BL_OK && schema == 1)
        status = bring_schema_1(history, error);
    if (status == BL_OK && schema == 2)
        status = rename_machines(history, error);
    return status == BL_OK ? bl_history_execute(history, "COMMIT", error) : status;
}

enum { BUSY_TIMEOUT_MS = 30000 };

enum bl_status bl_history_default_path(char path[BL_HISTORY_PATH], struct bl_error *error)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (data && data[0] == '/') /* XDG's specification says to ignore a relative path */
        length = snprintf(path, BL_HISTORY_PATH, "%s/bankline/history.db", data);
    else if (home && *home)
        length = snprintf(path, BL_HISTORY_PATH, "%s/.local/share/bankline/history.db", home);
    else
        return bl_fail(error, BL_FILE_FAILED,
                       "no home folder for the history; name a file with --db");
    return length < BL_HISTORY_PATH
               ? BL_OK
               : bl_fail(error, BL_FILE_FAILED, "the path of the history is too long");
}

static enum bl_status connect(struct bl_history *history, const char *name, int flags,
                              struct bl_error *error)
{
    if (sqlite3_open_v2(name, &history->database, flags, NULL) != SQLITE_OK)
        return bl_history_fail(history, error);
    bl_history_set_busy_timeout(history, history->busy_timeout_ms ? history->busy_timeout_ms
                                                                  : BUSY_TIMEOUT_MS);
    return BL_OK;
}

/* Whether the file has a write-ahead log, which belongs to an open or an interrupted connection. */
static bool has_log(const struct bl_history *history)
{
    return access(sqlite3_filename_wal(sqlite3_db_filename(history->database, "main")), F_OK) == 0;
}

static enum bl_status open_to_add(struct bl_history *history, const char *name,
                                  struct bl_error *error)
{
    /* Without this check, SQLite would create files beside the database, and the database's owner
     * could not write them. */
    if (access(name, W_OK) != 0 && errno != ENOENT)
        return bl_fail(error, BL_FILE_FAILED, "%s: %m", history->path);
    enum bl_status status =
        connect(history, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    /* Closing the database would copy the log into the file, which must not happen to another
     * program's database. */
    if (status == BL_OK && has_log(history))
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (status == BL_OK)
        status = bl_history_persist(history, set_up, error);
    if (status == BL_OK)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return status;
}

/* Writes a URI that tells SQLite that the file never changes. SQLite then creates no files beside
 * the database. */
static void immutable_uri(const char *path, char *uri)
{
    uri += sprintf(uri, "file:");
    for (; *path; path++)
        uri += sprintf(uri, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
    strcpy(uri, "?immutable=1");
}

/* Copies the database `which` ("main" or "temp") of the connection `from` to the history's
 * connection. */
static enum bl_status copy_database(struct bl_history *history, sqlite3 *from, const char *which,
                                    struct bl_error *error)
{
    sqlite3_backup *backup = sqlite3_backup_init(history->database, which, from, which);
    if (backup)
        sqlite3_backup_step(backup, -1);
    return backup && sqlite3_backup_finish(backup) == SQLITE_OK ? BL_OK
                                                                : bl_history_fail(history, error);
}

/* Replaces the open database by a copy in memory, so that changes do not reach the file. */
static enum bl_status copy_to_memory(struct bl_history *history, struct bl_error *error)
{
    sqlite3 *file = history->database;
    history->database = NULL;
    enum bl_status status = connect(history, ":memory:", SQLITE_OPEN_READWRITE, error);
    if (status == BL_OK)
        status = copy_database(history, file, "main", error);
    sqlite3_close(file);
    return status;
}

/* Returns the history's path, with "./" before a relative path, because SQLite gives names such as
 * ":memory:" and "file:..." a special meaning. */
enum { NAME_BYTES = sizeof((struct bl_history *)0)->path + 2 };
static const char *name_of(const struct bl_history *history, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s%s", history->path[0] == '/' ? "" : "./", history->path);
    return name;
}

enum bl_status bl_history_create(struct bl_history *history, struct bl_error *error)
{
    char name[NAME_BYTES];
    sqlite3 *memory = history->database;
    const char *file = sqlite3_db_filename(memory, "main");
    if (file && *file)
        return BL_OK;
    history->database = NULL;
    enum bl_status status = open_to_add(history, name_of(history, name), error);
    if (status == BL_OK)
        status = copy_database(history, memory, "temp", error);
    sqlite3_close(status == BL_OK ? memory : history->database);
    if (status != BL_OK)
        history->database = memory; /* keep it, because adding the next CSV may succeed */
    return status;
}

static bool copy_file(const char *from, const char *to)
{
    char block[1 << 16];
    size_t got;
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    bool is_copied = in && out;
    while (is_copied && (got = fread(block, 1, sizeof block, in)) > 0)
        is_copied = fwrite(block, 1, got, out) == got;
    is_copied = is_copied && !ferror(in);
    if (in)
        fclose(in);
    return (!out || fclose(out) == 0) && is_copied;
}

/* Reads the database into memory from copies of the file and its log. This is needed if there is
 * a log, and the file or its folder is read-only. */
static enum bl_status read_copy(struct bl_history *history, const char *path,
                                struct bl_error *error)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX], copy[PATH_MAX + 16], log[PATH_MAX + 16], copied_log[PATH_MAX + 32];
    snprintf(folder, sizeof folder, "%s/bankline-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return bl_fail(error, BL_FILE_FAILED, "%s: cannot make a copy in %s: %m", history->path,
                       folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(log, sizeof log, "%s-wal", path);
    snprintf(copied_log, sizeof copied_log, "%s-wal", copy);
    enum bl_status status = copy_file(path, copy) && copy_file(log, copied_log)
                                ? connect(history, copy, SQLITE_OPEN_READWRITE, error)
                                : bl_fail(error, BL_FILE_FAILED, "%s: cannot be copied to %s: %m",
                                          history->path, folder);
    if (status == BL_OK)
        status = copy_to_memory(history, error);
    unlink(copied_log);
    unlink(copy);
    rmdir(folder);
    return status;
}

/* Opens the file for reading. With write-ahead logging, even a reader must create files beside the
 * database. If the file or its folder is read-only, opens the database as immutable or, if it has a
 * log, reads copies of the file and of the log. */
static enum bl_status connect_to_read(struct bl_history *history, const char *name,
                                      struct bl_error *error)
{
    char path[PATH_MAX], folder[PATH_MAX], uri[3 * PATH_MAX + 32];
    if (!realpath(name, path))
        return bl_fail(error, BL_FILE_FAILED,
                       errno == ENOENT
                           ? "%s: no history yet; 'bankline history add RUN.csv' creates it"
                           : "%s: %m",
                       history->path);
    strcpy(folder, path);
    const bool is_writable = access(path, W_OK) == 0 && access(dirname(folder), W_OK) == 0;
    const enum bl_status status = connect(history, path, SQLITE_OPEN_READWRITE, error);
    const bool is_logged = status == BL_OK && has_log(history);
    if (is_logged && is_writable)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (status != BL_OK || is_writable)
        return status;
    sqlite3_close(history->database);
    history->database = NULL;
    if (is_logged)
        return read_copy(history, path, error);
    immutable_uri(path, uri);
    return connect(history, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

static enum bl_status open_to_read(struct bl_history *history, const char *name,
                                   enum bl_history_use use, struct bl_error *error)
{
    int schema = 0;
    bool is_complete = false;
    enum bl_status status = connect_to_read(history, name, error);
    if (status == BL_OK)
        status = identify(history, &schema, &is_complete, error);
    if (status == BL_OK && schema == 0 && use == BL_HISTORY_READ)
        return bl_fail(error, BL_FILE_FAILED,
                       "%s: empty, no history yet; 'bankline history add RUN.csv' creates it",
                       history->path);
    if (status != BL_OK || is_complete)
        return status;
    status = copy_to_memory(history, error);
    return status == BL_OK ? set_up(history, error) : status;
}

enum bl_status bl_history_open(const char *path, enum bl_history_use use,
                               struct bl_history **history, struct bl_error *error)
{
    char name[NAME_BYTES];
    *history = NULL;
    struct bl_history *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while opening the history");
    enum bl_status status = BL_OK;
    if ((size_t)snprintf(opened->path, sizeof opened->path, "%s", path) >= sizeof opened->path)
        status = bl_fail(error, BL_FILE_FAILED, "the path of --db is too long");
    name_of(opened, name);
    if (status == BL_OK && use != BL_HISTORY_READ && access(name, F_OK) != 0 && errno == ENOENT) {
        status = connect(opened, ":memory:", SQLITE_OPEN_READWRITE, error);
        if (status == BL_OK)
            status = set_up(opened, error);
    } else if (status == BL_OK) {
        status = use == BL_HISTORY_ADD ? open_to_add(opened, name, error)
                                       : open_to_read(opened, name, use, error);
    }
    if (status == BL_OK)
        *history = opened;
    else
        bl_history_close(opened);
    return status;
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
