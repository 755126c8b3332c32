/* How long a launch is to be, and how many rounds that takes. */
#include <math.h>

#include "measure/sampler.h"

double bl_launch_length_ns(double resolution_ns, double min_ns)
{
    return fmax(min_ns, 1050 * resolution_ns / (BL_TIMES - 1));
}

double bl_wanted_ns(const struct bl_subject *subject, const struct bl_sampler_settings *settings)
{
    const double times = subject->settles_slowly ? BL_TIMES : 1;
    return fmin(times * settings->launch_ns, settings->longest_ns / 2);
}

enum bl_status bl_timed_launch(const struct bl_subject *subject,
                               const struct bl_sampler_settings *settings, unsigned placement,
                               uint32_t rounds, struct bl_timing *timing, struct bl_error *error)
{
    enum bl_status status = subject->launch(subject->context, placement, rounds, timing, error);
    if (status == BL_OK)
        status = bl_timing_check(timing, settings->resolution_ns, error);
    return status;
}

enum { LAUNCHES_OF_A_STEP = 3, MAX_GROWTH = 64 };

/* The shortest of a few launches: one alone may have waited for somebody else's turn to end, and
 * would seem long enough when it is not. */
static enum bl_status shortest_launch(const struct bl_subject *subject,
                                      const struct bl_sampler_settings *settings, uint32_t rounds,
                                      double *event_ns, double *host_ns, struct bl_error *error)
{
    *event_ns = *host_ns = INFINITY;
    for (int i = 0; i < LAUNCHES_OF_A_STEP; i++) {
        struct bl_timing timing;
        const enum bl_status status = bl_timed_launch(subject, settings, 0, rounds, &timing, error);
        if (status != BL_OK)
            return status;
        *event_ns = fmin(*event_ns, (double)(timing.end_ns - timing.start_ns));
        *host_ns = fmin(*host_ns, (double)timing.host_ns);
        if (*host_ns > settings->longest_ns / 2)
            break; /* long ones are not repeated */
    }
    return BL_OK;
}

/* How many times the rounds of a launch that took so long the longer one has: no more than it needs
 * to take the time of BL_TIMES launches that are not longer than asked for. */
static double times_for(const struct bl_sampler_settings *settings, double wanted_ns,
                        double event_ns, double host_ns)
{
    const double enough = fmin(BL_TIMES, BL_TIMES * wanted_ns / event_ns);
    return fmax(2, fmin(enough, settings->longest_ns / host_ns));
}

static enum bl_status find_lengths(const struct bl_subject *subject,
                                   const struct bl_sampler_settings *settings,
                                   struct bl_lengths *rounds, struct bl_error *error)
{
    /* The first launch says nothing about time: some drivers finish building a kernel in it. */
    struct bl_timing timing;
    enum bl_status status = bl_timed_launch(subject, settings, 0, 1, &timing, error);
    if (status != BL_OK)
        return status;
    const double wanted_ns = bl_wanted_ns(subject, settings);
    uint32_t n = 1;
    double event_ns, host_ns;
    for (;;) {
        status = shortest_launch(subject, settings, n, &event_ns, &host_ns, error);
        if (status != BL_OK)
            return status;
        const double wanted = wanted_ns / event_ns;
        /* The host's clock bounds the growth too: a device's clock that stands nearly still must
         * not make launches ever longer. */
        const double capacity = settings->longest_ns / 2 / host_ns;
        if (wanted < 1.1 || capacity < 2 || n >= BL_MAX_ROUNDS)
            break;
        /* The first launches are mostly overhead, so the estimate is low; and where a clock tells
         * too little of one, not far too high: go in steps. */
        const double next = ceil(n * fmin(fmin(wanted, MAX_GROWTH), capacity));
        n = next < BL_MAX_ROUNDS ? (uint32_t)next : BL_MAX_ROUNDS;
    }
    *rounds =
        (struct bl_lengths){n, (uint32_t)(n * times_for(settings, wanted_ns, event_ns, host_ns))};
    return BL_OK;
}

enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error)
{
    if (subject->known.longer == 0)
        return find_lengths(subject, settings, rounds, error);
    *rounds = subject->known;
    struct bl_timing timing;
    const enum bl_status status =
        bl_timed_launch(subject, settings, 0, rounds->shorter, &timing, error);
    return status == BL_OK ? bl_timed_launch(subject, settings, 0, rounds->longer, &timing, error)
                           : status;
}
