#include "history/database.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

/* Statements whose columns are those of a row (report/columns.h). */

const char *bl_history_type(const struct bl_column *column)
{
    const bool is_key = column->owner == BL_COLUMN_OF_KEY;
    switch (column->kind) {
    case BL_COLUMN_NUMBER:
        return "REAL";
    case BL_COLUMN_UNSIGNED:
    case BL_COLUMN_U64:
        return is_key ? "INTEGER NOT NULL DEFAULT 0" : "INTEGER";
    default:
        return is_key ? "TEXT NOT NULL DEFAULT ''" : "TEXT";
    }
}

static void repeat(sqlite3_str *sql, enum bl_column_owner owner, const char *text, size_t length)
{
    for (size_t c = 0; c < BL_COLUMN_COUNT; c++)
        for (size_t i = 0; i < length && bl_columns[c].owner == owner; i++) {
            if (text[i] == '@')
                sqlite3_str_appendall(sql, bl_columns[c].name);
            else if (text[i] == '#')
                sqlite3_str_appendall(sql, bl_history_type(&bl_columns[c]));
            else
                sqlite3_str_appendchar(sql, 1, text[i]);
        }
}

/* The SQL of a template, to be freed by sqlite3_free; NULL: no memory. */
static char *expand(const char *template)
{
    static const char *const groups[] = {
        [BL_COLUMN_OF_RUN] = "{run:", [BL_COLUMN_OF_KEY] = "{key:", [BL_COLUMN_OF_ROW] = "{row:"};
    sqlite3_str *sql = sqlite3_str_new(NULL);
    for (;;) {
        const size_t plain = strcspn(template, "{");
        sqlite3_str_append(sql, template, (int)plain);
        template += plain;
        if (!*template)
            return sqlite3_str_finish(sql);
        const size_t begin = strlen(groups[0]), length = strcspn(template + begin, "}");
        for (unsigned owner = 0; owner < sizeof groups / sizeof groups[0]; owner++)
            if (strncmp(template, groups[owner], begin) == 0)
                repeat(sql, (enum bl_column_owner)owner, template + begin, length);
        template += begin + length + 1;
    }
}

