#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 100 };

static int compare_doubles_again(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Between the two values that it lies between. */
static double quantile_of_sorted(const double values[], size_t n, double part)
{
    const double at = part * (double)(n - 1);
    const size_t below = (size_t)at;
    const double rest = at - (double)below;
    return below + 1 < n ? values[below] * (1 - rest) + values[below + 1] * rest : values[below];
}

/* The middle 95 % of the sorted values that lie between these two. */
static double middle_of(const double values[], size_t n, double low, double high)
{
    static const double within_95 = 1.96;
    size_t first = 0;
    while (n > first && values[n - 1] > high)
        n--;
    while (first < n && values[first] < low)
        first++;
    return (quantile_of_sorted(values + first, n - first, 0.975) -
            quantile_of_sorted(values + first, n - first, 0.025)) /
           (2 * within_95);
}

struct bl_usual bl_usual_of(double values[], size_t n)
{
    static const double mad_to_sd = 1.4826, far = 6;
    qsort(values, n, sizeof *values, compare_doubles_again);
    struct bl_usual usual = {quantile_of_sorted(values, n, 0.5), 0};
    /* The deviations grow from the median to either side: their median is found by merging both. */
    size_t above = n / 2, below = above;
    double deviation = 0;
    for (size_t taken = 0; taken <= n / 2; taken++) {
        const double up = above < n ? values[above] - usual.median : INFINITY,
                     down = below > 0 ? usual.median - values[below - 1] : INFINITY;
        deviation = fmin(up, down);
        if (up <= down)
            above++;
        else
            below--;
    }
    usual.sd = mad_to_sd * fabs(deviation);
    if (n >= MANY && usual.sd > 0)
        usual.sd =
            middle_of(values, n, usual.median - far * usual.sd, usual.median + far * usual.sd);
    return usual;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (Press et al.,
 * Numerical Recipes, 6.4; Abramowitz and Stegun, 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
    static const double tiny = 1e-300;
    double c = 1, d = 1 / fmax(tiny, 1 - (a + b) * x / (a + 1)), product = d;
    for (unsigned m = 1; m < 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        product *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        product *= c * d;
        if (fabs(c * d - 1) < 1e-14)
            break;
    }
    return product;
}

/* P(|T| > t), as a logarithm: far tails are below what a double holds. */
static double log_two_tails(double t, double freedom)
{
    const double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
    const double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    if (x < (a + 1) / (a + b + 2))
        return front + log(beta_fraction(a, b, x) / a);
    return log1p(-exp(front) * beta_fraction(b, a, 1 - x) / b);
}

double bl_student_quantile(double probability, double freedom)
{
    double low = 1e-9, high = 1;
    const double wanted = log(probability);
    while (log_two_tails(high, freedom) > wanted && high < 1e150)
        high *= 2;
    for (unsigned i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (log_two_tails(middle, freedom) > wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double bl_chance_limit(size_t n, size_t tests, double probability)
{
    /* A deviation by the median absolute deviation is known as well as one of 37 % as many values
     * by the mean square. */
    static const double efficiency = 0.37;
    if (n < BL_FEWEST_ALIKE)
        return INFINITY;
    return bl_student_quantile(probability / (double)(tests ? tests : 1),
                               fmax(1, efficiency * (double)(n - 1)));
}

const char *bl_change_name(enum bl_change change)
{
    static const char *const names[] = {"same",    "slower",         "faster",
                                        "unclear", "missing",        "new",
                                        "broken",  "baseline-moved", "kernel-changed"};
    return names[change];
}

bool bl_change_is_bad(enum bl_change change)
{
    return change == BL_CHANGE_SLOWER || change == BL_CHANGE_MISSING || change == BL_CHANGE_BROKEN;
}

static double half_width(const struct bl_interval *interval)
{
    return (log(interval->hi) - log(interval->lo)) / 2;
}

enum bl_change bl_change_of(const struct bl_interval *before, const struct bl_interval *after,
                            double threshold)
{
    if (!before->is_95 || !after->is_95)
        return BL_CHANGE_UNCLEAR;
    const double change = log(after->median) - log(before->median);
    const double error = BL_CHANGE_CERTAIN * hypot(half_width(before), half_width(after));
    const double min = -log1p(-threshold / 2), limit = -log1p(-threshold);
    if (fabs(change) >= min && fabs(change) > error)
        return change < 0 ? BL_CHANGE_SLOWER : BL_CHANGE_FASTER;
    return fabs(change) + error < limit ? BL_CHANGE_SAME : BL_CHANGE_UNCLEAR;
}

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
