/* Functions for tests of the history: a database in a temporary folder, and SQL to inspect it. */
#ifndef BANKLINE_TESTS_HISTORY_FILES_H
#define BANKLINE_TESTS_HISTORY_FILES_H

#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/database.h"

static struct bl_error error;
static char folder[] = "/tmp/bankline-history-XXXXXX";
static char path[64], run[4096], old_database[4096];

/* Creates the folder, and sets the paths of the database (which does not exist yet), of a run's CSV
 * and of a database of schema 1. */
static inline void make(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.db", folder);
    const char *source = getenv("BANKLINE_SOURCE");
    snprintf(run, sizeof run, "%s/tests/golden/nvidia-h100-schema-3.csv", source);
    snprintf(old_database, sizeof old_database, "%s/tests/golden/history-schema-1.db", source);
}

static inline void unmake(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static inline void execute(const char *sql)
{
    sqlite3 *database;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(database));
    sqlite3_close(database);
}

/* The first column of the first row that an SQL query returns. */
static inline sqlite3_int64 number(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    const sqlite3_int64 value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
}

static inline struct bl_history *opened(enum bl_history_use use)
{
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, use, &history, &error), BL_OK, "%s", error.sentence);
    return history;
}

static inline void add_run(const char *csv)
{
    struct bl_history_added added;
    struct bl_history *history = opened(BL_HISTORY_ADD);
    cr_assert_eq(bl_history_add(history, csv, &added, &error), BL_OK, "%s", error.sentence);
    bl_history_close(history);
}

/* Reads a whole file. The caller frees the bytes. */
static char *bytes_of(const char *name, size_t *size)
{
    struct stat about;
    cr_assert_eq(stat(name, &about), 0, "%s", name);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    FILE *file = fopen(name, "rb");
    cr_assert(bytes && file && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

/* Checks that the history cannot be opened, that the message contains these words, and that the
 * database and its write-ahead log do not change. */
static inline void refused(enum bl_history_use use, enum bl_status status, const char *words)
{
    char log[80];
    size_t size[2], log_size[2] = {0};
    snprintf(log, sizeof log, "%s-wal", path);
    const bool has_log = access(log, F_OK) == 0;
    char *before = bytes_of(path, &size[0]);
    char *log_before = has_log ? bytes_of(log, &log_size[0]) : NULL;
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, use, &history, &error), status, "%s", error.sentence);
    cr_assert_null(history);
    cr_assert(strstr(error.sentence, words) && strstr(error.sentence, path), "%s", error.sentence);
    char *after = bytes_of(path, &size[1]);
    cr_assert(size[0] == size[1] && memcmp(before, after, size[0]) == 0, "the file changed: %s",
              words);
    cr_assert_eq(access(log, F_OK) == 0, has_log);
    if (has_log) {
        char *log_after = bytes_of(log, &log_size[1]);
        cr_assert(log_size[0] == log_size[1] && memcmp(log_before, log_after, log_size[0]) == 0);
        free(log_after);
    }
    free(before);
    free(log_before);
    free(after);
}

static inline void refused_both_ways(const char *words)
{
    refused(BL_HISTORY_READ, BL_BAD_FORMAT, words);
    refused(BL_HISTORY_ADD, BL_BAD_FORMAT, words);
}

/* A row handler that counts rows; the context points to a size_t. */
static inline enum bl_status count_row(void *context, const struct bl_run_info *info,
                                       const struct bl_row *row, size_t position,
                                       struct bl_error *fail)
{
    (void)info, (void)row, (void)position, (void)fail;
    ++*(size_t *)context;
    return BL_OK;
}

#endif
