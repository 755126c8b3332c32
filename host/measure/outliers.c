#include "measure/outliers.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 100 };

static int compare_doubles(const void *left, const void *right)
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
    qsort(values, n, sizeof *values, compare_doubles);
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
