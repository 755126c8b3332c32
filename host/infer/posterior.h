/* The mathematics of an inference: the certainty of a value, the cache that explains a curve of
 * latencies, and the masks that explain which lines collide. No device.
 *
 * Certainty: the probability of each of several explanations, given the measurements.
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

/* Logarithm of the density of an error of size `difference`, if errors have this scale (> 0). */
double bl_log_density(double difference, double scale);

/* Turns logarithms of likelihoods into probabilities that add up to 1; returns the index of the
 * largest. count >= 1. */
size_t bl_posterior(double log_likelihoods[], size_t count);

/* Fits costs predicted by a rule to measured times: ns = unit * max(floor, clocks), up to errors.
 * The unit is not known; fitting it lowers the rule's likelihood. */
struct bl_fit {
    double log_likelihood;
    double log_unit;
    double rms; /* root mean square of measured / predicted - 1, approximately */
};
struct bl_fit bl_fit_costs(const double log_ns[], const double clocks[], size_t count, double scale,
                           double floor);

/* The same for times that follow no rule: they lie anywhere within a factor of a few. */
double bl_fit_nothing(const double log_ns[], size_t count);

/* The quantile at `share` of `count` values, numbered from 0, with these probabilities; value i
 * covers i - 0.5 to i + 0.5. */
double bl_posterior_quantile(const double probabilities[], size_t count, double share);

/* The knee of a curve of latencies over working sets, where one level ends and the next begins, and
 * what it shows about the cache: its size and associativity.
 *
 * If a working set is read round and round, a cache that replaces the least recently used line
 * keeps all lines of a set with no more lines than ways, and none of any other set. If lower
 * address bits choose the set, all sets fill alike: reads begin to miss at the cache's size, and
 * all miss once each set has one line more. If a hash chooses, sets have more or fewer lines by
 * chance. If a part of a working set is read after all of it was, the cache still has the share
 * that fits.
 */
/* The share of reads that miss. ways: lines per set. */
double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed);

struct bl_knee_point {
    bool is_walked; /* whether the working set is read round and round */
    double bytes;   /* size of the working set */
    double log_ns;  /* measured time of a read */
};

struct bl_knee {
    double bytes, lo, hi; /* the cache's size, and its 95 % interval */
    unsigned ways;        /* the most likely number of ways */
    double ways_probability;
    double hashed_probability;
    double rms; /* root mean square of measured / expected - 1 */
};

/* Finds the knee in `count` >= 3 points that lead from one level, where a read takes hit_ns, to the
 * next, where it takes miss_ns. scale: scale of the points' errors. Returns false if there is no
 * memory. */
bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee);

/* Linear algebra over GF(2): vectors are words of 64 bits, addition is exclusive or. */

/* A basis of the vectors added so far; each basis vector has a highest bit that no other has.
 * Zeroed: empty. */
struct bl_gf2_basis {
    uint64_t of_bit[64]; /* the vector with this highest bit; 0: none */
    unsigned rank;
};

/* Adds a vector. Returns false if the others span it already. */
bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector);

/* The remainder of the vector after elimination: 0 if the basis spans it. */
uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector);

/* The masks of these bits that have even parity with every vector of the basis: a reduced basis of
 * them, highest bit first. Writes at most max; returns their number. */
unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max);

#endif
