/* How sure a value is: the probability of each of several explanations, given what was measured.
 *
 * All explanations are equally likely beforehand. Errors of measurement follow Student's t with
 * BL_FREEDOM degrees of freedom: nearly normal, and no single measurement that went astray decides
 * anything. With normal errors the probabilities are a little too small. They are of these
 * explanations alone: another that nobody thought of is in none of them.
 */
#ifndef BANKLINE_INFER_POSTERIOR_H
#define BANKLINE_INFER_POSTERIOR_H

#include <stddef.h>

enum { BL_FREEDOM = 5 };

/* Logarithm of the density of an error at `difference`, where errors have this scale (> 0). */
double bl_log_density(double difference, double scale);

/* Turns logarithms of likelihoods into probabilities that add up to 1; returns the index of the
 * largest. count >= 1. */
size_t bl_posterior(double log_likelihoods[], size_t count);

/* What a rule predicts of costs, held against measured times: ns = unit * max(floor, clocks), but
 * for errors. The unit is not known, and a rule is charged for fitting it. */
struct bl_fit {
    double log_likelihood;
    double log_unit;
    double rms; /* of measured / predicted - 1, about */
};
struct bl_fit bl_fit_costs(const double log_ns[], const double clocks[], size_t count, double scale,
                           double floor);

/* The same for times that follow no rule: they lie anywhere within a factor of a few. */
double bl_fit_nothing(const double log_ns[], size_t count);

#endif
