/* Whether one measurement differs from an earlier one of the same case. */
#ifndef BANKLINE_REPORT_CHANGE_H
#define BANKLINE_REPORT_CHANGE_H

#include <stdbool.h>

#include "measure/stats.h"

enum bl_change {
    BL_CHANGE_SAME, /* the change is certainly less than the threshold */
    BL_CHANGE_SLOWER,
    BL_CHANGE_FASTER,
    BL_CHANGE_UNCLEAR,  /* the intervals cannot tell */
    BL_CHANGE_MISSING,  /* the row is gone */
    BL_CHANGE_NEW,      /* there was no such row, or it had no number */
    BL_CHANGE_BROKEN,   /* it had a number and has none now */
    BL_CHANGE_BASELINE, /* the ratio moved, its own time did not: it is the baseline that changed */
    BL_CHANGE_KERNEL,   /* not comparable: another kernel, other options or another sampler */
    BL_CHANGE_COUNT
};

/* "same", "slower", ... */
const char *bl_change_name(enum bl_change change);

/* Slower, missing or broken: what a regression job is for. */
bool bl_change_is_bad(enum bl_change change);

/* So many half-widths, added as errors are, must lie between two medians that differ. */
#define BL_CHANGE_CERTAIN 1.9

/* Throughputs, or ratios of throughputs, before and after: medians with their 95 % intervals, all
 * above 0. threshold, a fraction, is the change that is to be found.
 *
 * A change counts when it is at least half the threshold and certain: the logarithms of the medians
 * lie further apart than BL_CHANGE_CERTAIN times the two intervals' half-widths, added as errors
 * are. The medians of two runs of the same thing do that less than 3 times in 10,000 in each
 * direction; simulated with 6 to 200 samples of normal, Laplace, Student (3), exponential and
 * contaminated noise. It is `same` when, with that certainty, it is less than the threshold.
 * Otherwise nobody can tell, nor where an interval is no 95 % one. */
enum bl_change bl_change_of(const struct bl_interval *before, const struct bl_interval *after,
                            double threshold);

#endif
