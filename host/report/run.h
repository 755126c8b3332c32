/* A run read from a file: one run_id, all of its rows. */
#ifndef BANKLINE_REPORT_RUN_H
#define BANKLINE_REPORT_RUN_H

#include <stdbool.h>

#include "measure/stats.h"
#include "report/row.h"

struct bl_run_rows {
    struct bl_run_info info;
    struct bl_row *rows; /* sorted by key; no key twice */
    size_t count, capacity;
};

/* Reads the CSV of one run. BL_FILE_FAILED, BL_NO_MEMORY; BL_BAD_FORMAT, with the file and line,
 * for another kind of file, and one that has no rows, the same row twice, or rows of several runs.
 * Free it whatever is returned. */
enum bl_status bl_run_read(const char *path, struct bl_run_rows *run, struct bl_error *error);
void bl_run_free(struct bl_run_rows *run);

/* Appends a copy of a row, without its samples. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_run_add(struct bl_run_rows *run, const struct bl_row *row,
                          struct bl_error *error);

/* Sorts the rows by key. */
void bl_run_sort(struct bl_run_rows *run);

/* The row with this key, or NULL. */
const struct bl_row *bl_run_find(const struct bl_run_rows *run, const struct bl_row_key *key);

/* BL_OK when row `line` can belong to the run that `own` describes: the same run_id, device and all
 * else that describes a run, and a number that lies in its interval, above 0. Else BL_BAD_FORMAT.
 */
enum bl_status bl_run_check_row(const struct bl_run_info *own, const struct bl_run_info *run,
                                const struct bl_row *row, size_t line, struct bl_error *error);

/* The interval of the row's ratio; its median is NAN if there is no number. */
struct bl_interval bl_row_ratio(const struct bl_row *row);

/* Bytes per clock and compute unit, or else requests per nanosecond; NAN: both unknown. */
double bl_row_rate(const struct bl_row *row);

/* The lowest and the highest device_mhz of the rows; NAN where none has it. */
void bl_run_device_mhz(const struct bl_run_rows *run, double *lowest, double *highest);

/* Why the row has no number: its status and reason; "" where it has one. */
enum { BL_NO_NUMBER_REASON = 800 };
const char *bl_no_number_reason(const struct bl_row *row, char text[BL_NO_NUMBER_REASON]);

#endif
