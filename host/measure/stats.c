/* Robust statistics: medians and their intervals, outliers among similar values, changes between
 * two measurements, and change points of a series. Most are based on medians, because a single
 * disturbed sample must not move a result. */
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

void bl_sort(double values[], size_t n) { qsort(values, n, sizeof values[0], compare_doubles); }

static double median_of_sorted(const double values[], size_t n)
{
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double bl_median(double values[], size_t n)
{
    bl_sort(values, n);
    return median_of_sorted(values, n);
}

/* The number of sorted values below the interval, which is also the number above it. It is the
 * largest k with P(Binomial(n, 1/2) <= k) of at most 2.5 %. If there is no such k, returns 0, and
 * *is_95 is false. */
static size_t trimmed_at_each_end(size_t n, bool *is_95)
{
    /* Logarithms, because 2^-n underflows in a double from n = 1075 on. */
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

/* Outliers among many similar values. */

enum { MANY = 100 };

/* The quantile `part` (0 to 1) of sorted values, interpolated between the two nearest values. */
static double quantile_of_sorted(const double values[], size_t n, double part)
{
    const double at = part * (double)(n - 1);
    const size_t below = (size_t)at;
    const double rest = at - (double)below;
    return below + 1 < n ? values[below] * (1 - rest) + values[below + 1] * rest : values[below];
}

/* The standard deviation of a normal distribution whose middle 95 % is as wide as that of the
 * sorted values between `low` and `high`. */
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
    bl_sort(values, n);
    struct bl_usual usual = {quantile_of_sorted(values, n, 0.5), 0};
    /* The median absolute deviation; if n is even, the upper of the two middle deviations. Sorting
     * again is not needed: deviations grow from the median to either side, so merging both sides
     * finds their median. */
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

double bl_student_within_95(size_t freedom)
{
    static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
    return quantiles[freedom - 1];
}

double bl_student_log_density(double t, double freedom)
{
    return lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * M_PI) / 2 -
           (freedom + 1) / 2 * log1p(t * t / freedom);
}

double bl_student_log_tails(double t, double freedom)
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
    while (bl_student_log_tails(high, freedom) > wanted && high < 1e150)
        high *= 2;
    while (high - low > 1e-14 * high) {
        const double middle = (low + high) / 2;
        if (bl_student_log_tails(middle, freedom) > wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double bl_chance_limit(size_t n, size_t tests, double probability)
{
    /* A standard deviation estimated from the median absolute deviation of n values is only as
     * precise as an estimate from the mean square of 0.37 n values. */
    static const double efficiency = 0.37;
    if (n < BL_FEWEST_ALIKE)
        return INFINITY;
    return bl_student_quantile(probability / (double)(tests ? tests : 1),
                               fmax(1, efficiency * (double)(n - 1)));
}

/* Changes between two measurements. */

const char *bl_change_name(enum bl_change change)
{
    static const char *const names[] = {"same",           "slower",    "faster",   "unclear",
                                        "missing",        "new",       "broken",   "baseline-moved",
                                        "kernel-changed", "no-number", "not-asked"};
    return names[change];
}

bool bl_change_is_bad(enum bl_change change)
{
    return change == BL_CHANGE_SLOWER || change == BL_CHANGE_MISSING || change == BL_CHANGE_BROKEN;
}

double bl_log_threshold(double threshold) { return -log1p(-threshold); }

double bl_log_half_width(double lo, double hi) { return (log(hi) - log(lo)) / 2; }

/* The true change is taken to lie within this many half-widths of the 95 % interval around the
 * measured change. */
static const double CERTAIN = 1.9;

bool bl_is_too_wide_to_judge(const struct bl_interval *interval, double threshold)
{
    const double half = bl_log_half_width(interval->lo, interval->hi);
    return !interval->is_95 || CERTAIN * hypot(half, half) >= bl_log_threshold(threshold);
}

enum bl_change bl_change_of(double by, double sd, double limit, double threshold)
{
    if (fabs(by) >= bl_log_threshold(threshold / 2) && fabs(by) > limit)
        return by < 0 ? BL_CHANGE_SLOWER : BL_CHANGE_FASTER;
    return fabs(by) + CERTAIN * BL_WITHIN_95 * sd < bl_log_threshold(threshold) ? BL_CHANGE_SAME
                                                                                : BL_CHANGE_UNCLEAR;
}

/* Change points of a series. */

struct level_search {
    const double *values;
    const struct bl_change_search *search;
    double *scratch, *distances;
    double threshold;
    size_t all; /* length of the series */
    size_t *points, capacity, count;
};

static double median_of(struct level_search *searching, size_t first, size_t end)
{
    memcpy(searching->scratch, searching->values + first, (end - first) * sizeof(double));
    return bl_median(searching->scratch, end - first);
}

/* The factor by which the correlation of consecutive values (AR(1) noise) increases a standard
 * error; 1 if there are few values, or if the correlation is small enough to be chance. */
static double resemblance(const double deviations[], size_t n)
{
    enum { ENOUGH = 12 };
    double products = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += deviations[i] * deviations[i];
        products += i > 0 ? deviations[i] * deviations[i - 1] : 0;
    }
    /* The median was estimated from the same values, which hides some correlation; 3 / n corrects
     * for that. */
    const double r = squares > 0 ? products / squares + 3 / (double)n : 0;
    return n < ENOUGH || r < 1.5 / sqrt((double)n) ? 1
                                                   : sqrt((1 + fmin(r, 0.9)) / (1 - fmin(r, 0.9)));
}

/* The distance between the medians of the two sides, in standard errors; 0 if the distance is
 * smaller than least_step. *cost receives the sum of the values' distances from the median of their
 * side.
 *
 * The noise is multiplied by n / (n - 2), because n values lie closer to two medians fitted to
 * these values than to the true medians. */
static double split_score(struct level_search *searching, size_t first, size_t at, size_t end,
                          double *cost)
{
    const double left = median_of(searching, first, at), right = median_of(searching, at, end);
    const double n = (double)(end - first);
    *cost = 0;
    for (size_t i = first; i < end; i++) {
        searching->distances[i - first] = searching->values[i] - (i < at ? left : right);
        *cost += fabs(searching->distances[i - first]);
    }
    const double step = fabs(left - right);
    if (step < searching->search->least_step || step == 0)
        return 0;
    const double worse = resemblance(searching->distances, end - first);
    for (size_t i = 0; i < end - first; i++)
        searching->distances[i] = fabs(searching->distances[i]);
    const double noise =
        fmax(BL_MAD_TO_SD * bl_median(searching->distances, end - first) * n / fmax(1, n - 2),
             searching->search->noise_floor);
    const double error = BL_MEDIAN_TO_MEAN_ERROR * noise * worse *
                         sqrt(1 / (double)(at - first) + 1 / (double)(end - at));
    return error > 0 ? step / error : INFINITY;
}

/* The value that |z| of a normal distribution exceeds with this small probability. The value is
 * computed from the bound P(|Z| > z) < 2 phi(z) / z, so it is never too low. */
static double normal_quantile(double probability)
{
    double z = 2;
    for (unsigned i = 0; i < 50; i++)
        z = sqrt(fmax(1, 2 * log(0.7978845608 / (probability * z))));
    return z;
}

/* Whether the two sides differ according to the rank-sum test of Wilcoxon, Mann and Whitney. The
 * test is valid for noise of any distribution, while the median absolute deviation says little
 * about far tails. In a part without a change, the probability that some split passes by chance is
 * 5 %. */
static bool ranks_differ(const double values[], size_t first, size_t at, size_t end)
{
    const double left = (double)(at - first), right = (double)(end - at), n = left + right;
    double above = 0;
    for (size_t i = first; i < at; i++)
        for (size_t j = at; j < end; j++)
            above += values[j] > values[i] ? 1 : values[j] == values[i] ? 0.5 : 0;
    const double z = fabs(above - left * right / 2) / sqrt(left * right * (n + 1) / 12);
    return z > normal_quantile(0.05 / fmax(1, n - 2 * BL_LEVEL_POINTS + 1));
}

static void search(struct level_search *searching, size_t first, size_t end)
{
    const bool until_now = searching->search->until_now;
    const size_t min_left = until_now && first == 0 ? 1 : BL_LEVEL_POINTS,
                 min_right = until_now && end == searching->all ? 1 : BL_LEVEL_POINTS;
    size_t best = 0;
    double least = INFINITY, cost;
    for (size_t at = first + min_left; at + min_right <= end; at++) {
        /* A side with few points cannot pass the rank test, so the test is skipped. */
        const bool is_short = at - first < BL_LEVEL_POINTS || end - at < BL_LEVEL_POINTS;
        const double score = split_score(searching, first, at, end, &cost);
        if (score > searching->threshold && cost <= least &&
            (is_short || ranks_differ(searching->values, first, at, end))) {
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

/* The score, in standard errors, that a change must exceed. Over all splits of all series together,
 * chance exceeds it with a probability of 2 %.
 *
 * If the noise were known, a score would be normal. The noise is estimated from n values, so the
 * quantile is Student's with about n / 2 degrees of freedom, approximated by the expansion of
 * Cornish and Fisher. From 60 points on, the expansion agrees with bl_student_quantile. For few
 * points of many series it is lower (12 points of 300 series: 14.2 instead of 20.2 standard
 * errors), which is acceptable where the rank test must pass, too. */
static double threshold_for(size_t count, size_t series)
{
    const double z = normal_quantile(0.02 / ((double)count * (double)(series ? series : 1)));
    const double freedom = fmax(2, (double)count / 2 - 1);
    return z + (z * z * z + z) / (4 * freedom) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
}

size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *wanted,
                        size_t points[], size_t capacity)
{
    if (count < (wanted->until_now ? 2 : 2 * BL_LEVEL_POINTS))
        return 0;
    struct level_search searching = {
        .values = values,
        .search = wanted,
        .scratch = calloc(count, sizeof(double)),
        .distances = calloc(count, sizeof(double)),
        .threshold = threshold_for(count, wanted->series),
        .all = count,
        .capacity = capacity,
    };
    searching.points = points;
    if (searching.scratch && searching.distances)
        search(&searching, 0, count);
    free(searching.scratch);
    free(searching.distances);
    return searching.count;
}

/* Fits a constant up to the index `at` and a straight line from there, by least squares. Returns
 * the line's total rise. *cost receives the sum of the values' distances from the fit, and
 * deviations[] these distances with their signs. */
static double fit_hinge(const double values[], size_t count, size_t at, double deviations[],
                        double *cost)
{
    const double n = (double)count, length = (double)(count - 1 - at);
    double rises = 0, sum = 0, squares = 0, products = 0;
    for (size_t i = 0; i < count; i++) {
        const double rise = i > at ? (double)(i - at) / length : 0;
        rises += rise;
        sum += values[i];
        squares += rise * rise;
        products += rise * values[i];
    }
    const double by = (products - rises * sum / n) / (squares - rises * rises / n);
    *cost = 0;
    for (size_t i = 0; i < count; i++) {
        const double rise = i > at ? (double)(i - at) / length : 0;
        deviations[i] = values[i] - (sum - by * rises) / n - by * rise;
        *cost += fabs(deviations[i]);
    }
    return by;
}

struct bl_drift bl_drift_of(const double values[], size_t count,
                            const struct bl_change_search *wanted)
{
    enum { MIN_POINTS = 20, MIN_DRIFT = 15 }; /* a shorter drift looks like a step */
    struct bl_drift drift = {0};
    struct level_search searching = {.values = values,
                                     .search = wanted,
                                     .scratch = calloc(count + 1, sizeof(double)),
                                     .distances = calloc(count + 1, sizeof(double))};
    double least = INFINITY, step = INFINITY, cost;
    if (count < MIN_POINTS || !searching.scratch || !searching.distances)
        goto out;
    for (size_t at = 0; at + MIN_DRIFT <= count; at++) {
        const double by = fit_hinge(values, count, at, searching.distances, &cost);
        if (cost < least) {
            least = cost;
            drift = (struct bl_drift){at, by};
        }
    }
    for (size_t at = 1; at < count; at++) {
        split_score(&searching, 0, at, count, &cost);
        step = fmin(step, cost);
    }
    fit_hinge(values, count, drift.first, searching.distances, &cost);
    const double worse = resemblance(searching.distances, count);
    for (size_t i = 0; i < count; i++)
        searching.distances[i] = fabs(searching.distances[i]);
    const double noise =
        fmax(BL_MAD_TO_SD * bl_median(searching.distances, count), wanted->noise_floor);
    /* The end of a fitted line is only as precise as the mean of a quarter of the line's points. */
    const double error = 2 * noise * worse / sqrt((double)(count - 1 - drift.first));
    const double limit = threshold_for(count, wanted->series);
    if (!(least < step) || fabs(drift.by) < wanted->least_step || fabs(drift.by) < limit * error)
        drift.by = 0;
out:
    free(searching.scratch);
    free(searching.distances);
    return drift;
}
