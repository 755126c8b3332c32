/* Robust statistics: medians, confidence intervals that assume no distribution, and limits of what
 * chance explains. */
#ifndef BANKLINE_MEASURE_STATS_H
#define BANKLINE_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* The minimum number of samples for a 95 % interval of a median. With five samples, the probability
 * that all lie above the true median is 2^-5 = 3.1 %, and likewise below, but only 2.5 % per side
 * is allowed. */
enum { BL_MIN_SAMPLES = 6 };

/* For a normal distribution, 95 % of the values lie within 1.96 standard deviations of the mean,
 * and the standard deviation is 1.4826 times the median absolute deviation (MAD). */
#define BL_WITHIN_95 1.96
#define BL_MAD_TO_SD 1.4826

/* The standard error of a median of many normal samples is the square root of pi / 2 times that of
 * their mean. For medians of three and of five samples (also used for four), the standard error is
 * given in standard deviations of one sample (Sarhan and Greenberg, Contributions to Order
 * Statistics: variances of 0.4487 and 0.2868). */
#define BL_MEDIAN_TO_MEAN_ERROR 1.2533
#define BL_MEDIAN_OF_3_ERROR 0.67
#define BL_MEDIAN_OF_5_ERROR 0.536

/* In a small group of normal samples, half of the samples other than the median itself lie within
 * this many standard deviations of the group's median. By simulation: 0.693 for groups of 3, 0.687
 * for groups of 5, 0.677 for groups of 41. */
#define BL_HALF_NEAR_MEDIAN 0.685

struct bl_interval {
    double median, lo, hi; /* lo <= median <= hi */
    bool is_95;            /* false if there are too few samples; lo and hi are then the extremes */
};

/* Sorts values in ascending order. */
void bl_sort(double values[], size_t n);

/* The median of n >= 1 values; reorders them. */
double bl_median(double values[], size_t n);

/* The median of n >= 1 values with its 95 % confidence interval; reorders the values.
 *
 * The interval is that of the sign test: from the k-th smallest to the k-th largest value, with k
 * from the binomial distribution (H. A. David, Order Statistics). It is valid for any distribution,
 * an outlier cannot widen it, and from 6 values on it covers at least 95 %. */
struct bl_interval bl_median_interval(double values[], size_t n);

/* Outliers among many similar values. */

/* The usual value and spread of many values: the median, and a robust standard deviation. The
 * standard deviation is computed from the median absolute deviation, which outliers cannot move far
 * if they are fewer than half of the values. For 100 values or more, the standard deviation is then
 * computed again, from the width of the middle 95 % of the values that lie within six standard
 * deviations of the median; this fits heavier and lighter tails, too. */
struct bl_usual {
    double median, sd;
};

/* The usual value and spread of n finite values (n at least 1), which are reordered. */
struct bl_usual bl_usual_of(double values[], size_t n);

/* The smallest number of values among which an outlier can be identified. With two or three, it is
 * unclear which value is the outlier. */
enum { BL_FEWEST_ALIKE = 4 };

/* The limit for the distance of a value from the median, in standard deviations. If nothing is
 * wrong, at least one of `tests` comparisons exceeds the limit with the given probability. The
 * limit is a quantile of Student's t, because the standard deviation is estimated from n values.
 * INFINITY if n is less than BL_FEWEST_ALIKE. */
double bl_chance_limit(size_t n, size_t tests, double probability);

/* The value that |t| of Student's distribution exceeds with this probability (above 1e-300). */
double bl_student_quantile(double probability, double freedom);

/* bl_student_quantile(0.05, freedom) from a table, for `freedom` from 1 to 7: half the width of a
 * 95 % interval, in standard errors. Fast enough to call after each sample. */
double bl_student_within_95(size_t freedom);

/* The logarithm of the density of Student's distribution. */
double bl_student_log_density(double t, double freedom);

/* The logarithm of P(|T| > t) for t >= 0. Returns the logarithm, because probabilities in the far
 * tails are too small for a double. */
double bl_student_log_tails(double t, double freedom);

/* Changes: whether a measurement differs from an earlier measurement of the same case. */

