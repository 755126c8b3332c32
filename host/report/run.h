/* The rows of one run (one run_id), usually read from a file. */
#ifndef BANKLINE_REPORT_RUN_H
#define BANKLINE_REPORT_RUN_H

#include <stdbool.h>

#include "measure/stats.h"
#include "report/row.h"

struct bl_run_rows {
    struct bl_run_info info;
    struct bl_row *rows; /* sorted by key (bl_run_sort); keys are unique */
    size_t count, capacity;
};

/* Reads a CSV with a single run. Free the run with bl_run_free, even after a failure. Fails with
 * BL_FILE_FAILED; with BL_NO_MEMORY; or with BL_BAD_FORMAT, and file and line, if the file is not a
 * CSV of rows, has no rows, has a row twice, or has a row that bl_run_check_row rejects, such as a
 * row of another run. */
enum bl_status bl_run_read(const char *path, struct bl_run_rows *run, struct bl_error *error);
void bl_run_free(struct bl_run_rows *run);

/* Appends a copy of a row, without its samples. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_run_add(struct bl_run_rows *run, const struct bl_row *row,
                          struct bl_error *error);

/* Sorts the rows by key. */
void bl_run_sort(struct bl_run_rows *run);

/* The machine that predicts all of the run's rows; "" if the rows have no machine. NULL if they
 * have several machines or there are no rows. */
const char *bl_run_machine(const struct bl_run_rows *run);

/* The row with this key, or NULL. */
const struct bl_row *bl_run_find(const struct bl_run_rows *run, const struct bl_row_key *key);

/* Checks a row that was read from line `line`. `run`, the description of the run in this row, must
 * equal `own`, the description in the run's first row. The measured ratio and the times, if known,
 * must be above 0 and lie in their intervals; times may have no intervals. Otherwise fails with
 * BL_BAD_FORMAT. */
enum bl_status bl_run_check_row(const struct bl_run_info *own, const struct bl_run_info *run,
                                const struct bl_row *row, size_t line, struct bl_error *error);

/* The interval of the row's ratio; its median is NAN if the row has no number. */
struct bl_interval bl_row_ratio(const struct bl_row *row);

/* Bytes per clock and compute unit, or else requests per ns; NAN if both are unknown. */
double bl_row_rate(const struct bl_row *row);

/* The lowest and the highest device_mhz of the rows; NAN if no row has a device_mhz. */
void bl_run_device_mhz(const struct bl_run_rows *run, double *lowest, double *highest);

#endif
