/* Robust statistics: medians, intervals that assume no distribution, and what chance explains. */
#ifndef BANKLINE_MEASURE_STATS_H
#define BANKLINE_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer samples there is no 95 % interval: all of five lie on one side of the median with a
 * probability of 2^-5, 3.1 %, and only 2.5 % may be beyond an interval on each side. */
enum { BL_MIN_SAMPLES = 6 };

/* Standard deviations from the mean within which 95 % of a normal distribution lie; and median
 * absolute deviations in a standard deviation. */
#define BL_WITHIN_95 1.96
#define BL_MAD_TO_SD 1.4826

/* The standard error of the median of many normal samples as a multiple of that of their mean (the
 * root of pi / 2 is 1.2533); for three, and for up to five, in standard deviations (Sarhan and
 * Greenberg, Contributions to Order Statistics: variances of 0.4487 and 0.2868). */
#define BL_MEDIAN_TO_MEAN_ERROR 1.25
#define BL_MEDIAN_OF_3_ERROR 0.67
#define BL_MEDIAN_OF_5_ERROR 0.536

/* Normal samples that are not the median of their own group: half of them lie within this many
 * standard deviations of it. Simulated: 0.693 in groups of 3, 0.687 of 5 and 0.677 of 41. */
#define BL_HALF_NEAR_MEDIAN 0.685

struct bl_interval {
    double median, lo, hi; /* lo <= median <= hi */
    bool is_95;            /* false: too few samples, and lo and hi are the extremes */
};

/* Median of n >= 1 values; reorders the values. */
double bl_median(double values[], size_t n);

/* Median of n >= 1 values with its 95 % confidence interval; reorders the values.
 *
 * The interval runs from the k-th smallest to the k-th largest value, k as large as the binomial
 * distribution allows (the sign test's interval: H. A. David, Order Statistics). It holds for any
 * distribution, and an outlier cannot widen it. From 6 values on it covers at least 95 %.
 */
struct bl_interval bl_median_interval(double values[], size_t n);

/* Which of many similar values differ by more than chance allows. */

/* The usual value and spread: the median, and a robust standard deviation. The latter is the scaled
 * median absolute deviation, which fewer than half of the values cannot move; from 100 values on it
 * is computed from the middle 95 % of those within six such deviations of the median, which
 * captures heavier and lighter tails. */
struct bl_usual {
    double median, sd;
};

/* Computed from n >= 1 finite values, which are reordered. */
struct bl_usual bl_usual_of(double values[], size_t n);

/* How many standard deviations from the median one of n values lies by chance in one of `tests`
 * such comparisons, with this probability: by Student's t, since the deviation is itself estimated
 * from n values. INFINITY for fewer than BL_FEWEST_ALIKE values: among two or three, the odd one
 * cannot be identified. */
enum { BL_FEWEST_ALIKE = 4 };
double bl_chance_limit(size_t n, size_t tests, double probability);

/* The quantile that |t| of Student's distribution exceeds with this probability, above 1e-300. */
double bl_student_quantile(double probability, double freedom);

/* The logarithm of P(|T| > t), t >= 0, because far tails are below the range of a double. */
double bl_student_log_tails(double t, double freedom);

/* Whether one measurement differs from an earlier one of the same case. */

enum bl_change {
    BL_CHANGE_SAME, /* the change is certainly less than the threshold */
    BL_CHANGE_SLOWER,
    BL_CHANGE_FASTER,
    BL_CHANGE_UNCLEAR,   /* the intervals do not decide */
    BL_CHANGE_MISSING,   /* the row is gone */
    BL_CHANGE_NEW,       /* there was no such row before, or it had no number */
    BL_CHANGE_BROKEN,    /* it had a number and no longer has one */
    BL_CHANGE_BASELINE,  /* the ratio changed but the case's own time did not: the baseline changed
                          */
    BL_CHANGE_KERNEL,    /* not comparable: another kernel, other options or another sampler */
    BL_CHANGE_NO_NUMBER, /* neither run has a number */
    BL_CHANGE_COUNT
};

/* "same", "slower", ... */
const char *bl_change_name(enum bl_change change);

/* Slower, missing or broken: what a regression job must report. */
bool bl_change_is_bad(enum bl_change change);

/* Half the distance from lo to hi, in logarithms; both are above 0. */
double bl_log_half_width(double lo, double hi);

/* Judges a change `by`, the natural logarithm of new / old, of a throughput or of a ratio of
 * throughputs. sd: standard deviation of `by` if nothing changed; limit: the largest |by| that
 * chance explains (spread.h); threshold: the smallest change to detect, a fraction. Slower or
 * faster: |by| is at least half the threshold and above the limit. Same: |by| plus 1.9 half-widths
 * of its 95 % interval is below the threshold. Otherwise unclear. */
enum bl_change bl_change_of(double by, double sd, double limit, double threshold);

/* Whether an interval is so wide that, compared with another of the same width, no change could be
 * `same`. */
bool bl_is_too_wide_to_judge(const struct bl_interval *interval, double threshold);

/* Where the level of a series changed, such as a ratio over nights.
 *
 * By binary segmentation: among the splits whose two medians differ by more than the remaining
 * noise explains, the split that leaves the values closest to their medians is a change; then each
 * part is split again. Medians are used, and the median absolute deviation as the noise, so that
 * single odd nights do not count. If each value resembles the one before, the standard error is
 * increased accordingly. The ranks must differ too, so that the result does not depend on the
 * noise's distribution.
 */

/* The min length of a level, in points: two outliers are not a level. */
enum { BL_LEVEL_POINTS = 5 };

struct bl_change_search {
    double noise_floor; /* the min noise that is assumed: a standard deviation */
    double least_step;  /* smaller steps do not count; 0: all count */
    size_t series; /* series searched together, at least 1: at most 2 of 100 such sets of pure noise
                      show any change */
    bool until_now; /* the first and the last level may be a single point: `since` must see a change
                       of last night */
};

/* Searches `count` finite values, oldest first. Writes the indices at which a new level begins, in
 * order, at most `capacity` of them, and returns their number; 0 if there are too few values or no
 * memory. */
size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *search,
                        size_t points[], size_t capacity);

/* A level that held up to a point and then moved evenly, up to now. */
struct bl_drift {
    size_t first; /* the point at which the drift begins */
    double by;    /* the total change; 0: no drift, or steps explain the values better */
};

/* Searches `count` finite values, oldest first, for a drift of at least search->least_step that
 * chance produces in at most 1 of 100 sets of search->series series. */
struct bl_drift bl_drift_of(const double values[], size_t count,
                            const struct bl_change_search *search);

#endif
