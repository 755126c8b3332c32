/* The tables, made from the columns of a row, and databases of before. */
#include <string.h>

#include "history/database.h"
#include "model/machine.h"

enum { APPLICATION_ID = 0x626e6b6c }; /* "bnkl" */

struct identity {
    int id, schema, tables, own_tables;
    int columns; /* that it has, and one for the newest index */
};

static enum bl_status read_identity(struct bl_history *history, sqlite3_stmt *statement,
                                    void *context, struct bl_error *error)
{
    (void)history, (void)error;
    *(struct identity *)context =
        (struct identity){sqlite3_column_int(statement, 0), sqlite3_column_int(statement, 1),
                          sqlite3_column_int(statement, 2), sqlite3_column_int(statement, 3),
                          sqlite3_column_int(statement, 4)};
    return BL_OK;
}

enum bl_status bl_history_identify(struct bl_history *history, int *schema, bool *is_complete,
                                   struct bl_error *error)
{
    struct identity is = {0};
    const enum bl_status status = bl_history_each(
        history,
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master),"
        "(SELECT count(*) FROM sqlite_master"
        " WHERE type = 'table' AND name IN ('run', 'case_key', 'measured')),"
        "(SELECT count(*) FROM pragma_table_info('run') WHERE name IN (''{run:, '@'})) +"
        "(SELECT count(*) FROM pragma_table_info('case_key') WHERE name IN (''{key:, '@'})) +"
        "(SELECT count(*) FROM pragma_table_info('measured') WHERE name IN (''{row:, '@'})) +"
        "(SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'run_of_card') "
        "FROM pragma_application_id, pragma_user_version",
        NULL, read_identity, &is, error);
    if (status != BL_OK)
        return status;
    *schema = is.schema;
    *is_complete = is.schema == BL_HISTORY_SCHEMA && is.columns == BL_COLUMN_COUNT + 1;
    if (is.id == 0 && is.schema == 0 && is.tables == 0)
        return BL_OK;
    if (is.own_tables != 3 || is.id != (is.schema > 1 ? APPLICATION_ID : 0) || is.schema < 1)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: a database of another program, not a history of bankline",
                       history->path);
    if (is.schema > BL_HISTORY_SCHEMA)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: of schema %d, and this bankline knows up to %d: a newer one made it",
                       history->path, is.schema, (int)BL_HISTORY_SCHEMA);
    return BL_OK;
}

static const struct bl_column *column_called(const char *name)
{
    const struct bl_column *column = bl_columns;
    while (strcmp(column->name, name) != 0)
        column++;
    return column;
}

/* A key of schema 1: its parts in lines. */
static bool parse_old_key(const char *text, struct bl_row *row)
{
    static const char *const parts[] = {"case",   "type", "shape", "lanes", "working_set_bytes",
                                        "machine"};
    const size_t count = sizeof parts / sizeof parts[0];
    for (size_t i = 0; i < count; i++) {
        char part[sizeof row->key.case_id];
        const size_t length = strcspn(text, "\n");
        if (length >= sizeof part || (text[length] == '\n') != (i + 1 < count))
            return false;
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        if (!bl_column_parse(column_called(parts[i]), part, NULL, row))
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
    const sqlite3_int64 id = sqlite3_column_int64(old, 0);
    return bl_history_insert(history, insert, &id, 1, BL_COLUMN_OF_KEY, BL_COLUMN_OF_KEY, NULL,
                             &row, error);
}

/* Of a row, schema 1 had no position, but the ratio, the rate (bytes per clock and compute unit,
 * where the device's clock was known), and of one without a number its status and reason in one
 * text; of one with a number none. */
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

static enum bl_status find(struct bl_history *history, sqlite3_stmt *statement, void *found,
                           struct bl_error *error)
{
    (void)history, (void)statement, (void)error;
    *(bool *)found = true;
    return BL_OK;
}

/* Adds the columns that are missing, which in a new database are all of them. */
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
        bool is_there = false;
        status = bl_history_each(history, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2",
                                 texts, find, &is_there, error);
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

/* The index of all key columns is made anew, for there may be a new one. */
static const char indexes[] = "CREATE UNIQUE INDEX IF NOT EXISTS run_once ON run (run_id);"
                              "CREATE INDEX IF NOT EXISTS run_in_time ON run (time_utc);"
                              "DROP INDEX IF EXISTS key_once;"
                              "CREATE UNIQUE INDEX key_once ON case_key ([case]{key:, [@]});"
                              "CREATE INDEX IF NOT EXISTS run_of_card ON run (device_id, time_utc);"
                              "CREATE INDEX IF NOT EXISTS measured_of_key ON measured (key);"
                              "PRAGMA application_id = 0x626e6b6c; PRAGMA user_version = 3;";

/* Until schema 3 a machine could have a name of before. */
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

enum bl_status bl_history_set_up(struct bl_history *history, struct bl_error *error)
{
    int schema;
    bool is_complete;
    enum bl_status status = bl_history_identify(history, &schema, &is_complete, error);
    if (status != BL_OK || is_complete)
        return status;
    status = bl_history_execute(history, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE", error);
    if (status == BL_OK) /* again: another process may have done it meanwhile */
        status = bl_history_identify(history, &schema, &is_complete, error);
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
