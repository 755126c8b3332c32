#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(const double values[], size_t n)
{
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double bl_median(double values[], size_t n)
{
    qsort(values, n, sizeof values[0], compare_doubles);
    return median_of_sorted(values, n);
}

/* How many values to leave out at each end: the largest k with P(Binomial(n, 1/2) <= k - 1) at
 * most 2.5 %, less one. Returns 0 with *is_95 false when there is no such k. */
static size_t trimmed_at_each_end(size_t n, bool *is_95)
{
    /* Terms in logarithms: 2^-n is 0 in a double from n = 1075 on. */
    const double log_half_n = -(double)n * log(2.0);
    double log_term = log_half_n, below = exp(log_term);
    *is_95 = below <= 0.025;
    size_t k = 0;
    while (*is_95 && k + 1 < n) {
        log_term += log((double)(n - k)) - log((double)(k + 1));
        below += exp(log_term);
        if (below > 0.025)
            break;
        k++;
    }
    return k;
}

struct bl_interval bl_median_interval(double values[], size_t n)
{
    struct bl_interval interval = {.median = bl_median(values, n)};
    const size_t k = trimmed_at_each_end(n, &interval.is_95);
    interval.lo = values[k];
    interval.hi = values[n - 1 - k];
    return interval;
}
