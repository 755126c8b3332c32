/* What is typical of a row that was measured several times. */
#ifndef BANKLINE_HISTORY_TYPICAL_H
#define BANKLINE_HISTORY_TYPICAL_H

#include "history/database.h"
#include "measure/stats.h"

enum { BL_MAX_TYPICAL_POINTS = 100 };

/* The minimum spread between runs that is assumed. */
struct bl_spread_floor {
    double sd;          /* a standard deviation, in logarithms */
    size_t differences; /* how many differences it was learnt from; 0: it is the stated value */
};

/* By how much the ratio changed from one run to the next, in logarithms. points: oldest first;
 * pairs without two numbers, or with different kernels, are skipped. Writes at most count - 1 and
 * returns how many. */
size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[]);

/* *step: next / last, in logarithms, where last is the last of count points that has a number.
 * false: one of them is missing (next may be NULL), or their kernels differ. */
bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step);

/* Turns the steps of all rows to one run into differences that show the spread: what most steps
 * have in common is a change of the whole run, and is taken out. */
void bl_steps_to_differences(double steps[], size_t count);

/* The floor that the differences of all rows show: the standard deviation of a normal distribution
 * with their median, so that the few rows that did change hardly count. 0.5 % where there are fewer
 * than BL_MIN_SAMPLES of them. Their order changes. */
struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count);

/* The row that stands for the last BL_MAX_TYPICAL_POINTS of count >= 1 measurements of one row,
 * oldest first; only for those with the last one's kernels, others are not comparable. measured,
 * case_ns, baseline_ns, bytes_per_clock_cu and ns_per_request are their medians; the intervals the
 * spread that 95 % of them keep to (1.96 times the scaled median absolute deviation, in
 * logarithms), but no closer than the median of their own intervals, nor than runs with a spread of
 * floor_sd differ from the median of so many: ten runs show too little of their own spread.
 * *runs receives how many there were. Where none has a number, it has the last one's status and
 * reason. */
struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs);

/* The series of all rows in the last `max` runs, 100 at most, of the card that `now` was measured
 * on, before it.
 */
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
    unsigned part;    /* 0: the last runs. 1, 2: every second of twice as many, from the newest on,
                         and the others: what is measured again is held against other runs than the
                         first time, whose own chance would else decide twice. */
};

/* What a comparison with the history rests on. */
struct bl_history_basis {
    size_t runs;                  /* that there were */
    struct bl_spread_floor floor; /* learnt from these runs and `now`, over all of their rows */
};

/* A run to compare `now` with, made of the last runs of its card before it (of its device, where a
 * run does not tell the card) that have numbers: bl_typical_row of every row. Of a row that drifted
 * over the last 100 runs it is of those before the drift, and its note says since when.
 * typical->info is that of the newest of them. Free it with bl_run_free, whatever is returned. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  const struct bl_typical_settings *settings,
                                  struct bl_run_rows *typical, struct bl_history_basis *basis,
                                  struct bl_error *error);

/* Since when a row is at the level it has now. */

/* Older points are not looked at. */
enum { BL_MAX_SINCE_POINTS = 400 };

struct bl_since {
    size_t first; /* the first point at the level, or of the drift; 0: all are at one level */
    double level, before; /* medians of the last level and the one before; of a drift, now and when
                             it began; before is NAN where all are at one level */
    bool is_drift;        /* no step: it moved evenly from `first` on */
    bool is_other_kernel; /* the point before was measured by other kernels */
};

/* Of measurements of one row, oldest first; those without a number are passed over, and at least
 * one has one. Levels differ by the threshold, a fraction, and by more than the spread between runs
 * explains (measure/stats.h). together: rows that are looked at together. */
struct bl_since bl_since_of(const struct bl_row points[], size_t count, double threshold,
                            size_t together);

#endif
