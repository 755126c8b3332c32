#include "infer/knee.h"

#include <math.h>
#include <stdlib.h>

#include "infer/posterior.h"

enum { SIZES = 192, MISSES = 9 };

/* What a miss takes is known less well where some reads miss than where all do: other things come
 * in between, as pages. */
static const double miss_factors[MISSES] = {0.92, 0.95, 0.97, 0.985, 1, 1.015, 1.03, 1.05, 1.08};

/* No cache is quite like any of the shapes: by so much more its size may be off. */
static const double shapes_are_off = 1.003;

static const unsigned way_counts[] = {1, 2, 4, 8, 16, 32, 64};

enum { WAYS = sizeof way_counts / sizeof way_counts[0] };

double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed)
{
    const double lines_of_set = ways * working_set_bytes / cache_bytes;
    if (!is_hashed) {
        /* Sets with one line more than they hold: all of their lines miss. */
        const double with_more = fmin(1, fmax(0, lines_of_set - ways));
        return with_more < 1 ? with_more * (ways + 1) / lines_of_set : 1;
    }
    /* A line's set has it, and others by chance (Poisson): it misses if these fill the set. */
    double term = exp(-lines_of_set), below = 0;
    for (unsigned others = 0; others < ways; others++) {
        below += term;
        term *= lines_of_set / (others + 1);
    }
    return fmax(0, 1 - below);
}

/* Log-likelihood of one explanation; *rms where it is not NULL. */
static double explain(const struct bl_knee_point points[], size_t count, double hit_ns,
                      double miss_ns, double scale, double bytes, unsigned ways, bool is_hashed,
                      double *rms)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double misses = points[i].is_walked
                                  ? bl_knee_misses(points[i].bytes, bytes, ways, is_hashed)
                                  : fmax(0, 1 - bytes / points[i].bytes);
        const double off = points[i].log_ns - log(hit_ns + misses * (miss_ns - hit_ns));
        sum += bl_log_density(off, scale);
        squares += off * off;
    }
    if (rms)
        *rms = sqrt(squares / (double)count);
    return sum;
}

/* Where this share of the probability is below. */
static double quantile(const double of_size[], double first, double step, double share)
{
    double sum = 0;
    for (unsigned s = 0; s < SIZES; s++) {
        if (sum + of_size[s] >= share) {
            const double part = of_size[s] > 0 ? (share - sum) / of_size[s] : 0.5;
            return first * exp(step * (s - 0.5 + part));
        }
        sum += of_size[s];
    }
    return first * exp(step * (SIZES - 1));
}

bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee)
{
    enum { SHAPES = 2 * WAYS * MISSES };
    double *probabilities = malloc(SHAPES * SIZES * sizeof *probabilities);
    double *of_size = calloc(SIZES, sizeof *of_size);
    if (!probabilities || !of_size) {
        free(probabilities);
        free(of_size);
        return false;
    }
    const double first = points[0].bytes, step = log(points[count - 1].bytes / first) / (SIZES - 1);
    for (unsigned s = 0; s < SIZES; s++)
        for (unsigned w = 0; w < SHAPES; w++)
            probabilities[w * SIZES + s] =
                explain(points, count, hit_ns, miss_ns * miss_factors[w / (2 * WAYS)], scale,
                        first * exp(step * s), way_counts[w % (2 * WAYS) / 2], w % 2, NULL);
    const size_t best = bl_posterior(probabilities, SHAPES * SIZES);
    double of_ways[WAYS] = {0};
    knee->hashed_probability = 0;
    for (unsigned w = 0; w < SHAPES; w++)
        for (unsigned s = 0; s < SIZES; s++) {
            const double p = probabilities[w * SIZES + s];
            of_size[s] += p;
            of_ways[w % (2 * WAYS) / 2] += p;
            knee->hashed_probability += w % 2 ? p : 0;
        }
    unsigned ways = 0;
    for (unsigned w = 1; w < WAYS; w++)
        ways = of_ways[w] > of_ways[ways] ? w : ways;
    knee->ways = way_counts[ways];
    knee->ways_probability = of_ways[ways];
    knee->bytes = quantile(of_size, first, step, 0.5);
    knee->lo = quantile(of_size, first, step, 0.025) / shapes_are_off;
    knee->hi = quantile(of_size, first, step, 0.975) * shapes_are_off;
    const size_t shape = best / SIZES;
    explain(points, count, hit_ns, miss_ns * miss_factors[shape / (2 * WAYS)], scale,
            first * exp(step * (double)(best % SIZES)), way_counts[shape % (2 * WAYS) / 2],
            shape % 2, &knee->rms);
    free(probabilities);
    free(of_size);
    return true;
}
