#include "measure/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

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
    static const double mad_to_sd = 1.4826, median_to_mean = 1.2533;
    const double left = median_of(searching, first, at), right = median_of(searching, at, end);
    const double n = (double)(end - first);
    *cost = 0;
    for (size_t i = first; i < end; i++) {
        searching->distances[i - first] = fabs(searching->values[i] - (i < at ? left : right));
        *cost += searching->distances[i - first];
    }
    const double noise =
        fmax(mad_to_sd * bl_median(searching->distances, end - first) * n / (n - 2),
             searching->search->noise_floor);
    const double step = fabs(left - right);
    if (step < searching->search->least_step || step == 0)
        return 0;
    const double error =
        median_to_mean * noise * sqrt(1 / (double)(at - first) + 1 / (double)(end - at));
    return error > 0 ? step / error : INFINITY;
}

/* The quantile of a normal distribution that |z| passes with this probability, which is small: it
 * is about 2 phi(z) / z there. */
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
 * with some n / 2 degrees of freedom, by the expansion of Cornish and Fisher. */
static double threshold_for(size_t count, size_t series)
{
    const double z = normal_quantile(0.05 / ((double)count * (double)(series ? series : 1)));
    const double freedom = fmax(2, (double)count / 2 - 1);
    return z + (z * z * z + z) / (4 * freedom) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
}

size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *search_,
                        size_t points[], size_t capacity)
{
    if (count < 2 * BL_LEVEL_POINTS)
        return 0;
    struct searching searching = {
        .values = values,
        .search = search_,
        .scratch = calloc(count, sizeof(double)),
        .distances = calloc(count, sizeof(double)),
        .threshold = threshold_for(count, search_->series),
        .capacity = capacity,
    };
    searching.points = points;
    if (searching.scratch && searching.distances)
        search(&searching, 0, count);
    free(searching.scratch);
    free(searching.distances);
    return searching.count;
}
