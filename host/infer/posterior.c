/* Probabilities, knees of latency curves, and linear algebra over GF(2). Likelihoods are products
 * of many densities and would underflow, so their logarithms are stored. Before likelihoods are
 * added, they are divided by the largest. */
#include "infer/posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

double bl_log_density(double difference, double scale)
{
    return bl_student_log_density(difference / scale, BL_FREEDOM) - log(scale);
}

size_t bl_posterior(double log_likelihoods[], size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (log_likelihoods[i] > log_likelihoods[best])
            best = i;
    const double max = log_likelihoods[best];
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log_likelihoods[i] = exp(log_likelihoods[i] - max);
    for (size_t i = 0; i < count; i++)
        log_likelihoods[i] /= sum;
    return best;
}

static double sum_of_densities(const double residuals[], size_t count, double unit, double scale)
{
    /* The constant terms of the density are computed outside the loop, because this is the inner
     * loop of all fits. */
    const double at_zero = bl_log_density(0, scale), freedom = BL_FREEDOM;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double z = (residuals[i] - unit) / scale;
        sum += at_zero - (freedom + 1) / 2 * log1p(z * z / freedom);
    }
    return sum;
}

struct bl_fit bl_fit_costs(const double log_ns[], const double clocks[], size_t count, double scale,
                           double floor)
{
    struct bl_fit fit = {.log_likelihood = -INFINITY};
    double *residuals = malloc(2 * count * sizeof *residuals);
    if (!residuals)
        return fit;
    for (size_t i = 0; i < count; i++)
        residuals[i] = log_ns[i] - log(fmax(clocks[i], floor));
    memcpy(residuals + count, residuals, count * sizeof *residuals);
    fit.log_unit = bl_median(residuals + count, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (residuals[i] - fit.log_unit) * (residuals[i] - fit.log_unit);
    fit.rms = sqrt(squares / (double)count);
    /* The penalty for fitting the unit, by Laplace's approximation: a priori the unit may be
     * anything within a factor of about 3000; after the fit it is known up to the median's error.
     */
    const double prior_width = 8,
                 width = scale * BL_MEDIAN_TO_MEAN_ERROR * sqrt(2 * M_PI / (double)count);
    fit.log_likelihood =
        sum_of_densities(residuals, count, fit.log_unit, scale) + log(fmin(1, width / prior_width));
    free(residuals);
    return fit;
}

double bl_fit_nothing(const double log_ns[], size_t count)
{
    const double spread =
        0.7; /* times that follow no rule are assumed to differ by about a factor of two */
    double *copy = malloc(count * sizeof *copy);
    if (!copy)
        return -INFINITY;
    memcpy(copy, log_ns, count * sizeof *copy);
    const double median = bl_median(copy, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bl_log_density(log_ns[i] - median, spread);
    free(copy);
    return sum;
}

double bl_posterior_quantile(const double probabilities[], size_t count, double share)
{
    double sum = 0;
    size_t value = 0;
    while (value + 1 < count && sum + probabilities[value] < share)
        sum += probabilities[value++];
    const double part = probabilities[value] > 0 ? (share - sum) / probabilities[value] : 0.5;
    return (double)value - 0.5 + part;
}

/* The knee of a latency curve. */

enum { SIZES = 192, MISSES = 9 /* numbers of cache sizes and of miss times that are tried */ };

/* Factors by which the time of a miss may differ from the time measured with large working sets,
 * because effects such as paging interfere. */
static const double miss_factors[MISSES] = {0.92, 0.95, 0.97, 0.985, 1, 1.015, 1.03, 1.05, 1.08};

/* No cache behaves exactly like the model, so the size's interval is widened by this factor at
 * either end. */
static const double shapes_are_off = 1.003;

static const unsigned way_counts[] = {1, 2, 4, 8, 16, 32, 64};

enum { WAYS = sizeof way_counts / sizeof way_counts[0] };

double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed)
{
    const double lines_of_set = ways * working_set_bytes / cache_bytes;
    if (!is_hashed) {
        /* In sets with one line too many, all lines miss. */
        const double with_more = fmin(1, fmax(0, lines_of_set - ways));
        return with_more < 1 ? with_more * (ways + 1) / lines_of_set : 1;
    }
    /* The number of other lines in a line's set is random (Poisson); the line misses if the other
     * lines fill the set. */
    double term = exp(-lines_of_set), below = 0;
    for (unsigned others = 0; others < ways; others++) {
        below += term;
        term *= lines_of_set / (others + 1);
    }
    return fmax(0, 1 - below);
}

/* A hypothetical cache that may explain the curve. */
struct shape {
    double bytes, miss_ns;
    size_t size, ways; /* indices of the size and of way_counts */
    bool is_hashed;
};

enum { SHAPES = SIZES * 2 * WAYS * MISSES };

static struct shape shape_of(size_t number, double first_bytes, double step, double miss_ns)
{
    const size_t size = number % SIZES, kind = number / SIZES;
    return (struct shape){
        .bytes = first_bytes * exp(step * (double)size),
        .miss_ns = miss_ns * miss_factors[kind / (2 * WAYS)],
        .size = size,
        .ways = kind % (2 * WAYS) / 2,
        .is_hashed = kind % 2,
    };
}

/* The log likelihood of one hypothetical cache. */
static double explain(const struct bl_knee_point points[], size_t count, double hit_ns,
                      const struct shape *shape, double scale, double *rms)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double misses = points[i].is_walked
                                  ? bl_knee_misses(points[i].bytes, shape->bytes,
                                                   way_counts[shape->ways], shape->is_hashed)
                                  : fmax(0, 1 - shape->bytes / points[i].bytes);
        const double off = points[i].log_ns - log(hit_ns + misses * (shape->miss_ns - hit_ns));
        sum += bl_log_density(off, scale);
        squares += off * off;
    }
    *rms = sqrt(squares / (double)count);
    return sum;
}

bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee)
{
    double *probabilities = malloc(SHAPES * sizeof *probabilities);
    if (!probabilities)
        return false;
    const double first = points[0].bytes, step = log(points[count - 1].bytes / first) / (SIZES - 1);
    for (size_t n = 0; n < SHAPES; n++) {
        const struct shape shape = shape_of(n, first, step, miss_ns);
        probabilities[n] = explain(points, count, hit_ns, &shape, scale, &knee->rms);
    }
    const size_t best = bl_posterior(probabilities, SHAPES);
    const struct shape likeliest = shape_of(best, first, step, miss_ns);
    double of_ways[WAYS] = {0}, of_size[SIZES] = {0};
    knee->hashed_probability = 0;
    for (size_t n = 0; n < SHAPES; n++) {
        const struct shape shape = shape_of(n, first, step, miss_ns);
        of_size[shape.size] += probabilities[n];
        of_ways[shape.ways] += probabilities[n];
        knee->hashed_probability += shape.is_hashed ? probabilities[n] : 0;
    }
    unsigned ways = 0;
    for (unsigned w = 1; w < WAYS; w++)
        ways = of_ways[w] > of_ways[ways] ? w : ways;
    knee->ways = way_counts[ways];
    knee->ways_probability = of_ways[ways];
    knee->bytes = first * exp(step * bl_posterior_quantile(of_size, SIZES, 0.5));
    knee->lo = first * exp(step * bl_posterior_quantile(of_size, SIZES, 0.025)) / shapes_are_off;
    knee->hi = first * exp(step * bl_posterior_quantile(of_size, SIZES, 0.975)) * shapes_are_off;
    explain(points, count, hit_ns, &likeliest, scale, &knee->rms);
    free(probabilities);
    return true;
}

/* Linear algebra over GF(2). */

uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector)
{
    for (unsigned bit = 64; bit-- > 0;)
        if (vector >> bit & 1)
            vector ^= basis->of_bit[bit];
    return vector;
}

bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector)
{
    const uint64_t rest = bl_gf2_reduce(basis, vector);
    if (rest == 0)
        return false;
    const unsigned own = 63 - (unsigned)__builtin_clzll(rest);
    for (unsigned bit = 0; bit < 64; bit++)
        if (basis->of_bit[bit] >> own & 1)
            basis->of_bit[bit] ^= rest;
    basis->of_bit[own] = rest;
    basis->rank++;
    return true;
}

unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max)
{
    /* In the reduced basis, each bit that is no vector's highest bit is free. The mask for a free
     * bit consists of that bit and of the highest bits of all vectors that contain the free bit. */
    struct bl_gf2_basis found = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(bits >> bit & 1) || basis->of_bit[bit])
            continue;
        uint64_t mask = (uint64_t)1 << bit;
        for (unsigned lead = 0; lead < 64; lead++)
            if (basis->of_bit[lead] >> bit & 1)
                mask |= (uint64_t)1 << lead;
        bl_gf2_add(&found, mask);
    }
    unsigned count = 0;
    for (unsigned bit = 64; bit-- > 0;)
        if (found.of_bit[bit]) {
            if (count < max)
                masks[count] = found.of_bit[bit];
            count++;
        }
    return count;
}
