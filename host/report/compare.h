/* Two runs of the same cases, row against row. */
#ifndef BANKLINE_REPORT_COMPARE_H
#define BANKLINE_REPORT_COMPARE_H

#include "report/change.h"
#include "report/row.h"

/* What comparing needs of a row. */
struct bl_run_row {
    char *key;   /* case, type, shape, lanes, working set and machine, '\n' between them */
    size_t line; /* of the file */
    struct bl_interval ratio; /* to the baseline; the median is NAN where there is no number */
    double rate;  /* bytes a clock and compute unit, or requests a nanosecond; NAN: neither */
    char *reason; /* status and reason of a row without a number; else NULL */
};

/* A run as it was read, sorted by key; and what its first row says of it. */
struct bl_run_file {
    struct bl_run_row *rows;
    size_t count, capacity;
    struct bl_row about;
    double min_mhz, max_mhz; /* device_mhz of all rows; NAN where none tells it */
};

/* Reads a run's CSV. bl_run_file_free frees it, whatever is returned. BL_FILE_FAILED, BL_NO_MEMORY;
 * BL_BAD_FORMAT, with the file and line, for what is no such file, has no rows, the same row twice,
 * or rows of several devices. */
enum bl_status bl_run_file_read(const char *path, struct bl_run_file *run, struct bl_error *error);
void bl_run_file_free(struct bl_run_file *run);

/* Keeps the rows of those cases alone whose id one of the globs matches. Returns how many. */
size_t bl_run_file_select(struct bl_run_file *run, const char *const globs[], size_t glob_count);

struct bl_compared {
    const char *key;
    const struct bl_run_row *before, *after; /* one may be NULL: missing, or new */
    enum bl_change change;
    double by;        /* after / before - 1, of the ratio or of the rate; NAN without two numbers */
    bool is_absolute; /* it is the rate that changed */
};

struct bl_comparing {
    double threshold; /* a fraction: the change that is to be found */
    bool absolute;    /* also the rate, which depends on clocks */
};

/* A comparison, as those who write it down want it; the runs and rows are the caller's. */
struct bl_comparison {
    const struct bl_run_file *before, *after;
    const struct bl_compared *rows; /* count of them */
    size_t count;
    double threshold;
};

/* Compares all rows; the caller frees *compared, *count of them, in the order of their keys. The
 * runs must outlive it. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_compare(const struct bl_run_file *before, const struct bl_run_file *after,
                          const struct bl_comparing *comparing, struct bl_compared **compared,
                          size_t *count, struct bl_error *error);

/* How many rows there are of each change. */
void bl_count_changes(const struct bl_compared compared[], size_t count,
                      size_t counts[BL_CHANGE_COUNT]);

/* Part `number` of a row's key: case, type, shape, lanes, working set, machine. *length receives
 * its length; it is not ended by a zero byte. */
const char *bl_key_part(const char *key, unsigned number, size_t *length);

#endif
