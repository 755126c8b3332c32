/* Simulated devices for tests of the sampler. The tests choose how long launches take. */
#ifndef BANKLINE_TESTS_MADE_UP_DEVICE_H
#define BANKLINE_TESTS_MADE_UP_DEVICE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"

/* A device whose launches take overhead_ns + rounds * round_ns, changed as the members say. */
struct device {
    double overhead_ns, round_ns;
    double drift;    /* each earlier launch lengthens a launch by this fraction */
    double first_ns; /* additional time of the first 1 + slow_launches launches */
    unsigned slow_launches;
    double slice_ns; /* half of the launches, chosen at random, take up to this much longer, as if
                        another process got a time slice */
    double jitter;   /* max additional time of a launch, as a fraction of the launch; uniformly
                        distributed */
    uint64_t random;
    unsigned launches;
    uint32_t max_rounds;
    unsigned seen; /* bit p is set if placement p was used */
    unsigned launches_at[BL_MAX_PLACEMENTS];
    double slower_at[BL_MAX_PLACEMENTS]; /* for each placement, the fraction by which it is
                                            slower */
    double longest_ns;
    double unsettled, settles_ns; /* at the start of a launch, rounds take longer by the fraction
                                     `unsettled`, which decays with the time constant settles_ns */
    double throttle;              /* the fraction by which the clock falls from time to time */
    enum { HONEST, STOPPED, BACKWARDS, FIXED, FAST, SCALED } clock; /* how event times are wrong */
    double scale;      /* factor for the rate of a SCALED clock */
    unsigned fails_at; /* number of the launch that fails, from 1; 0 if none fails */
};

static unsigned *shared_launches; /* number of launches of the case and its baseline together,
                                     because the device's clock drifts for both */

static inline double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

/* The device's clock, as a fraction of its usual rate. It falls during 8 of every 48 launches. */
static inline double clock_of(double throttle)
{
    return *shared_launches % 48 >= 12 && *shared_launches % 48 < 20 ? 1 - throttle : 1;
}

static inline double read_mhz(void *throttle) { return 1000 * clock_of(*(const double *)throttle); }

static inline enum bl_status launch(void *context, unsigned placement, uint32_t rounds,
                                    struct bl_timing *timing, struct bl_error *error)
{
    struct device *device = context;
    device->seen |= 1u << placement;
    device->launches_at[placement]++;
    if (++device->launches == device->fails_at)
        return bl_fail(error, BL_OPENCL_FAILED, "launch %u", device->launches);
    double ns = device->overhead_ns + rounds * device->round_ns;
    if (device->settles_ns > 0)
        ns += device->unsettled * device->settles_ns *
              (1 - exp(-(double)rounds * device->round_ns / device->settles_ns));
    ns += device->launches <= 1 + device->slow_launches ? device->first_ns : 0;
    ns *= 1 + device->drift * (*shared_launches)++;
    ns *= 1 + device->jitter * uniform(&device->random);
    ns *= 1 + device->slower_at[placement];
    ns /= clock_of(device->throttle);
    if (device->slice_ns > 0 && uniform(&device->random) < 0.5)
        ns += device->slice_ns * uniform(&device->random);
    device->max_rounds = rounds > device->max_rounds ? rounds : device->max_rounds;
    device->longest_ns = fmax(device->longest_ns, ns);
    const uint64_t start = 1000000, took = (uint64_t)(ns + 0.5);
    *timing = (struct bl_timing){.start_ns = start, .end_ns = start + took, .host_ns = took + 500};
    if (device->clock == STOPPED)
        timing->end_ns = start;
    else if (device->clock == BACKWARDS)
        timing->end_ns = start - 1;
    else if (device->clock == FIXED)
        timing->end_ns = start + 700;
    else if (device->clock == FAST)
        timing->end_ns = start + 2 * took;
    else if (device->clock == SCALED)
        timing->end_ns = start + (uint64_t)(device->scale * (double)took);
    return BL_OK;
}

static struct bl_sampler_settings settings = {
    .launch_ns = 1e6,
    .longest_ns = 100e6,
    .resolution_ns = 1,
    .placements = 1,
    .stopping = {.min_samples = 9, .max_samples = 60, .precision = 0.005, .budget_s = 5},
};

static inline enum bl_status calibrate(struct device *device, struct bl_lengths known,
                                       struct bl_lengths *rounds)
{
    static unsigned launches;
    launches = 0;
    shared_launches = &launches;
    const struct bl_subject subject = {.context = device, .known = known, .launch = launch};
    return bl_calibrate(&subject, &settings, rounds, NULL);
}

static inline enum bl_status measure(struct device *a, struct device *b,
                                     struct bl_measurement *measurement, struct bl_error *error)
{
    static unsigned launches;
    launches = 0;
    shared_launches = &launches;
    const struct bl_subject baseline = {.context = a, .launch = launch},
                            subject = {.context = b, .launch = launch};
    return bl_measure(&baseline, &subject, &settings, measurement, error);
}

#endif
