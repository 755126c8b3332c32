/* Measures one subject against another: calibrates, interleaves, takes differences.
 *
 * Independent of OpenCL: a subject is a function that launches a number of rounds and returns their
 * time. One sample is the launches A(n) A(4n) B(m) B(4m) B(4m) B(m) A(4n) A(n): the difference of
 * the two lengths cancels launch overhead and prologue, the mirrored order cancels clock drift. The
 * factor is four because the launch of n is pure overhead: with 2n, the same difference with the
 * same noise would take nearly twice as long. If noise makes too many differences negative,
 * launches become longer. The sampler goes from placement to placement, a sample at each, and then
 * back, until noise is small enough.
 */
#ifndef BANKLINE_MEASURE_SAMPLER_H
#define BANKLINE_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/clock.h"
#include "measure/placements.h"

/* When to stop sampling: a rule of its own, so that it can be tested with made-up samples. */

struct bl_stopping_rule {
    size_t min_samples; /* min number of samples, whatever they cost */
    size_t max_samples; /* max number of samples */
    double precision;   /* how far noise may change the result; 0.005 is 0.5 % */
    double budget_s;    /* time for this case; exceeded only if min_samples need more */
};

enum bl_decision {
    BL_SAMPLE_MORE,
    BL_SETTLED,     /* noise is small enough */
    BL_BUDGET_SPENT /* noise is too large, and the time or number of samples is used up */
};

/* noise: of bl_placed_noise. Noise decides, not the interval's width: stopping as soon as an
 * interval happens to be narrow means stopping when it is too narrow, which costs 3 to 5 points of
 * its coverage. samples: those kept; taken: including discarded ones. */
enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s);

/* The rounds of a subject's two launches: the longer one has BL_TIMES as many, or as little as
 * twice as many if a few rounds take long. */
struct bl_lengths {
    uint32_t shorter, longer;
};
enum { BL_TIMES = 4 };

/* launch runs `rounds` (1 or more) rounds to completion, with its arrays at this placement (0 or
 * more), and fills in the timing. A status other than BL_OK ends the measurement and is passed on
 * with its error. */
struct bl_subject {
    void *context;
    struct bl_lengths known; /* lengths from an earlier measurement; longer 0: unknown */
    bool settles_slowly;     /* its launches take BL_TIMES as long as in the settings */
    enum bl_status (*launch)(void *context, unsigned placement, uint32_t rounds,
                             struct bl_timing *timing, struct bl_error *error);
};

struct bl_sampler_settings {
    double launch_ns;     /* target time of the shorter of the two launches */
    double longest_ns;    /* max time of a launch, unless two rounds take longer */
    double resolution_ns; /* one tick of the device's timer */
    unsigned placements;  /* 1 to BL_MAX_PLACEMENTS; the same for both subjects */
    /* Discards samples during which the device's clock fell, as when a GPU gets too hot. If the
     * clock cannot be read (clock_mhz is NULL or returns 0), it counts as fallen if the second
     * halves of both subjects are slower, by more than the noise. */
    bool watch_clock;
    double (*clock_mhz)(void *clock_context);
    void *clock_context;
    struct bl_stopping_rule stopping;
};

struct bl_measurement {
    struct bl_interval ratio; /* time of a round of the baseline / of the case */
    struct bl_interval baseline_round_ns, case_round_ns;
    struct bl_placed_findings findings; /* findings about the ratio */
    size_t samples;
    double *ratios; /* the ratio of each sample, in the order in which they were taken; the caller
                       frees the array */
    unsigned placements;               /* number of placements with samples */
    struct bl_lengths baseline_rounds; /* final lengths */
    size_t clock_fell;                 /* samples discarded because the clock fell */
    bool settled;                      /* noise is below the requested precision */
};

enum { BL_MAX_ROUNDS = 1 << 22 }; /* max rounds of a shorter launch */

/* Increases with every change after which the same kernels may give different numbers: in the form
 * of a sample, in the arrays' addresses, in the lengths of launches. */
enum { BL_SAMPLER_VERSION = 7 };

/* The length of a device's shorter launches: at least min_ns, and so long that a tick of the timer
 * is under 0.1 % of the difference to the longer ones. */
double bl_launch_length_ns(double resolution_ns, double min_ns);

/* Finds how many rounds take as long as the settings ask, at placement 0, unless they are known.
 * Also warms up. BL_BAD_CLOCK if a timing cannot be trusted; any status of launch. */
enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error);

/* Measures. BL_BAD_CLOCK if a timing cannot be trusted (clock.h), if in at least a third of the
 * samples the longer launch took no longer, if the clock fell during all samples, or if the
 * device's clock runs at less than 3/4 of the host's rate; BL_NO_MEMORY; any status of launch. */
enum bl_status bl_measure(const struct bl_subject *baseline, const struct bl_subject *subject,
                          const struct bl_sampler_settings *settings,
                          struct bl_measurement *measurement, struct bl_error *error);

#endif
