/* The typical value of a row that was measured several times. */
#ifndef BANKLINE_HISTORY_TYPICAL_H
#define BANKLINE_HISTORY_TYPICAL_H

#include "history/database.h"
#include "measure/stats.h"

enum { BL_MAX_TYPICAL_POINTS = 100 };

/* The min spread between runs that is assumed. */
struct bl_spread_floor {
    double sd;          /* standard deviation of logarithms */
    size_t differences; /* number of differences it was learnt from; 0: the stated value */
};

/* By how much the ratio changed from one run to the next, in logarithms. points: oldest first;
 * pairs without two numbers, or with different kernels, are skipped. Writes at most count - 1 steps
 * and returns their number. */
size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[]);

/* step: the logarithm of next / last, where last is the newest of count points with a number.
 * Returns false if one is missing (next may be NULL) or their kernels differ. */
bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step);

/* Turns the steps of all rows to one run into differences that show the spread: the change that
 * most steps share belongs to the whole run and is removed. */
void bl_steps_to_differences(double steps[], size_t count);

/* The floor that the differences of all rows show: the standard deviation of a normal distribution
 * with their median, so that the few rows that did change hardly count. 0.5 % if there are fewer
 * than BL_MIN_SAMPLES differences, which are reordered. */
struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count);

/* The row that stands for the last BL_MAX_TYPICAL_POINTS of count >= 1 measurements of one row,
 * oldest first; measurements with other kernels than the last are skipped. measured, case_ns,
 * baseline_ns, bytes_per_clock_cu and ns_per_request are their medians; the intervals hold 95 % of
 * them (1.96 times the scaled median absolute deviation, in logarithms), but are no narrower than
 * the median of their own intervals, nor than the difference between a run and the median of that
 * many runs at a spread of floor_sd: ten runs show too little of their own spread. *runs receives
 * the number of measurements used. If none has a number, the row has the last one's status and
 * reason. */
struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs);

/* The series of all rows in the last `max` runs, at most 100, before `now` on the same card. */
enum bl_status bl_history_recent(struct bl_history *history, const struct bl_run_rows *now,
                                 size_t max, bl_series_handler *handle, void *context,
                                 struct bl_error *error);

/* The same runs without their rows, newest first; the handler's counts are 0. */
enum bl_status bl_history_last_runs(struct bl_history *history, const struct bl_run_info *now,
                                    size_t max, bl_history_run_handler *handle, void *context,
                                    struct bl_error *error);

struct bl_typical_settings {
    size_t max_runs;
    double threshold; /* a fraction: a drift as large as this is reported */
    unsigned part; /* 0: the last runs. 1: every second of twice as many, from the newest on; 2: the
                      others. A repeated measurement is then compared with other runs than the
                      first: otherwise chance in the same runs would decide both times. */
};

/* What a comparison with the history rests on. */
struct bl_history_basis {
    size_t runs;                  /* number of runs found */
    struct bl_spread_floor floor; /* learnt from all rows of these runs and `now` */
};

/* A run to compare `now` with: bl_typical_row of every row in the last runs with numbers, before
 * `now` on its card (on its device, if a run does not identify the card). For a row that drifted
 * over the last 100 runs, only the runs before the drift count, and its note says since when.
 * typical->info is that of the newest run. Free it with bl_run_free, whatever is returned. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  const struct bl_typical_settings *settings,
                                  struct bl_run_rows *typical, struct bl_history_basis *basis,
                                  struct bl_error *error);

/* Since when a row has been at its present level. */

/* Older points are ignored. */
enum { BL_MAX_SINCE_POINTS = 400 };

struct bl_since {
    size_t first; /* the first point at the level, or of the drift; 0: all are at one level */
    double level, before; /* medians of the last level and the one before; of a drift, now and when
                             it began; before is NAN where all are at one level */
    bool is_drift;        /* the row drifted evenly from `first` on, without a step */
    bool is_other_kernel; /* the point before `first` has other kernels */
};

/* Examines measurements of one row, oldest first; at least one has a number, those without are
 * skipped. Levels differ by the threshold, a fraction, and by more than the spread between runs
 * explains (measure/stats.h). together: rows that are examined together. */
struct bl_since bl_since_of(const struct bl_row points[], size_t count, double threshold,
                            size_t together);

#endif
