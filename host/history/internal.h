/* Inside host/history only. */
#ifndef BANKLINE_HISTORY_INTERNAL_H
#define BANKLINE_HISTORY_INTERNAL_H

#include <sqlite3.h>

#include "history/database.h"

struct bl_history {
    sqlite3 *database;
    char path[4096];
    int busy_timeout_ms;
};

/* BL_FILE_FAILED with the path and SQLite's words. */
enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error);

/* Prepares a statement and binds texts to its parameters, NULL ending them. */
enum bl_status bl_history_prepare(struct bl_history *history, const char *sql,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error);

/* A text column; "" for NULL. */
const char *bl_history_text(sqlite3_stmt *statement, int column);

/* A number column; NAN for NULL. */
double bl_history_number(sqlite3_stmt *statement, int column);

#endif