enum bl_status bl_history_execute(struct bl_history *history, const char *template,
                                  struct bl_error *error)
{
    char *sql = expand(template);
    enum bl_status status = BL_OK;
    if (!sql)
        status = bl_fail(error, BL_NO_MEMORY, "%s: out of memory", history->path);
    else if (sqlite3_exec(history->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        status = bl_history_fail(history, error);
    sqlite3_free(sql);
    return status;
}

enum bl_status bl_history_prepare(struct bl_history *history, const char *template,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error)
{
    char *sql = expand(template);
    *statement = NULL;
    enum bl_status status = BL_OK;
    if (!sql)
        status = bl_fail(error, BL_NO_MEMORY, "%s: out of memory", history->path);
    else if (sqlite3_prepare_v2(history->database, sql, -1, statement, NULL) != SQLITE_OK)
        status = bl_history_fail(history, error);
    for (int i = 0; texts && texts[i] && status == BL_OK; i++)
        if (sqlite3_bind_text(*statement, i + 1, texts[i], -1, SQLITE_TRANSIENT) != SQLITE_OK)
            status = bl_history_fail(history, error);
    sqlite3_free(sql);
    return status;
}

static const double DEFAULT_PRECISION = 0.005; /* of the runs of that time */

/* Numbers with a fraction are bound as what they are, for SQLite rounds some texts otherwise than
 * strtod does; all else as text, which the column's type makes a number where it is one. */
enum bl_status bl_history_insert(struct bl_history *history, sqlite3_stmt *statement,
                                 const sqlite3_int64 ids[], int id_count,
                                 enum bl_column_owner first, enum bl_column_owner last,
                                 const struct bl_run_info *run, const struct bl_row *row,
                                 struct bl_error *error)
{
    char buffers[BL_COLUMN_COUNT][BL_COLUMN_BUFFER];
    int parameter = 1, code = SQLITE_OK;
    while (parameter <= id_count && code == SQLITE_OK) {
        code = sqlite3_bind_int64(statement, parameter, ids[parameter - 1]);
        parameter++;
    }
    for (enum bl_column_owner owner = first; owner <= last; owner++)
        for (size_t i = 0; i < BL_COLUMN_COUNT && code == SQLITE_OK; i++) {
            const struct bl_column *column = &bl_columns[i];
            if (column->owner != owner)
                continue;
            const double number = bl_column_number(column, run, row);
            if (column->kind == BL_COLUMN_NUMBER && isfinite(number)) {
                code = sqlite3_bind_double(statement, parameter++, number);
                continue;
            }
            const char *text = bl_column_text(column, run, row, buffers[i]);
            if (!*text)
                text = owner != BL_COLUMN_OF_KEY ? NULL : column->kind == BL_COLUMN_TEXT ? "" : "0";
            code = sqlite3_bind_text(statement, parameter++, text, -1, SQLITE_STATIC);
        }
    if (code == SQLITE_OK)
        sqlite3_step(statement); /* which reports the failure again */
    if (code == SQLITE_OK)
        code = sqlite3_reset(statement);
    return code == SQLITE_OK ? BL_OK : bl_history_fail(history, error);
}

/* Schema 1 did not say whether a row with a number was noisy; its interval does. */
static bool is_wide(const struct bl_row *row)
{
    const double half = fmax(row->measured_hi - row->measured, row->measured - row->measured_lo);
    return half > DEFAULT_PRECISION * row->measured;
}

enum bl_status bl_history_take(const struct bl_history *history, sqlite3_stmt *statement, int from,
                               enum bl_column_owner first, enum bl_column_owner last,
                               struct bl_run_info *run, struct bl_row *row, struct bl_error *error)
{
    bool has_status = false;
    for (enum bl_column_owner owner = first; owner <= last; owner++)
        for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
            const struct bl_column *column = &bl_columns[i];
            if (column->owner != owner)
                continue;
            const bool is_known = sqlite3_column_type(statement, from) != SQLITE_NULL;
            const char *text = (const char *)sqlite3_column_text(statement, from++);
            if (is_known && !text)
                return bl_history_fail(history, error);
            if (is_known && !bl_column_parse(column, text, run, row))
                return bl_fail(error, BL_BAD_FORMAT, "%s: column %s cannot be '%.60s'",
                               history->path, column->name, text);
            has_status |= is_known && column->kind == BL_COLUMN_STATUS;
        }
    if (last == BL_COLUMN_OF_ROW && !has_status && is_wide(row))
        row->status = BL_ROW_NOISY;
    return BL_OK;
}

enum bl_status bl_history_each(struct bl_history *history, const char *template,
                               const char *const texts[], bl_history_step *step, void *context,
                               struct bl_error *error)
{
    struct bl_c_locale scope;
    sqlite3_stmt *statement = NULL;
    enum bl_status status = bl_c_locale_enter(&scope, error);
    if (status != BL_OK)
        return status;
    status = bl_history_prepare(history, template, texts, &statement, error);
    int code = SQLITE_DONE;
    while (status == BL_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = step(history, statement, context, error);
    if (status == BL_OK && code != SQLITE_DONE)
        status = bl_history_fail(history, error);
    sqlite3_finalize(statement);
    bl_c_locale_leave(&scope);
    return status;
}

enum { BUSY_TIMEOUT_MS = 30000, NAP_MS = 10 };

enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error)
{
    const bool no_memory = sqlite3_errcode(history->database) == SQLITE_NOMEM;
    return bl_fail(error, no_memory ? BL_NO_MEMORY : BL_FILE_FAILED, "%s: %s", history->path,
                   sqlite3_errmsg(history->database));
}

enum bl_status bl_history_default_path(char path[BL_HISTORY_PATH], struct bl_error *error)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (data && data[0] == '/') /* the specification: a relative one counts for nothing */
        length = snprintf(path, BL_HISTORY_PATH, "%s/bankline/history.db", data);
    else if (home && *home)
        length = snprintf(path, BL_HISTORY_PATH, "%s/.local/share/bankline/history.db", home);
    else
        return bl_fail(error, BL_FILE_FAILED, "no home folder for the history; --db names a file");
    return length < BL_HISTORY_PATH
               ? BL_OK
               : bl_fail(error, BL_FILE_FAILED, "the path of the history is too long");
}

/* What SQLite's own waiting does not cover: some locks, as those of a change to WAL, it does not
 * wait for. */
