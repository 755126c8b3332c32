/* One row of a device over time. */
#ifndef BANKLINE_CLI_SERIES_H
#define BANKLINE_CLI_SERIES_H

#include "cli/options.h"
#include "history/database.h"

struct bl_point {
    char run_id[64], time_utc[32], tool_version[64], driver[64];
    struct bl_interval ratio; /* the median is NAN where there is no number */
};

struct bl_series {
    char *device, *key;
    struct bl_point *points; /* oldest first */
    size_t count, capacity;
};

/* The series of a case's rows; free them with bl_series_free, whatever is returned. */
enum bl_status bl_series_read(struct bl_history *history, const char *case_glob, const char *device,
                              struct bl_series **series, size_t *count, struct bl_error *error);
void bl_series_free(struct bl_series *series, size_t count);

/* The first point at the level of the last one: from it on no point differs from the median of
 * those after it by more than the threshold and noise allow (report/change.h), and the one before
 * it does. 0 when all are at one level; points without a number are passed over. series has at
 * least one point with a number. */
size_t bl_series_first_at_level(const struct bl_series *series, double threshold);

/* Prints the points, and a sparkline on a terminal; or since when the level is what it is. */
void bl_series_show(const struct bl_series *series, const struct bl_options *options);
void bl_series_since(const struct bl_series *series, const struct bl_options *options);

/* Writes all points as CSV to the file, or to standard output where path is NULL. */
enum bl_status bl_series_export(struct bl_history *history, const char *path,
                                struct bl_error *error);

#endif
