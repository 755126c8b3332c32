/* The mathematics of an inference: how sure a value is, what a curve of latencies says of a cache,
 * and which masks explain what collides. No device.
 *
 * How sure: the probability of each of several explanations, given what was measured.
 *
 * All explanations are equally likely beforehand. Errors of measurement follow Student's t with
 * BL_FREEDOM degrees of freedom: nearly normal, but a single outlier cannot decide anything. With
 * normal errors the probabilities are a little too small. They are relative to these explanations:
 * one that is not among them has no probability.
 */
#ifndef BANKLINE_INFER_POSTERIOR_H
#define BANKLINE_INFER_POSTERIOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BL_FREEDOM = 5 };

/* Logarithm of the density of an error at `difference`, where errors have this scale (> 0). */
double bl_log_density(double difference, double scale);

/* Turns logarithms of likelihoods into probabilities that add up to 1; returns the index of the
 * largest. count >= 1. */
size_t bl_posterior(double log_likelihoods[], size_t count);

/* Fits costs predicted by a rule to measured times: ns = unit * max(floor, clocks), up to errors.
 * The unit is not known; fitting it lowers the rule's likelihood. */
struct bl_fit {
    double log_likelihood;
    double log_unit;
    double rms; /* of measured / predicted - 1, about */
};
struct bl_fit bl_fit_costs(const double log_ns[], const double clocks[], size_t count, double scale,
                           double floor);

/* The same for times that follow no rule: they lie anywhere within a factor of a few. */
double bl_fit_nothing(const double log_ns[], size_t count);

/* The quantile at `share` of `count` values, numbered from 0 on, with these probabilities; value i
 * covers i - 0.5 to i + 0.5. */
double bl_posterior_quantile(const double probabilities[], size_t count, double share);

/* Where a curve of latencies over working sets leaves one level for the next, and what that says of
 * the cache: its size, and how many lines a set of it holds.
 *
 * If a working set is read round and round, a cache that replaces the least recently used line
 * keeps all of a set that has no more lines than ways, and nothing of any other set. If lower
 * address bits choose the set, all sets fill alike: reads begin to miss at the cache's size, and
 * all miss once each set has one line more. If a hash chooses, sets have more or fewer lines by
 * chance. If a part of a working set is read after all of it was, the cache still has the share
 * that fits.
 */
/* The share of reads that miss. ways: lines that a set holds. */
double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed);

struct bl_knee_point {
    bool is_walked; /* round and round */
    double bytes;   /* of the working set */
    double log_ns;  /* of a read, measured */
};

struct bl_knee {
    double bytes, lo, hi; /* the cache's size, and where it is with 95 % certainty */
    unsigned ways;        /* the most likely */
    double ways_probability;
    double hashed_probability;
    double rms; /* of measured / expected - 1 */
};

/* Finds the knee in `count` >= 3 points that lead from one level, where a read takes hit_ns, to the
 * next, where it takes miss_ns. scale: of the points' errors. false: no memory. */
bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee);

/* Linear algebra over GF(2): vectors are words of 64 bits, addition is exclusive or. */

/* A basis of the vectors added so far, each with a highest bit that no other one has. Zeroed: of
 * none. */
struct bl_gf2_basis {
    uint64_t of_bit[64]; /* the vector whose highest bit is this; 0: there is none */
    unsigned rank;
};

/* Adds a vector; false: the others span it already. */
bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector);

/* What remains of the vector after elimination: 0 if the basis spans it. */
uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector);

/* The masks of these bits that have even parity with every vector of the basis: a basis of them in
 * reduced form, the highest bit first. Writes at most max; returns how many there are. */
unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max);

#endif
