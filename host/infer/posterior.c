#include "infer/posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

double bl_log_density(double difference, double scale)
{
    const double freedom = BL_FREEDOM, z = difference / scale;
    return lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - 0.5 * log(freedom * M_PI) -
           log(scale) - (freedom + 1) / 2 * log1p(z * z / freedom);
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
    /* The density's constant terms once: this is the inner loop of all fits. */
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
    /* The unit lies anywhere within a factor of some thousands beforehand, and afterwards within
     * the median's error: Laplace's approximation. */
    const double prior_width = 8, width = scale * 1.25 * sqrt(2 * M_PI / (double)count);
    fit.log_likelihood =
        sum_of_densities(residuals, count, fit.log_unit, scale) + log(fmin(1, width / prior_width));
    free(residuals);
    return fit;
}

double bl_fit_nothing(const double log_ns[], size_t count)
{
    const double spread = 0.7; /* times that no rule explains differ by a factor of two */
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
