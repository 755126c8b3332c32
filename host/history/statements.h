/* Private to host/history: SQL statements, generated from the columns of a row
 * (report/columns.h). */
#ifndef BANKLINE_HISTORY_STATEMENTS_H
#define BANKLINE_HISTORY_STATEMENTS_H

#include <sqlite3.h>

#include "history/database.h"

struct bl_history {
    sqlite3 *database;
    char path[4096]; /* the path as the user gave it */
    int busy_timeout_ms;
};

/* If the database is in memory because the history's file is missing, creates and opens the file,
 * and keeps the temporary tables. Otherwise does nothing. Fails like bl_history_open; the database
 * is then still in memory. */
enum bl_status bl_history_create(struct bl_history *history, struct bl_error *error);

/* Reports SQLite's latest error as BL_FILE_FAILED or BL_NO_MEMORY, with the path and SQLite's
 * message. */
enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error);

/* The SQL type of a column. The columns of a key are never NULL, because SQL regards two NULLs as
 * different, and keys must be unique. */
const char *bl_history_type(const struct bl_column *column);

/* Executes SQL that is expanded from a template, so that no statement lists columns. {run:TEXT}
 * repeats TEXT for each column that describes a run, {key:TEXT} for each column of a key,
 * {row:TEXT} for each other column of a row. In TEXT, @ stands for the column's name and # for its
 * type. bl_history_execute and bl_history_prepare fail with the status of bl_history_fail. */
enum bl_status bl_history_execute(struct bl_history *history, const char *template,
                                  struct bl_error *error);

/* Prepares a statement and binds texts (ended by NULL) to its parameters. The caller finalizes
 * *statement, even after a failure. */
enum bl_status bl_history_prepare(struct bl_history *history, const char *template,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error);

/* Calls `act` repeatedly while another process holds the lock, until the history's timeout. */
enum bl_status bl_history_persist(struct bl_history *history,
                                  enum bl_status (*act)(struct bl_history *, struct bl_error *),
                                  struct bl_error *error);

/* Groups of columns. In a statement the columns of the run come first, then the columns of the key,
 * then the columns of the row. */
enum {
    BL_RUN_COLUMNS = 1 << BL_COLUMN_OF_RUN,
    BL_KEY_COLUMNS = 1 << BL_COLUMN_OF_KEY,
    BL_ROW_COLUMNS = 1 << BL_COLUMN_OF_ROW
};

/* Binds the values of these columns to the statement's parameters from number `from` on, and
 * executes the statement; the caller has bound the other parameters. Unknown values become NULL; in
 * a key, which must be unique, they become "" or 0. Call this function in the C locale. Fails with
 * the status of bl_history_fail. */
enum bl_status bl_history_insert(struct bl_history *history, sqlite3_stmt *statement, int from,
                                 unsigned columns, const struct bl_run_info *run,
                                 const struct bl_row *row, struct bl_error *error);

/* Reads these columns, which begin at column `from` of the result, into a run and a row that must
 * be empty. Fails with BL_BAD_FORMAT for an invalid value, or with the status of bl_history_fail.
 */
enum bl_status bl_history_take(const struct bl_history *history, sqlite3_stmt *statement, int from,
                               unsigned columns, struct bl_run_info *run, struct bl_row *row,
                               struct bl_error *error);

/* Copies a text column of the result into text[], truncated to fit into `size` bytes; "" for NULL.
 */
void bl_history_text(sqlite3_stmt *statement, int column, char text[], size_t size);

/* Executes a query and calls `step` for each row of its result. A status of `step` other than BL_OK
 * ends the query and is returned. */
typedef enum bl_status bl_history_step(struct bl_history *history, sqlite3_stmt *statement,
                                       void *context, struct bl_error *error);
enum bl_status bl_history_each(struct bl_history *history, const char *template,
                               const char *const texts[], bl_history_step *step, void *context,
                               struct bl_error *error);

/* Executes a query whose result has at most one row, and copies the row's integers to numbers[]. If
 * there is no row, numbers[] stays unchanged. */
enum bl_status bl_history_ask(struct bl_history *history, const char *template,
                              const char *const texts[], int numbers[], struct bl_error *error);

/* Queries that several files need (queries.c). */

/* BL_SELECT_ROWS selects the columns of rows and of their runs; append FROM. BL_SELECT_POINTS
 * selects the points of series; append a condition and then BL_BY_SERIES or, if all points are of
 * one card, ORDER BY BL_BY_ROW. */
#define BL_SELECT_ROWS "SELECT position{run:, run.[@]}{key:, case_key.[@]}{row:, measured.[@]} "
#define BL_SELECT_POINTS                                                                    \
    BL_SELECT_ROWS "FROM case_key JOIN measured ON measured.key = case_key.id JOIN run ON " \
                   "run.id = measured.run "
/* The columns of a key that identify the same row in different runs (bl_row_key_compare). Keys that
 * differ only in the machine have different ids in case_key; BL_SAME_KEY selects the smallest of
 * these ids. */
#define BL_ROW_KEY "[case], type, shape, lanes, working_set_bytes"
#define BL_SAME_KEY "min(id) OVER (PARTITION BY " BL_ROW_KEY ") "
#define BL_BY_ROW BL_ROW_KEY ", time_utc, run.id"
#define BL_BY_SERIES "ORDER BY device, ifnull(device_id, ''), " BL_BY_ROW

/* Selects the last ?4 runs of device ?1 that have a measured ratio, newest first. Excludes run ?2,
 * runs after time ?3 and, if ?5 is not '', runs that identify a card other than ?5. */
#define BL_LAST_RUNS                                                                           \
    "FROM run WHERE ifnull(device, '') = ?1 AND run_id <> ?2 AND ifnull(time_utc, '') <= ?3 "  \
    "AND (?5 = '' OR ifnull(device_id, '') IN ('', ?5)) "                                      \
    "AND EXISTS (SELECT 1 FROM measured WHERE measured.run = run.id AND measured IS NOT NULL)" \
    " ORDER BY time_utc DESC, id DESC LIMIT ?4"

/* In SQL, one day from now. A run with a later time is from a host whose clock is wrong. */
#define BL_TOMORROW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+1 day')"

/* Calls the handler for each series of a statement made with BL_SELECT_POINTS. is_one_card: all
 * runs are from one card, even if some runs do not identify it. */
enum bl_status bl_history_each_series(struct bl_history *history, const char *template,
                                      const char *const texts[], bool is_one_card,
                                      bl_series_handler *handle, void *context,
                                      struct bl_error *error);

/* Calls the handler for the series of one row on the card of the run `card`. */
enum bl_status bl_history_series_of_card(struct bl_history *history, const struct bl_run_info *card,
                                         const struct bl_row_key *key, bl_series_handler *handle,
                                         void *context, struct bl_error *error);

/* Finds since when the card has been as fast as in the run `card`. Earlier runs that have at least
 * half of this run's rows are compared with this run, by the median change of the rows' times; rows
 * whose kernels differ do not count. Runs are compared from new to old until the change of a run
 * exceeds `threshold`. `since` receives the time of the oldest run that was still within
 * `threshold`, and *is_first whether all runs were. */
enum bl_status bl_history_speed_since(struct bl_history *history, const struct bl_run_info *card,
                                      double threshold, char since[32], bool *is_first,
                                      struct bl_error *error);

/* Calls the handler for each run of a statement whose columns are two counts and then {run:[@]}. */
enum bl_status bl_history_each_run(struct bl_history *history, const char *template,
                                   const char *const texts[], bl_history_run_handler *handle,
                                   void *context, struct bl_error *error);

#endif
