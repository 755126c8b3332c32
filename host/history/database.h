/* Runs over time, in a SQLite database (WAL, so that readers never wait; never on a network share).
 *
 * A run is added once, whole or not at all, by its run_id. Rows are found by case, type, shape,
 * lanes, working set and machine, as `compare` does (report/compare.h).
 */
#ifndef BANKLINE_HISTORY_DATABASE_H
#define BANKLINE_HISTORY_DATABASE_H

#include <stdio.h>

#include "report/compare.h"

struct bl_history;

/* Opens the database, and makes it and its folder where there is none unless must_exist. path NULL:
 * bankline/history.db under XDG_DATA_HOME, or ~/.local/share. BL_FILE_FAILED with the path, also
 * for a file that is locked, read-only or no database; BL_BAD_FORMAT for one of a newer bankline.
 * Close *history, which is NULL after a failure. */
enum bl_status bl_history_open(const char *path, bool must_exist, struct bl_history **history,
                               struct bl_error *error);
void bl_history_close(struct bl_history *history);

/* How long it waits for another writer: 30 s unless told. */
void bl_history_set_busy_timeout(struct bl_history *history, int milliseconds);

/* Adds the run of a CSV; *added is false when it was there already. BL_OK; as bl_run_file_read;
 * BL_BAD_FORMAT when the rows have no run_id; BL_FILE_FAILED, and the database is as it was. */
enum bl_status bl_history_add(struct bl_history *history, const char *csv_path, bool *added,
                              struct bl_error *error);

/* One run, oldest first. Texts are valid during the call alone. */
struct bl_history_run {
    const char *run_id, *time_utc, *tool_version, *host, *device, *driver;
    unsigned rows, without_number;
};
typedef void bl_history_run_handler(void *context, const struct bl_history_run *run);
enum bl_status bl_history_runs(struct bl_history *history, bl_history_run_handler *handle,
                               void *context, struct bl_error *error);

/* The points of one row over time, oldest first, device by device and key by key. */
struct bl_history_point {
    const char *run_id, *time_utc, *tool_version, *device, *driver, *key;
    double ratio, lo, hi; /* NAN: no number, and reason says why */
    const char *reason;
};
typedef void bl_history_point_handler(void *context, const struct bl_history_point *point);

/* Of the rows whose case is this id or matches this glob; device NULL: of all. */
enum bl_status bl_history_points(struct bl_history *history, const char *case_glob,
                                 const char *device, bl_history_point_handler *handle,
                                 void *context, struct bl_error *error);

/* A run to compare with, made of the last `most` runs of the device before run_id that have
 * numbers: every row's median, and as its interval the spread that 95 % of runs keep to (1.96 times
 * the scaled median absolute deviation), but not less than the median of their own intervals; rows
 * that never had a number have none. typical->about is what the newest of them says of its driver
 * and host. *runs receives how many there were. Free it with bl_run_file_free, whatever is
 * returned. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_row *about,
                                  unsigned max, struct bl_run_file *typical, unsigned *runs,
                                  struct bl_error *error);

#endif
