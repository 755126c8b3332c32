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

#endif
