/* Robust statistics: medians, intervals that assume no distribution, and what chance explains. */
#ifndef BANKLINE_MEASURE_STATS_H
#define BANKLINE_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer have no 95 % interval: all of five lie on one side of the median with a probability of
 * 2^-5, 3.1 %, and on each side 2.5 % may be beyond an interval. */
enum { BL_MIN_SAMPLES = 6 };

/* 95 % of a normal distribution lie within so many standard deviations of its mean; and a standard
 * deviation is so many median absolute deviations. */
#define BL_WITHIN_95 1.96
#define BL_MAD_TO_SD 1.4826

/* The standard error of the median of many normal samples is so many times that of their mean (the
 * root of pi / 2 is 1.2533); of three, and of up to five, it is so many standard deviations (Sarhan
 * and Greenberg, Contributions to Order Statistics: variances of 0.4487 and 0.2868). */
#define BL_MEDIAN_TO_MEAN_ERROR 1.25
#define BL_MEDIAN_OF_3_ERROR 0.67
#define BL_MEDIAN_OF_5_ERROR 0.536

/* Half of the normal samples that are not the median of their own group lie within so many standard
 * deviations of it: simulated, 0.693 in groups of 3, 0.687 of 5 and 0.677 of 41. */
#define BL_HALF_NEAR_MEDIAN 0.685

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

/* Which of many similar values differs by more than chance allows. */

/* What is usual: the median, and a robust standard deviation. That is the scaled median absolute
 * deviation, which fewer than half of the values cannot move; from 100 values on it is taken from
 * the middle 95 % of those within six such deviations of the median, which shows heavier and
 * lighter tails. */
struct bl_usual {
    double median, sd;
};

/* Of n >= 1 finite values; their order changes. */
struct bl_usual bl_usual_of(double values[], size_t n);

/* How many standard deviations from the median chance takes one of n values in one of `tests` such
 * comparisons, with this probability: Student's t, since the deviation is itself estimated from n
 * values. INFINITY for fewer than BL_FEWEST_ALIKE: two or three do not show which one is odd. */
enum { BL_FEWEST_ALIKE = 4 };
double bl_chance_limit(size_t n, size_t tests, double probability);

/* The quantile of Student's distribution that |t| passes with this probability, above 1e-300. */
double bl_student_quantile(double probability, double freedom);

/* The logarithm of P(|T| > t), t >= 0: far tails are below what a double holds. */
double bl_student_log_tails(double t, double freedom);

/* Whether one measurement differs from an earlier one of the same case. */

enum bl_change {
    BL_CHANGE_SAME, /* the change is certainly less than the threshold */
    BL_CHANGE_SLOWER,
    BL_CHANGE_FASTER,
    BL_CHANGE_UNCLEAR,   /* the intervals cannot tell */
    BL_CHANGE_MISSING,   /* the row is gone */
    BL_CHANGE_NEW,       /* there was no such row, or it had no number */
    BL_CHANGE_BROKEN,    /* it had a number and has none now */
    BL_CHANGE_BASELINE,  /* the ratio moved and its own time did not: the baseline changed */
    BL_CHANGE_KERNEL,    /* not comparable: another kernel, other options or another sampler */
    BL_CHANGE_NO_NUMBER, /* neither run has a number */
    BL_CHANGE_COUNT
};

/* "same", "slower", ... */
const char *bl_change_name(enum bl_change change);

/* Slower, missing or broken: what a regression job is for. */
bool bl_change_is_bad(enum bl_change change);

/* Half the distance from lo to hi, in logarithms; both are above 0. */
double bl_log_half_width(double lo, double hi);

/* A throughput, or a ratio of throughputs, that changed by `by`, a logarithm. sd: the standard
 * deviation that it has without a change; limit: how far chance takes it (spread.h). threshold, a
 * fraction, is the change that is to be found.
 *
 * A change counts when it is at least half the threshold and beyond the limit. It is `same` when it
 * is certainly less than the threshold: also with 1.9 times the half-width of a 95 % interval on
 * top. Otherwise it is unclear. */
enum bl_change bl_change_of(double by, double sd, double limit, double threshold);

/* Whether an interval is so wide that with another of its width no change could be `same`. */
bool bl_is_too_wide_to_judge(const struct bl_interval *interval, double threshold);

/* Where the level of a series changed, such as a ratio over nights.
 *
 * By binary segmentation: of the splits whose two medians differ by more than chance reaches, in
 * the noise that is left around them, the one that leaves the values closest to their medians is a
 * change, and then each part is split again. Medians, and the median absolute deviation as the
 * noise, so that single odd nights do not count; where each value resembles the one before, the
 * error is larger by what that costs; and the ranks must differ, whatever the noise's distribution
 * is. */

/* The minimum length of a level, in points: two outliers are no level. */
enum { BL_LEVEL_POINTS = 5 };

struct bl_change_search {
    double noise_floor; /* the minimum noise that is assumed: a standard deviation */
    double least_step;  /* smaller steps do not count; 0: all count */
    size_t series;      /* that are searched together: at most 2 of 100 such sets of pure noise
                         * have any change; at least 1 */
    bool until_now; /* the first and the last level may be a single point: `since` must see a change
                       of last night */
};

/* Searches `count` finite values, oldest first. Writes the indices at which another level begins,
 * in order, at most `capacity` of them, and returns how many; 0 where there are too few values, and
 * where there is no memory. */
size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *search,
                        size_t points[], size_t capacity);

/* A level that held up to a point and then moved evenly, up to now. */
struct bl_drift {
    size_t first; /* the point from which on it moves */
    double by;    /* how far it came; 0: there is no drift, or steps explain the values better */
};

/* Searches `count` finite values, oldest first, for a drift of at least search->least_step that
 * chance explains in at most 1 of 100 sets of search->series series. */
struct bl_drift bl_drift_of(const double values[], size_t count,
                            const struct bl_change_search *search);

#endif
