/* The mathematics of an inference, without a device: probabilities of explanations, the cache size
 * and ways that explain a curve of latencies, and linear algebra for the masks of a hash.
 *
 * The certainty of a value is the probability of an explanation, given the measurements (Bayes).
 * All explanations are equally likely a priori, unless the caller adds the log of a prior. Errors
 * of measurement are assumed to follow Student's t with BL_FREEDOM degrees of freedom, so that no
 * single outlier decides. Probabilities are relative to the given explanations: a cause that is not
 * among these gets no probability. */
#ifndef BANKLINE_INFER_POSTERIOR_H
#define BANKLINE_INFER_POSTERIOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BL_FREEDOM = 5 };

/* The log density of an error `difference`, if errors have this scale (> 0). */
double bl_log_density(double difference, double scale);

/* Turns log likelihoods into probabilities whose sum is 1. Returns the index of the largest.
 * `count` is at least 1. */
size_t bl_posterior(double log_likelihoods[], size_t count);

/* The fit of a rule's predicted clocks to measured times: ns = unit * max(floor, clocks), up to
 * errors. The unit is unknown and fitted, too; the likelihood includes a penalty for this. */
struct bl_fit {
    double log_likelihood;
    double log_unit;
    double rms; /* approximately the root mean square of measured / predicted - 1 */
};
struct bl_fit bl_fit_costs(const double log_ns[], const double clocks[], size_t count, double scale,
                           double floor);

/* The log likelihood if the times follow no rule and differ by about a factor of two. */
double bl_fit_nothing(const double log_ns[], size_t count);

/* The quantile at `share` of the values 0 to `count` - 1 with these probabilities; value i stands
 * for i - 0.5 to i + 0.5. */
double bl_posterior_quantile(const double probabilities[], size_t count, double share);

/* The knee is the part of a latency curve, over working-set sizes, where one level ends and the
 * next begins. It shows the cache's size and associativity.
 *
 * If a working set is read cyclically and replacement is LRU, a cache set keeps all of its lines if
 * there are at most as many of them as ways; otherwise all reads of its lines miss. If low address
 * bits choose the set, all sets fill evenly: misses begin at the cache's size, and all reads miss
 * once each set has one line too many. If a hash chooses the set, some sets overflow earlier than
 * others. If only a part of the working set is read again, the cache still holds the share that
 * fits. */
/* The fraction of reads that miss. ways: lines per set. */
double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed);

struct bl_knee_point {
    bool is_walked; /* whether the working set is read cyclically */
    double bytes;   /* size of the working set */
    double log_ns;  /* measured time of a read */
};

struct bl_knee {
    double bytes, lo, hi; /* the cache's size, and its 95 % interval */
    unsigned ways;        /* the most likely number of ways */
    double ways_probability;
    double hashed_probability;
    double rms; /* approximately the root mean square of measured / expected - 1 */
};

/* Finds the knee in a latency curve of `count` >= 3 points. Before the knee a read takes hit_ns; in
 * the next level it takes miss_ns. scale: the scale of the errors of log_ns (bl_log_density).
 * Returns false if memory runs out. */
bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee);

/* Linear algebra over GF(2): vectors are 64-bit words, and addition is exclusive or. */

/* A basis of the vectors added so far; no two basis vectors have the same highest bit. Initialize
 * with zeros. */
struct bl_gf2_basis {
    uint64_t of_bit[64]; /* the vector with this highest bit; 0 if there is none */
    unsigned rank;
};

/* Adds a vector. Returns false if it is a sum of vectors added before. */
bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector);

/* Returns the vector reduced by the basis: 0 if the vector is a sum of basis vectors. */
uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector);

/* Finds the masks, within these bits, that have even parity with every vector of the basis. Writes
 * a reduced basis of these masks, highest bit first, but at most `max` vectors; returns the size of
 * the basis. */
unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max);

#endif