enum bl_status bl_history_persist(struct bl_history *history,
                                  enum bl_status (*act)(struct bl_history *, struct bl_error *),
                                  struct bl_error *error)
{
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (;;) {
        const enum bl_status status = act(history, error);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long waited_ms =
            (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000;
        if (status == BL_OK || sqlite3_errcode(history->database) != SQLITE_BUSY ||
            waited_ms >= history->busy_timeout_ms)
            return status;
        if (!sqlite3_get_autocommit(history->database))
            bl_history_execute(history, "ROLLBACK", NULL);
        sqlite3_sleep(NAP_MS);
    }
}

static enum bl_status connect(struct bl_history *history, const char *name, int flags,
                              struct bl_error *error)
{
    if (sqlite3_open_v2(name, &history->database, flags, NULL) != SQLITE_OK)
        return bl_history_fail(history, error);
    bl_history_set_busy_timeout(history, BUSY_TIMEOUT_MS);
    return BL_OK;
}

/* Whether a writer left a log beside the file, or is at work. */
static bool has_log(const struct bl_history *history)
{
    return access(sqlite3_filename_wal(sqlite3_db_filename(history->database, "main")), F_OK) == 0;
}

static enum bl_status open_to_add(struct bl_history *history, const char *name,
                                  struct bl_error *error)
{
    /* Before SQLite makes files beside it that would keep its owner out. */
    if (access(name, W_OK) != 0 && errno != ENOENT)
        return bl_fail(error, BL_FILE_FAILED, "%s: %m", history->path);
    enum bl_status status =
        connect(history, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    /* Closing moves the log into the file, which must not happen to another program's. */
    if (status == BL_OK && has_log(history))
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (status == BL_OK)
        status = bl_history_persist(history, bl_history_set_up, error);
    if (status == BL_OK)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return status;
}

/* A URI of a file of which SQLite is to believe that nobody changes it: then it needs no files
 * beside it. */
static void immutable_uri(const char *path, char *uri)
{
    uri += sprintf(uri, "file:");
    for (; *path; path++)
        uri += sprintf(uri, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
    strcpy(uri, "?immutable=1");
}

/* From here on the database is a copy, which may be changed. */
static enum bl_status copy_to_memory(struct bl_history *history, struct bl_error *error)
{
    sqlite3 *file = history->database;
    history->database = NULL;
    enum bl_status status = connect(history, ":memory:", SQLITE_OPEN_READWRITE, error);
    if (status == BL_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(history->database, "main", file, "main");
        if (backup)
            sqlite3_backup_step(backup, -1);
        if (!backup || sqlite3_backup_finish(backup) != SQLITE_OK)
            status = bl_history_fail(history, error);
    }
    sqlite3_close(file);
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

/* A log that was left in a folder that may not be written to: SQLite reads it in a copy. */
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
    enum bl_status status = BL_OK;
    if (!copy_file(path, copy) || !copy_file(log, copied_log))
        status =
            bl_fail(error, BL_FILE_FAILED, "%s: cannot be copied to %s: %m", history->path, folder);
    if (status == BL_OK)
        status = connect(history, copy, SQLITE_OPEN_READWRITE, error);
    if (status == BL_OK)
        status = copy_to_memory(history, error);
    unlink(copied_log);
    unlink(copy);
    rmdir(folder);
    return status;
}

static enum bl_status connect_to_read(struct bl_history *history, const char *name,
                                      struct bl_error *error)
{
    char path[PATH_MAX], folder[PATH_MAX], uri[3 * PATH_MAX + 32];
    if (!realpath(name, path))
        return bl_fail(error, BL_FILE_FAILED,
                       errno == ENOENT
                           ? "%s: no history yet; 'bankline history add RUN.csv' begins one"
                           : "%s: %m",
                       history->path);
    strcpy(folder, path);
    const bool is_writable = access(path, W_OK) == 0 && access(dirname(folder), W_OK) == 0;
    const enum bl_status status = connect(history, path, SQLITE_OPEN_READWRITE, error);
    if (status != BL_OK)
        return status;
    const bool is_logged = has_log(history);
    if (is_logged && is_writable)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (is_writable)
        return BL_OK;
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
        status = bl_history_identify(history, &schema, &is_complete, error);
    if (status == BL_OK && schema == 0 && use == BL_HISTORY_READ)
        return bl_fail(error, BL_FILE_FAILED,
                       "%s: empty, no history yet; 'bankline history add RUN.csv' begins one",
                       history->path);
    if (status != BL_OK || is_complete)
        return status;
    status = copy_to_memory(history, error);
    return status == BL_OK ? bl_history_set_up(history, error) : status;
}

enum bl_status bl_history_open(const char *path, enum bl_history_use use,
                               struct bl_history **history, struct bl_error *error)
{
    char name[sizeof(*history)->path + 2]; /* ":memory:" and "file:..." are names like any other */
    *history = NULL;
    struct bl_history *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the history");
    enum bl_status status = BL_OK;
    if ((size_t)snprintf(opened->path, sizeof opened->path, "%s", path) >= sizeof opened->path)
        status = bl_fail(error, BL_FILE_FAILED, "the path of --db is too long");
    snprintf(name, sizeof name, "%s%s", path[0] == '/' ? "" : "./", opened->path);
    if (status == BL_OK && use == BL_HISTORY_READ_OR_NONE && access(name, F_OK) != 0 &&
        errno == ENOENT) {
        status = connect(opened, ":memory:", SQLITE_OPEN_READWRITE, error);
        if (status == BL_OK)
            status = bl_history_set_up(opened, error);
    } else if (status == BL_OK) {
        status = use == BL_HISTORY_ADD ? open_to_add(opened, name, error)
                                       : open_to_read(opened, name, use, error);
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
