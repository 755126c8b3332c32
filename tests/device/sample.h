/* Chooses a random sample of a test's many points. BANKLINE_TEST_SHARE is the fraction of the
 * points to take (by default 1), and BANKLINE_TEST_SEED is the seed, which is printed. */
#ifndef BANKLINE_TESTS_SAMPLE_H
#define BANKLINE_TESTS_SAMPLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct sample {
    double share;
    unsigned seed; /* state of rand_r */
    size_t taken;  /* number of points in the sample so far */
};

/* Begins a sample, and prints its seed and share. points: what is sampled, such as "sums". */
static inline struct sample sample_of(const char *points)
{
    const char *share = getenv("BANKLINE_TEST_SHARE"), *seed = getenv("BANKLINE_TEST_SEED");
    const struct sample sample = {
        .share = share ? strtod(share, NULL) : 1,
        .seed = seed ? (unsigned)strtoul(seed, NULL, 10) : 20261121,
    };
    fprintf(stderr, "%s: seed %u, %g of them\n", points, sample.seed, sample.share);
    return sample;
}

/* Decides at random whether the next point is in the sample. It always is if is_wanted. */
static inline bool sample_takes(struct sample *sample, bool is_wanted)
{
    const bool is_taken = rand_r(&sample->seed) < sample->share * (RAND_MAX + 1.0);
    sample->taken += is_taken || is_wanted;
    return is_taken || is_wanted;
}

/* Whether enough of `count` points are in the sample: at least 30 % of the expected number, or all
 * points if the share is 1. */
static inline bool sample_is_enough(const struct sample *sample, size_t count)
{
    return sample->taken > 0 &&
           (double)sample->taken >= (sample->share < 1 ? 0.3 * sample->share : 1) * (double)count;
}

/* The number of repetitions of a test: the share of `count`, but at least `least`. */
static inline unsigned sample_count(unsigned count, unsigned least)
{
    const char *share = getenv("BANKLINE_TEST_SHARE");
    const double taken = (share ? strtod(share, NULL) : 1) * count;
    return taken > least ? (unsigned)(taken + 0.5) : least;
}

#endif
