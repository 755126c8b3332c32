/* What the program makes of noise, from the ground up: medians and their intervals, what is usual
 * of many alike and how far chance reaches, whether a measurement differs from an earlier one, and
 * where the level of a series changed. Medians throughout: a single disturbed sample must not move
 * a result. */
#include "measure/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* Which of many alike differs by more than chance allows. */

enum { MANY = 100 };

/* Interpolated between the two values on either side. */
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
    size_t first = 0;
    while (n > first && values[n - 1] > high)
        n--;
    while (first < n && values[first] < low)
        first++;
    return (quantile_of_sorted(values + first, n - first, 0.975) -
            quantile_of_sorted(values + first, n - first, 0.025)) /
           (2 * BL_WITHIN_95);
}

struct bl_usual bl_usual_of(double values[], size_t n)
{
    static const double far = 6;
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
    usual.sd = BL_MAD_TO_SD * fabs(deviation);
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
    while (high - low > 1e-14 * high) {
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

/* Whether one measurement differs from an earlier one of the same case. */

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

double bl_log_half_width(double lo, double hi) { return (log(hi) - log(lo)) / 2; }

/* So many half-widths, added as errors are, must lie between two medians that differ. */
static const double CERTAIN = 1.9;

bool bl_is_too_wide_to_judge(const struct bl_interval *interval, double threshold)
{
    const double half = bl_log_half_width(interval->lo, interval->hi);
    return !interval->is_95 || CERTAIN * hypot(half, half) >= -log1p(-threshold);
}

enum bl_change bl_change_of(const struct bl_interval *before, const struct bl_interval *after,
                            double threshold)
{
    if (!before->is_95 || !after->is_95)
        return BL_CHANGE_UNCLEAR;
    const double change = log(after->median) - log(before->median);
    const double error = CERTAIN * hypot(bl_log_half_width(before->lo, before->hi),
                                         bl_log_half_width(after->lo, after->hi));
    const double min = -log1p(-threshold / 2), limit = -log1p(-threshold);
    if (fabs(change) >= min && fabs(change) > error)
        return change < 0 ? BL_CHANGE_SLOWER : BL_CHANGE_FASTER;
    return fabs(change) + error < limit ? BL_CHANGE_SAME : BL_CHANGE_UNCLEAR;
}

/* Where the level of a series changed. */

struct searching {
    const double *values;
    const struct bl_change_search *search;
    double *scratch, *distances;
    double threshold;
    size_t *points, capacity, count;
};

static double median_of(struct searching *searching, size_t first, size_t end)
{
    memcpy(searching->scratch, searching->values + first, (end - first) * sizeof(double));
    return bl_median(searching->scratch, end - first);
}

/* How many standard errors lie between the medians of the two sides. The noise of n values around
 * two medians of their own is taken for n / (n - 2) times as large as it looks, and a median's
 * error for 1.2533 (the root of pi / 2) times a mean's. *cost: how far all values lie from their
 * side's median, together. */
static double split_score(struct searching *searching, size_t first, size_t at, size_t end,
                          double *cost)
{
    static const double median_to_mean = 1.2533;
    const double left = median_of(searching, first, at), right = median_of(searching, at, end);
    const double n = (double)(end - first);
    *cost = 0;
    for (size_t i = first; i < end; i++) {
        searching->distances[i - first] = fabs(searching->values[i] - (i < at ? left : right));
        *cost += searching->distances[i - first];
    }
    const double noise =
        fmax(BL_MAD_TO_SD * bl_median(searching->distances, end - first) * n / (n - 2),
             searching->search->noise_floor);
    const double step = fabs(left - right);
    if (step < searching->search->least_step || step == 0)
        return 0;
    const double error =
        median_to_mean * noise * sqrt(1 / (double)(at - first) + 1 / (double)(end - at));
    return error > 0 ? step / error : INFINITY;
}

/* The quantile of a normal distribution that |z| passes with this small probability, from
 * P(|Z| > z) < 2 phi(z) / z: a bound, and so never too low. */
static double normal_quantile(double probability)
{
    double z = 2;
    for (unsigned i = 0; i < 50; i++)
        z = sqrt(fmax(1, 2 * log(0.7978845608 / (probability * z))));
    return z;
}

/* Whether the ranks of the two sides differ, too, as the test of Wilcoxon, Mann and Whitney sees
 * it: that holds for noise of any distribution, where the median absolute deviation says little of
 * the far tail. Of all splits of this part 5 % pass it by chance. */
static bool ranks_differ(const double values[], size_t first, size_t at, size_t end)
{
    const double left = (double)(at - first), right = (double)(end - at), n = left + right;
    double above = 0;
    for (size_t i = first; i < at; i++)
        for (size_t j = at; j < end; j++)
            above += values[j] > values[i] ? 1 : values[j] == values[i] ? 0.5 : 0;
    const double z = fabs(above - left * right / 2) / sqrt(left * right * (n + 1) / 12);
    return z > normal_quantile(0.05 / (n - 2 * BL_LEVEL_POINTS + 1));
}

static void search(struct searching *searching, size_t first, size_t end)
{
    size_t best = 0;
    double least = INFINITY, cost;
    for (size_t at = first + BL_LEVEL_POINTS; at + BL_LEVEL_POINTS <= end; at++) {
        const double score = split_score(searching, first, at, end, &cost);
        if (score > searching->threshold && cost < least &&
            ranks_differ(searching->values, first, at, end)) {
            least = cost;
            best = at;
        }
    }
    if (best == 0)
        return;
    search(searching, first, best);
    if (searching->count < searching->capacity)
        searching->points[searching->count++] = best;
    search(searching, best, end);
}

/* Of all splits of all series together 5 % pass it by chance, were the noise known: then a score is
 * normal. As the noise is estimated from n values, the tails are those of Student's distribution
 * with some n / 2 degrees of freedom, by the expansion of Cornish and Fisher. From 60 points on
 * that is what bl_student_quantile says. For few points of many series it is less strict (12 points
 * of 300 series: 12.5 in place of 16.7 standard errors), which is enough, as the ranks must differ
 * too. */
static double threshold_for(size_t count, size_t series)
{
    const double z = normal_quantile(0.05 / ((double)count * (double)(series ? series : 1)));
    const double freedom = fmax(2, (double)count / 2 - 1);
    return z + (z * z * z + z) / (4 * freedom) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
}

size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *wanted,
                        size_t points[], size_t capacity)
{
    if (count < 2 * BL_LEVEL_POINTS)
        return 0;
    struct searching searching = {
        .values = values,
        .search = wanted,
        .scratch = calloc(count, sizeof(double)),
        .distances = calloc(count, sizeof(double)),
        .threshold = threshold_for(count, wanted->series),
        .capacity = capacity,
    };
    searching.points = points;
    if (searching.scratch && searching.distances)
        search(&searching, 0, count);
    free(searching.scratch);
    free(searching.distances);
    return searching.count;
}
