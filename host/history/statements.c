/* Expands SQL templates, runs statements, binds columns to parameters and reads them from results.
 */
#include "history/statements.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/file.h"

enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error)
{
    const bool no_memory = sqlite3_errcode(history->database) == SQLITE_NOMEM;
    return bl_fail(error, no_memory ? BL_NO_MEMORY : BL_FILE_FAILED, "%s: %s", history->path,
                   sqlite3_errmsg(history->database));
}

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

/* Expands a template to SQL; the caller frees *text with sqlite3_free. */
static enum bl_status expand(const struct bl_history *history, const char *template, char **text,
                             struct bl_error *error)
{
    static const char *const groups[] = {
        [BL_COLUMN_OF_RUN] = "{run:", [BL_COLUMN_OF_KEY] = "{key:", [BL_COLUMN_OF_ROW] = "{row:"};
    sqlite3_str *sql = sqlite3_str_new(NULL);
    while (*template) {
        const size_t plain = strcspn(template, "{");
        sqlite3_str_append(sql, template, (int)plain);
        template += plain;
        if (!*template)
            break;
        const size_t begin = strlen(groups[0]), length = strcspn(template + begin, "}");
        for (unsigned owner = 0; owner < sizeof groups / sizeof groups[0]; owner++)
            if (strncmp(template, groups[owner], begin) == 0)
                repeat(sql, (enum bl_column_owner)owner, template + begin, length);
        template += begin + length + 1;
    }
    *text = sqlite3_str_finish(sql);
    return *text ? BL_OK : bl_fail(error, BL_NO_MEMORY, "%s: out of memory", history->path);
}

enum bl_status bl_history_execute(struct bl_history *history, const char *template,
                                  struct bl_error *error)
{
    char *sql;
    enum bl_status status = expand(history, template, &sql, error);
    if (status == BL_OK && sqlite3_exec(history->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        status = bl_history_fail(history, error);
    sqlite3_free(sql);
    return status;
}

enum bl_status bl_history_prepare(struct bl_history *history, const char *template,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error)
{
    char *sql;
    *statement = NULL;
    enum bl_status status = expand(history, template, &sql, error);
    if (status == BL_OK &&
        sqlite3_prepare_v2(history->database, sql, -1, statement, NULL) != SQLITE_OK)
        status = bl_history_fail(history, error);
    for (int i = 0; texts && texts[i] && status == BL_OK; i++)
        if (sqlite3_bind_text(*statement, i + 1, texts[i], -1, SQLITE_TRANSIENT) != SQLITE_OK)
            status = bl_history_fail(history, error);
    sqlite3_free(sql);
    return status;
}

/* Iterates over the columns of these owners (bits), owner by owner, which is their order in
 * statements. Returns the column after `last`, the first column if `last` is NULL, or NULL at the
 * end. */
static const struct bl_column *next_column(unsigned owners, const struct bl_column *last)
{
    size_t i = last ? (size_t)(last - bl_columns) + 1 : 0;
    for (unsigned owner = last ? last->owner : 0; owner <= BL_COLUMN_OF_ROW; owner++, i = 0)
        for (; i < BL_COLUMN_COUNT && owners >> owner & 1; i++)
            if (bl_columns[i].owner == owner)
                return &bl_columns[i];
    return NULL;
}

/* Columns of kind NUMBER are bound as doubles, because SQLite rounds some texts differently than
 * strtod does. All other columns are bound as text, which SQLite converts if the column is
 * numeric. */
enum bl_status bl_history_insert(struct bl_history *history, sqlite3_stmt *statement, int from,
                                 unsigned columns, const struct bl_run_info *run,
                                 const struct bl_row *row, struct bl_error *error)
{
    char buffer[BL_COLUMN_BUFFER];
    const struct bl_column *column = NULL;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && (column = next_column(columns, column))) {
        const bool is_key = column->owner == BL_COLUMN_OF_KEY;
        const double number = bl_column_number(column, run, row);
        const char *text = is_key ? bl_key_text(column, &row->key, buffer)
                                  : bl_column_text(column, run, row, buffer);
        code = column->kind == BL_COLUMN_NUMBER && isfinite(number)
                   ? sqlite3_bind_double(statement, from++, number)
                   : sqlite3_bind_text(statement, from++, *text || is_key ? text : NULL, -1,
                                       SQLITE_TRANSIENT);
    }
    if (code == SQLITE_OK)
        sqlite3_step(statement); /* if the step failed, sqlite3_reset returns the step's error
                                    again */
    if (code == SQLITE_OK)
        code = sqlite3_reset(statement);
    return code == SQLITE_OK ? BL_OK : bl_history_fail(history, error);
}

static const double DEFAULT_PRECISION = 0.005; /* the default of --precision when schema 1 was in
                                                  use */

/* Whether the row is noisy. Schema 1 did not store the status of measured rows, but the interval's
 * width shows it. */
static bool is_wide(const struct bl_row *row)
{
    const double half = fmax(row->measured_hi - row->measured, row->measured - row->measured_lo);
    return half > DEFAULT_PRECISION * row->measured;
}

enum bl_status bl_history_take(const struct bl_history *history, sqlite3_stmt *statement, int from,
                               unsigned columns, struct bl_run_info *run, struct bl_row *row,
                               struct bl_error *error)
{
    bool has_status = false;
    const struct bl_column *column = NULL;
    while ((column = next_column(columns, column))) {
        const bool is_known = sqlite3_column_type(statement, from) != SQLITE_NULL;
        const char *text = (const char *)sqlite3_column_text(statement, from++);
        if (is_known && !text)
            return bl_history_fail(history, error);
        if (is_known && !bl_column_parse(column, text, run, row))
            return bl_fail(error, BL_BAD_FORMAT, "%s: column %s cannot be '%.60s'", history->path,
                           column->name, text);
        has_status |= is_known && column->kind == BL_COLUMN_STATUS;
    }
    if (columns & BL_ROW_COLUMNS && !has_status && is_wide(row))
        row->status = BL_ROW_NOISY;
    return BL_OK;
}

void bl_history_text(sqlite3_stmt *statement, int column, char text[], size_t size)
{
    const char *value = (const char *)sqlite3_column_text(statement, column);
    snprintf(text, size, "%s", value ? value : "");
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

static enum bl_status take_numbers(struct bl_history *history, sqlite3_stmt *statement,
                                   void *context, struct bl_error *error)
{
    (void)history, (void)error;
    int *numbers = context;
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        numbers[i] = sqlite3_column_int(statement, i);
    return BL_OK;
}

enum bl_status bl_history_ask(struct bl_history *history, const char *template,
                              const char *const texts[], int numbers[], struct bl_error *error)
{
    return bl_history_each(history, template, texts, take_numbers, numbers, error);
}

enum { NAP_MS = 10 };

/* Retries while the database is busy, because SQLite itself does not wait for some locks, such as
 * the lock for switching to write-ahead logging. */
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
