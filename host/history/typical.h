/* The typical value of a row over several runs, the change points of a row, and the number of runs
 * for which comparisons with the history were inconclusive. */
#ifndef BANKLINE_HISTORY_TYPICAL_H
#define BANKLINE_HISTORY_TYPICAL_H

#include "history/database.h"
#include "measure/stats.h"
#include "report/compare.h"

enum { BL_MAX_TYPICAL_POINTS = 100 };

/* How much the ratio of an unchanged row varies between runs, learnt from all rows. A single row's
 * variance is averaged with this variance of all rows. */
struct bl_spread_floor {
    double sd;          /* a standard deviation of logarithms */
    size_t differences; /* number of differences from which sd was learnt; 0 if sd is the default */
};

/* Computes the absolute change of the ratio's logarithm from each point with a number to the next
 * such point. points: oldest first. Skips pairs whose kernels differ. Writes fewer than `count`
 * differences, and returns their number. */
size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[]);

/* Computes the step to `next` from the newest point with a number: the logarithm of (ratio of
 * `next` / ratio of that point). Returns false if one of the two numbers is missing (`next` may be
 * NULL), or if the kernels differ. */
bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step);

/* Replaces the rows' steps from one run to the next (bl_run_step) by their distances from the
 * median step. The median step is a change of the whole run, so only the distances show the
 * spread. */
void bl_steps_to_differences(double steps[], size_t count);

/* Learns the spread of all rows from their differences; reorders the differences. The standard
 * deviation is computed from the median difference, so that the few rows that really changed hardly
 * count. If there are fewer than BL_MIN_SAMPLES differences, the standard deviation is 0.5 %. */
struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count);

/* Computes the typical row of `count` (at least 1) measurements of one row, oldest first. Uses at
 * most the last BL_MAX_TYPICAL_POINTS measurements that have a number, and no measurement before
 * the last change of kernels. measured, case_ns, baseline_ns, device_mhz, bytes_per_clock_cu and
 * ns_per_request are medians.
 *
 * The row's intervals contain 95 % of the measurements (1.96 times the scaled median absolute
 * deviation, in logarithms), but are not narrower than the median of the measurements' own
 * intervals. Few runs do not show the whole spread, so the row's variance is averaged with the
 * variance over all rows; floor_sd is the standard deviation over all rows.
 *
 * *runs receives the number of measurements used. If no measurement has a number, the row has the
 * status and reason of the last measurement. */
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
    /* Which past runs are used. 0: the last max_runs runs. 1: every second run of the last 2 x
     * max_runs, beginning with the newest. 2: the other runs of these 2 x max_runs. With fewer than
     * four past runs, all are used. If a first measurement uses 1 and its repetition uses 2, the
     * noise of a past run affects only one of them. */
    unsigned part;
};

/* The past runs and the spread on which a comparison with the history is based. */
struct bl_history_basis {
    size_t runs;                  /* number of past runs used */
    struct bl_spread_floor floor; /* learnt from all rows of `now` and of the last runs */
};

/* Builds the typical run with which `now` is compared: the bl_typical_row of every row over the
 * last runs before `now` that have a measured ratio, on the same card (on the same device, if a run
 * does not identify its card). For a row that has drifted up to `now`, only the runs before the
 * drift (but at least BL_LEVEL_POINTS) are used, and the row's note says when the drift began.
 * typical->info describes the newest past run or, if there is none, `now`. Free *typical with
 * bl_run_free, even after a failure. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  const struct bl_typical_settings *settings,
                                  struct bl_run_rows *typical, struct bl_history_basis *basis,
                                  struct bl_error *error);

/* The last change point of a row, and its typical ratio since then. */

/* The maximum number of a row's points that are examined; older points are ignored. */
enum { BL_MAX_SINCE_POINTS = 400 };

struct bl_since {
    size_t first; /* index of the change point, or of the point at which the drift began; if there
                     is neither, 0, or the first point with the newest kernels (is_other_kernel) */
    /* The typical ratios (medians) since the change point and before it. For a drift, the ratios at
     * its end and at its beginning. `before` is NAN if there is no change. */
    double typical, before;
    bool is_drift;        /* whether the ratio has drifted evenly since `first`, without a step */
    bool is_other_kernel; /* whether the point before `first` has other kernels */
};

/* Finds the last change point, or a drift, in the measurements of one row, oldest first; at least
 * one must have a number. A change point is a change of the typical ratio by at least the
 * threshold, a fraction, and by more than the spread between runs explains (measure/stats.h).
 * together: the number of rows that are examined together, which determines the limit for
 * chance. */
struct bl_since bl_since_of(const struct bl_row points[], size_t count, double threshold,
                            size_t together);

/* For how many consecutive runs, up to the newest, the comparison with the history was
 * inconclusive. */

/* The number of consecutive comparisons in which a row was `unclear`, counted back from the
 * newest. */
struct bl_inconclusive {
    size_t runs;
    bool is_over; /* counting has ended, because a run was conclusive or the maximum is reached */
};

/* Adds to the counts a comparison that is older than all comparisons added so far. rows[] has an
 * element for each row of `newest`, and both are sorted by key. `same`, `slower`, `faster` and
 * `baseline-moved` are conclusive. Rows that are missing, have no number or cannot be compared are
 * skipped. Counts up to `enough`. Returns for how many rows counting has not ended. */
size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[]);

/* Compares each of the last runs up to `now` with the `max` runs before it. For each row of `now`,
 * counts in how many consecutive runs, back from `now`, the row was `unclear` (measure/stats.h): 0
 * if the row is not `unclear` in `now`. Skips earlier runs that lack the row or in which the row
 * cannot be compared. Counts at most `enough` runs per row; counts[] has now->count elements. Fails
 * with BL_NO_MEMORY, or like bl_history_typical. */
enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error);

#endif