enum bl_change {
    BL_CHANGE_SAME, /* the change is smaller than the threshold, with certainty */
    BL_CHANGE_SLOWER,
    BL_CHANGE_FASTER,
    BL_CHANGE_UNCLEAR,   /* the intervals are too wide to decide */
    BL_CHANGE_MISSING,   /* the newer run lacks the row */
    BL_CHANGE_NEW,       /* the older run lacks the row, or has no number for it */
    BL_CHANGE_BROKEN,    /* the older row has a number, the newer has none */
    BL_CHANGE_BASELINE,  /* the ratio changed because the baseline's time changed, not the case's */
    BL_CHANGE_KERNEL,    /* not comparable: the kernel, its options or the sampler changed */
    BL_CHANGE_NO_NUMBER, /* neither run has a number */
    BL_CHANGE_NOT_ASKED, /* the newer run was not asked for the row */
    BL_CHANGE_COUNT
};

/* "same", "slower", ... */
const char *bl_change_name(enum bl_change change);

/* Whether a nightly job must report the change: slower, missing or broken. */
bool bl_change_is_bad(enum bl_change change);

/* The smallest change to detect, a fraction below 1, as a logarithm. A ratio that falls by this
 * fraction changes by exactly this much; a ratio must rise by slightly more to count. */
double bl_log_threshold(double threshold);

/* Half the distance between the logarithms of lo and hi, which are above 0. */
double bl_log_half_width(double lo, double hi);

/* Judges a change. by: the natural logarithm of new / old, where both are throughputs or both are
 * ratios of throughputs. sd: the standard deviation that `by` has if nothing changed. limit: the
 * largest |by| that chance explains (spread.h). threshold: the smallest change to detect, a
 * fraction.
 *
 * The result is `slower` or `faster` if |by| is above the limit and at least half the threshold. It
 * is `same` if |by| plus 1.9 half-widths of its 95 % interval is below the threshold. Otherwise it
 * is `unclear`. */
enum bl_change bl_change_of(double by, double sd, double limit, double threshold);

/* Whether the interval is so wide that even two equal results with such intervals could not be
 * judged `same`. True if it is not a 95 % interval. */
bool bl_is_too_wide_to_judge(const struct bl_interval *interval, double threshold);

/* Change points: where the typical value of a series changed, for example of a ratio over nights.
 *
 * The method is binary segmentation. Each way to split the series in two is tried. A split is a
 * candidate if the medians of its two parts differ by more than the noise explains. The candidate
 * whose values are closest to the median of their part is a change point, and then both parts are
 * searched in the same way. The noise is computed from the median absolute deviation, so that
 * single outliers do not count; standard errors are increased if consecutive values are correlated.
 * A rank test must agree, so that the result does not depend on the noise's distribution; it is
 * skipped if a part has fewer than BL_LEVEL_POINTS values. */

/* The minimum number of points between two change points, so that a change point is not found for
 * one or two outliers. */
enum { BL_LEVEL_POINTS = 5 };

struct bl_change_search {
    double noise_floor; /* smallest noise to assume, a standard deviation */
    double least_step;  /* smallest step that counts; 0 if all steps count */
    size_t series;  /* number of series searched together: in pure noise, at most 2 of 100 sets of
                       so many series show any change (more if until_now is set and the series
                       are shorter than 12) */
    bool until_now; /* whether the part before the first change point and the part after the last
                       may be a single point, so that last night's change is found */
};

/* Searches `count` finite values, oldest first. Writes at most `capacity` change points in order;
 * each is the index of the first changed value. Returns their number, which is 0 if there are too
 * few values or memory runs out. */
size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *search,
                        size_t points[], size_t capacity);

/* A drift: the values were constant up to a point and have changed evenly since. */
struct bl_drift {
    size_t first; /* index at which the drift begins */
    double by;    /* the total change; 0 if there is no drift, or if a step fits better */
};

/* Searches `count` finite values, oldest first, for a drift of at least search->least_step. In pure
 * noise, at most 1 of 100 sets of search->series series shows a drift. */
struct bl_drift bl_drift_of(const double values[], size_t count,
                            const struct bl_change_search *search);

#endif
