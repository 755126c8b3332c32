/* The typical value of a row over several runs, the change points of a row, and for how many runs
 * comparisons with the history were inconclusive. */
#ifndef BANKLINE_HISTORY_TYPICAL_H
#define BANKLINE_HISTORY_TYPICAL_H

#include "history/database.h"
#include "measure/stats.h"
#include "report/compare.h"

enum { BL_MAX_TYPICAL_POINTS = 100 };

/* The spread of all rows between runs, with which a row's own spread is averaged. */
struct bl_spread_floor {
    double sd;          /* a standard deviation of logarithms */
    size_t differences; /* how many differences sd was learnt from; 0 if sd is the default */
};

/* Computes how the logarithm of the ratio changed from each run to the next. points: oldest first.
 * Skips pairs in which a number is missing or the kernels differ. Writes at most count - 1
 * differences; returns how many. */
size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[]);

/* Computes the logarithm of next / last; last is the newest point that has a number. Returns false
 * if either number is missing (next may be NULL) or if their kernels differ. */
bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step);

/* Turns the steps of all rows to one run into differences that show the spread: subtracts the
 * steps' median, which is a change of the whole run. */
void bl_steps_to_differences(double steps[], size_t count);

/* Learns the floor from the differences of all rows, and reorders these. The floor is the standard
 * deviation of a normal distribution that has the same median absolute value as the differences, so
 * that the few rows that really changed hardly count; 0.5 % if there are fewer than BL_MIN_SAMPLES
 * differences. */
struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count);

/* Computes a row that represents the last BL_MAX_TYPICAL_POINTS of count >= 1 measurements of one
 * row, oldest first; measurements with other kernels than the last are skipped. measured, case_ns,
 * baseline_ns, bytes_per_clock_cu and ns_per_request are medians. Intervals hold 95 % of the
 * measurements (1.96 times the scaled median absolute deviation, in logarithms), but are not
 * narrower than the median of the measurements' own intervals. Because few runs do not show their
 * whole spread, the row's variance is also averaged with that of all rows, floor_sd. *runs receives
 * the number of measurements used. If no measurement has a number, the row has the last one's
 * status and reason. */
struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs);

/* Calls the handler for the series of all rows in the last `max` (at most 100) runs before `now` on
 * the same card. */
enum bl_status bl_history_recent(struct bl_history *history, const struct bl_run_rows *now,
                                 size_t max, bl_series_handler *handle, void *context,
                                 struct bl_error *error);

struct bl_typical_settings {
    size_t max_runs;
    double threshold; /* the smallest drift that is reported, a fraction */
    /* Which past runs are used. 0: the last max_runs. 1: of the last 2 x max_runs, every second
     * run, beginning with the newest. 2: of the last 2 x max_runs, the runs that 1 leaves out. If a
     * first measurement uses 1 and its repetition uses 2, noise in the same past runs does not
     * affect both. */
    unsigned part;
};

/* The basis of a comparison with the history. */
struct bl_history_basis {
    size_t runs;                  /* number of past runs found */
    struct bl_spread_floor floor; /* learnt from all rows of these runs and of `now` */
};

/* Builds the typical run, to compare `now` with. It has the bl_typical_row of every row in the last
 * runs with numbers before `now` on the same card (on the same device, if a run does not identify
 * its card). For a row that drifted over the last 100 runs, only the runs before the drift are
 * used, and the row's note says when the drift began. typical->info describes the newest of these
 * runs. Free *typical with bl_run_free, even after a failure. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  const struct bl_typical_settings *settings,
                                  struct bl_run_rows *typical, struct bl_history_basis *basis,
                                  struct bl_error *error);

/* The last change point of a row, and its typical ratio since then. */

/* Older points are ignored. */
enum { BL_MAX_SINCE_POINTS = 400 };

struct bl_since {
    size_t first; /* index of the change point, or of the point at which the drift began; 0: none */
    /* The typical ratio since the change point and the typical ratio before it (medians), or the
     * ratios at the drift's end and beginning. `before` is NAN if there is no change. */
    double typical, before;
    bool is_drift;        /* the ratio drifted evenly since `first`, without a step */
    bool is_other_kernel; /* the point before `first` has other kernels */
};

/* Examines the measurements of one row, oldest first; at least one must have a number. At a change
 * point the typical ratio changes by at least the threshold, a fraction, and by more than the
 * spread between runs explains (measure/stats.h). together: the number of rows that are examined
 * together, which determines the limit for chance. */
struct bl_since bl_since_of(const struct bl_row points[], size_t count, double threshold,
                            size_t together);

/* Counts for how many consecutive runs the comparison with the history was inconclusive. */

/* In how many consecutive comparisons, counted back from the newest, a row was `unclear`. */
struct bl_inconclusive {
    size_t runs;
    bool is_over; /* counting has ended: a run was conclusive, or the maximum is reached */
};

/* Adds a comparison that is older than those added before. rows[] has an element for each row of
 * `newest`, which is sorted by key. `same`, `slower`, `faster` and `baseline-moved` are conclusive;
 * rows that are missing, have no number or cannot be compared are skipped. Counts up to `enough`;
 * returns how many rows are still being counted. */
size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[]);

/* Counts, for each row of `now`, in how many consecutive runs up to `now` the row was `unclear`
 * (measure/stats.h) when each run is compared with the `max` runs before it. Runs that lack the
 * row, or have nothing to compare it with, are skipped. Counts at most `enough` runs per row;
 * counts[] has now->count elements. Fails with BL_NO_MEMORY, or as bl_history_typical does. */
enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error);

#endif
