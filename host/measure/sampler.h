/* Measures one subject against another: calibrates, interleaves, takes differences.
 *
 * Knows nothing of OpenCL: a subject is a function that launches so many rounds and says how long
 * that took. One sample is the launches A(n) A(4n) B(m) B(4m) B(4m) B(m) A(4n) A(n): the
 * difference of the two lengths cancels launch overhead and prologue, the mirrored order cancels
 * clock drift. Four times, because a launch of n only costs time: with 2n the same difference, with
 * the same noise, takes nearly twice as long. Where noise makes too many differences negative,
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
    size_t min_samples; /* never stop before this many, whatever they cost */
    size_t max_samples; /* never take more */
    double precision;   /* what noise may do to the result; 0.005 is 0.5 % */
    double budget_s;    /* time for this case, and more where min_samples need it */
};

enum bl_decision {
    BL_SAMPLE_MORE,
    BL_SETTLED,     /* noise is small enough */
    BL_BUDGET_SPENT /* it is not, and there is no time or room for more */
};

/* noise: of bl_placed_noise. Noise decides and not the interval's width: to stop as soon as an
 * interval happens to be narrow is to stop where it is too narrow, which costs 3 to 5 points of its
 * coverage. samples: those kept; taken: the discarded ones too. */
enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s);

/* The rounds of a subject's two launches: the longer one has BL_TIMES as many, or down to twice as
 * many where a few rounds take long. */
struct bl_lengths {
    uint32_t shorter, longer;
};
enum { BL_TIMES = 4 };

/* launch runs `rounds` (1 or more) rounds to their end, with its arrays at this placement (0 or
 * more), and fills in the timing. A status other than BL_OK ends the measurement and is passed on
 * with its error. */
struct bl_subject {
    void *context;
    struct bl_lengths known; /* from an earlier measurement; longer 0: to be found */
    bool settles_slowly;     /* its launches are BL_TIMES as long as the settings say */
    enum bl_status (*launch)(void *context, unsigned placement, uint32_t rounds,
                             struct bl_timing *timing, struct bl_error *error);
};

struct bl_sampler_settings {
    double launch_ns;     /* how long the shorter of the two launches is to take, about */
    double longest_ns;    /* no launch may take longer, unless two rounds do */
    double resolution_ns; /* a tick of the device's timer */
    unsigned placements;  /* 1 to BL_MAX_PLACEMENTS, the same for both subjects */
    /* Discards samples during which the device's clock fell, as a GPU's does when it gets too hot.
     * Where the clock cannot be read (clock_mhz NULL, or 0 from it), it fell if the second halves
     * of both subjects are slower, by more than noise makes them. */
    bool watch_clock;
    double (*clock_mhz)(void *clock_context);
    void *clock_context;
    struct bl_stopping_rule stopping;
};

struct bl_measurement {
    struct bl_interval ratio; /* time of a round of the baseline over one of the case */
    struct bl_interval baseline_round_ns, case_round_ns;
    struct bl_placed_findings findings; /* of the ratio */
    size_t samples;
    double *ratios; /* of each sample, in the order in which they were taken; the caller frees it */
    unsigned placements;               /* that have samples */
    struct bl_lengths baseline_rounds; /* as they were in the end */
    size_t clock_fell;                 /* samples that were discarded for that */
    bool settled;                      /* noise is below the precision that was asked for */
};

enum { BL_MAX_ROUNDS = 1 << 22 }; /* of a shorter launch */

/* Goes up with every change after which the same kernels may give other numbers: in what a sample
 * is, where arrays lie, how launches are sized. */
enum { BL_SAMPLER_VERSION = 7 };

/* The length of a device's shorter launches: its timer's tick is under 0.1 % of the difference to
 * the longer ones, and it is at least min_ns. */
double bl_launch_length_ns(double resolution_ns, double min_ns);

/* Finds how many rounds take as long as the settings ask, at placement 0, unless they are known.
 * Also warms up. BL_BAD_CLOCK where a timing cannot be believed; what launch returns. */
enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error);

/* Measures; BL_BAD_CLOCK when a timing cannot be believed (clock.h), when in a third of the samples
 * or more the longer launch took no longer, when the clock fell during all of them, or when the
 * device's clock runs at less than 3/4 of the host's rate; BL_NO_MEMORY; what launch returns. */
enum bl_status bl_measure(const struct bl_subject *baseline, const struct bl_subject *subject,
                          const struct bl_sampler_settings *settings,
                          struct bl_measurement *measurement, struct bl_error *error);

#endif
