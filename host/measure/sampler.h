/* Measures the time of a case relative to its baseline: finds how long launches must be, launches
 * both kernels in the order described below, and takes differences.
 *
 * The sampler is independent of OpenCL. A subject is a case or its baseline: a function that
 * launches a kernel with a number of rounds (iterations of the kernel's outer loop) and returns the
 * launch's time. One sample consists of the launches A(n) A(4n) B(m) B(4m) B(4m) B(m) A(4n) A(n),
 * where A is the baseline with n rounds and B the case with m. The difference between the long and
 * the short launch cancels launch overhead and the kernel's prologue; the mirrored order cancels
 * clock drift. The factor is four because the short launch only serves to be subtracted: with a
 * factor of two, launches with the same difference would take nearly twice as long. If noise makes
 * too many differences negative, launches are lengthened. Samples are taken at one placement after
 * another, forwards and then backwards, until noise is small enough or the time is used up. */
#ifndef BANKLINE_MEASURE_SAMPLER_H
#define BANKLINE_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/placements.h"

/* The host's clock, and a check of the device's clock against it. */

/* The times of one launch by the device's clock and by the host's, in nanoseconds. */
struct bl_timing {
    uint64_t start_ns, end_ns; /* CL_PROFILING_COMMAND_START and _END, the device's clock */
    uint64_t host_ns;          /* from before the launch is enqueued until the wait for it ends */
};

/* The host's time in ns (CLOCK_MONOTONIC_RAW: never adjusted, arbitrary origin). */
uint64_t bl_host_now_ns(void);

/* Writes the current date and time as 2026-11-22T17:34:36Z. */
void bl_time_utc(char text[32]);

/* Fails with BL_BAD_CLOCK if the event took no time, ended before it started, or took longer than
 * the launch took by the host's clock. The event may be longer by one tick of the timer
 * (resolution_ns) and 0.1 %, because two clocks never agree exactly. */
enum bl_status bl_timing_check(const struct bl_timing *timing, double resolution_ns,
                               struct bl_error *error);

/* When to stop sampling. The rule is separate from the sampler, so that tests can give it simulated
 * samples. */

struct bl_stopping_rule {
    size_t min_samples; /* min number of kept samples, even if they take longer than the budget,
                           unless more than a third of the samples are discarded */
    size_t max_samples; /* max number of samples, including discarded samples */
    double precision;   /* the fraction by which noise may move the result: 0.005 is 0.5 % */
    double budget_s;    /* time for the samples of this case; exceeded to get min_samples */
};

enum bl_decision {
    BL_SAMPLE_MORE,
    BL_SETTLED,     /* noise is small enough: stop */
    BL_BUDGET_SPENT /* noise is too large, but the time or the number of samples is used up: stop */
};

/* Decides, after each sample, whether to take another. `noise` is from bl_placed_noise. `samples`
 * counts the kept samples; `taken` also counts the discarded samples.
 *
 * The criterion is noise and not the interval's width. An interval may be narrow by chance, and if
 * sampling stopped then, only 90 to 92 % of the intervals would contain the true value, instead of
 * 95 %. */
enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s);

/* The rounds of a subject's two launches. The longer launch has BL_TIMES times as many rounds as
 * the shorter launch. It has fewer, but at least twice as many as the shorter launch, if it would
 * exceed the time limit or if the shorter launch takes longer than its target time. */
struct bl_lengths {
    uint32_t shorter, longer;
};
enum { BL_TIMES = 4 };

/* A kernel to measure. launch() launches it with `rounds` rounds (at least 1) on the arrays of the
 * given placement, waits for the launch to end and fills in the timing. If launch() returns a
 * status other than BL_OK, the measurement ends with this status and error. */
struct bl_subject {
    void *context;
    struct bl_lengths known; /* lengths from an earlier measurement; `longer` is 0 if there is
                                none */
    bool settles_slowly;     /* whether a round's time settles only after many rounds, so that
                                launches must be BL_TIMES times as long as the settings say */
    enum bl_status (*launch)(void *context, unsigned placement, uint32_t rounds,
                             struct bl_timing *timing, struct bl_error *error);
};

struct bl_sampler_settings {
    double launch_ns;     /* target time of the shorter launch */
    double longest_ns;    /* max time of a launch; exceeded if even two rounds take longer */
    double resolution_ns; /* one tick of the device's timer */
    unsigned placements;  /* number of placements of both subjects, 1 to BL_MAX_PLACEMENTS */
    /* Whether to discard samples during which the device's clock fell, for example because a GPU
     * got too hot. If the clock cannot be read (clock_mhz is NULL or returns 0), the clock counts
     * as fallen if both subjects are slower in the second half of a sample than in the first, by
     * more than the noise. */
    bool watch_clock;
    double (*clock_mhz)(void *clock_context);
    void *clock_context;
    struct bl_stopping_rule stopping;
};

struct bl_measurement {
    struct bl_interval ratio; /* time of a round of the baseline / time of a round of the case */
    struct bl_interval baseline_round_ns, case_round_ns;
    double placement_ratios[BL_MAX_PLACEMENTS]; /* bl_placed_medians of the ratio */
    struct bl_placed_findings findings;         /* what is unusual about the ratio */
    size_t samples;
    double *ratios;      /* the ratio of each sample, in order; the caller frees the array */
    unsigned placements; /* number of placements with samples */
    struct bl_lengths baseline_rounds; /* the baseline's rounds per launch, after the last
                                          adjustment */
    size_t clock_fell;                 /* samples discarded because the clock fell */
    bool settled;                      /* whether sampling stopped because noise was small enough */
};

enum { BL_MAX_ROUNDS = 1 << 22 }; /* max rounds of a shorter launch */

/* Raise this number with every change that may change the results of unchanged kernels, such as the
 * launches of a sample, the arrays' addresses or the lengths of launches. Rows of samplers with
 * different numbers are not compared. */
enum { BL_SAMPLER_VERSION = 7 };

/* The target time of the shorter launches on a device: at least min_ns, and so long that a tick of
 * the timer is less than 0.1 % of the difference between the longer and the shorter launch. */
double bl_launch_length_ns(double resolution_ns, double min_ns);

/* Finds the number of rounds, at placement 0, with which launches take as long as the settings say.
 * Uses subject->known instead if it is set. Calibration also warms up the caches. Fails with
 * BL_BAD_CLOCK if a timing cannot be trusted, or with the status of a launch that fails. */
enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error);

/* Measures the subject against the baseline. Fails with BL_BAD_CLOCK if a timing cannot be trusted,
 * if the longer launch took no longer than the shorter one in at least a third of the samples, if
 * the clock fell during all samples, or if the device's clock runs at less than 3/4 of the host's
 * rate. Also fails with BL_NO_MEMORY, or with the status of a launch that fails. */
enum bl_status bl_measure(const struct bl_subject *baseline, const struct bl_subject *subject,
                          const struct bl_sampler_settings *settings,
                          struct bl_measurement *measurement, struct bl_error *error);

#endif
