/* Robust statistics: medians, and intervals that assume no distribution. */
#ifndef BANKLINE_MEASURE_STATS_H
#define BANKLINE_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer have no 95 % interval: all of five lie on one side of the median with a probability of
 * 2^-5, 3.1 %, and on each side 2.5 % may be beyond an interval. */
enum { BL_MIN_SAMPLES = 6 };

struct bl_interval {
    double median, lo, hi; /* lo <= median <= hi */
    bool is_95;            /* false: too few samples, and lo and hi are the extremes */
};

/* Median of n >= 1 values; the order of values changes. */
double bl_median(double values[], size_t n);

/* Median of n >= 1 values with its 95 % confidence interval; the order of values changes.
 *
 * The interval runs from the k-th smallest to the k-th largest value, k as large as the binomial
 * distribution allows (the sign test's interval: H. A. David, Order Statistics). It holds for any
 * distribution, and an outlier cannot widen it. From 6 values on it covers at least 95 %. */
struct bl_interval bl_median_interval(double values[], size_t n);

/* Which of many alike differs by more than chance allows. */

/* What is usual: the median, and the standard deviation of a normal distribution that has as wide a
 * middle: the scaled median absolute deviation, which is not moved by less than half of the values.
 * With 100 values or more it is the middle 95 % of those within six such deviations of the median,
 * which sees heavier tails, and lighter ones. */
struct bl_usual {
    double median, sd;
};

/* Of n >= 1 finite values; their order changes. */
struct bl_usual bl_usual_of(double values[], size_t n);

/* How many standard deviations from the median one of n values lies by chance, in one of `tests`
 * such comparisons altogether, with this probability: Student's t for how well the deviation is
 * known from so many values. INFINITY for fewer than BL_FEWEST_ALIKE: of two or three nobody can
 * say which is the odd one. */
enum { BL_FEWEST_ALIKE = 4 };
double bl_chance_limit(size_t n, size_t tests, double probability);

/* The quantile of Student's distribution that |t| passes with this probability, above 1e-300. */
double bl_student_quantile(double probability, double freedom);

/* Whether one measurement differs from an earlier one of the same case. */

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
