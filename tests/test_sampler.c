/* The sampler against made-up devices: it must find their ratio, and refuse their lies. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"

/* A device whose launch takes overhead + rounds * round, on a clock that drifts and jitters. */
struct device {
    double overhead_ns, round_ns;
    double drift;           /* each launch is slower than the one before by this fraction */
    double first_ns;        /* more for the first launch, */
    unsigned slow_launches; /* or for so many */
    double slice_ns; /* every other launch takes up to this much more: somebody else's turn */
    double jitter;   /* a uniform fraction of the launch, added */
    uint64_t random;
    unsigned launches;
    uint32_t max_rounds;
    unsigned seen; /* placements, a bit each */
    unsigned launches_at[BL_MAX_PLACEMENTS];
    double slower_at[BL_MAX_PLACEMENTS]; /* by this fraction */
    double longest_ns;
    double unsettled, settles_ns; /* rounds cost this fraction more at first, and in the end none */
    double throttle;              /* the clock falls by this fraction now and then */
    enum { HONEST, STOPPED, BACKWARDS, FIXED, FAST, SCALED } clock;
    double scale;      /* of a SCALED clock's rate */
    unsigned fails_at; /* the launch, from 1, that fails; 0: none */
};

static unsigned *shared_launches; /* drift is of the machine, not of the kernel */

static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

/* The machine's clock, as a fraction: it falls in the middle of every sixth sample. */
static double clock_of(double throttle)
{
    return *shared_launches % 48 >= 12 && *shared_launches % 48 < 20 ? 1 - throttle : 1;
}

static double read_mhz(void *throttle) { return 1000 * clock_of(*(const double *)throttle); }

static enum bl_status launch(void *context, unsigned placement, uint32_t rounds,
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

static enum bl_status measure(struct device *a, struct device *b,
                              struct bl_measurement *measurement, struct bl_error *error)
{
    static unsigned launches;
    launches = 0;
    shared_launches = &launches;
    const struct bl_subject baseline = {.context = a, .launch = launch},
                            subject = {.context = b, .launch = launch};
    return bl_measure(&baseline, &subject, &settings, measurement, error);
}

Test(sampler, the_difference_of_two_lengths_cancels_overhead)
{
    struct device a = {.overhead_ns = 300000, .round_ns = 1000};
    struct device b = {.overhead_ns = 50000, .round_ns = 16000};
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_float_eq(got.ratio.median, 1.0 / 16, 1e-6);
    cr_assert_float_eq(got.case_round_ns.median, 16000, 0.5);
    cr_assert_float_eq(got.baseline_round_ns.median, 1000, 0.5);
    cr_assert(got.settled);
    cr_assert_eq(got.samples, 9);
}

Test(sampler, takes_six_good_samples_whatever_the_budget)
{
    settings.stopping.min_samples = BL_MIN_SAMPLES;
    settings.stopping.budget_s = 1e-12;
    settings.stopping.precision = 1e-4;
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .jitter = 0.3, .random = 3}, b = a;
    b.random = 4;
    struct bl_measurement got;
    cr_log_info("seeds 3 and 4\n");
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(got.samples, BL_MIN_SAMPLES);
    cr_assert(got.ratio.is_95);
    cr_assert_not(got.settled);
    free(got.ratios);
}

Test(sampler, takes_no_more_time_where_there_will_be_no_number)
{
    settings.stopping.budget_s = 1e-12;
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a;
        b.clock = is_fixed ? FIXED : SCALED;
        b.scale = 0.001;
        struct device alike = b;
        struct bl_measurement got;
        cr_assert_eq(measure(&a, &b, &got, NULL), BL_BAD_CLOCK);
        const struct bl_subject subject = {.context = &alike, .launch = launch};
        struct bl_lengths rounds;
        cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
        cr_assert_eq(b.launches, alike.launches + 4, "one sample: %u launches and %u", b.launches,
                     alike.launches);
    }
}

Test(sampler, the_mirrored_order_cancels_drift)
{
    struct device a = {.overhead_ns = 20000, .round_ns = 100, .drift = 2e-3};
    struct device b = {.overhead_ns = 20000, .round_ns = 100, .drift = 2e-3};
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_float_eq(got.ratio.median, 1, 1e-3);
}

Test(sampler, noise_widens_the_interval_and_the_truth_stays_inside)
{
    struct device a = {.overhead_ns = 20000, .round_ns = 100, .jitter = 0.3, .random = 12345};
    struct device b = {.overhead_ns = 20000, .round_ns = 200, .jitter = 0.3, .random = 54321};
    struct bl_measurement got;
    cr_log_info("seeds 12345 and 54321\n");
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_not(got.settled);
    cr_assert_eq(got.samples, 60);
    cr_assert(got.ratio.lo < 0.5 && 0.5 < got.ratio.hi, "[%g, %g]", got.ratio.lo, got.ratio.hi);
}

Test(sampler, launches_become_longer_where_others_have_turns)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .slice_ns = 4e6, .random = 7};
    struct device b = {.overhead_ns = 5000, .round_ns = 2000, .slice_ns = 4e6, .random = 8};
    struct bl_measurement got;
    struct bl_error error;
    cr_log_info("seeds 7 and 8\n");
    cr_assert_eq(measure(&a, &b, &got, &error), BL_OK, "%s", error.sentence);
    cr_assert(got.ratio.lo < 0.5 && 0.5 < got.ratio.hi, "[%g, %g]", got.ratio.lo, got.ratio.hi);
    cr_assert_gt(a.longest_ns, 2 * 4 * 0.9e6, "they began with a millisecond, and twice that");
    cr_assert_lt(a.longest_ns, settings.longest_ns);
    free(got.ratios);
}

Test(sampler, the_interval_is_over_placements_and_all_of_them_are_visited)
{
    settings.placements = 6;
    struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a;
    const double slower_at[] = {0, 0.01, 0.02, 0.03, 0.04, 0.05};
    memcpy(b.slower_at, slower_at, sizeof slower_at);
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(a.seen, 0x3f);
    cr_assert_eq(b.seen, 0x3f);
    cr_assert_eq(got.placements, 6);
    cr_assert(got.ratio.is_95);
    cr_assert(got.settled, "no launch is noisy, though placements differ");
    /* The mean of the logarithms, and 2.571 times their standard error. */
    cr_assert_float_eq(got.ratio.median, 0.97576, 2e-5);
    cr_assert_float_eq(log(got.ratio.hi / got.ratio.median), 0.01916, 2e-5);
    cr_assert_float_eq(got.case_round_ns.median / got.baseline_round_ns.median, 1 / 0.97576, 2e-5);
    cr_assert_float_eq(got.baseline_round_ns.hi, got.baseline_round_ns.lo, 0.01);
    cr_assert_eq(got.findings.at_levels[0], 0, "they are spread evenly");
    free(got.ratios);
}

/* What a second sample of each is to tell, one of some would not. */
Test(sampler, every_placement_has_its_second_sample_before_any_has_its_third)
{
    settings.placements = 6;
    settings.stopping.min_samples = 6;
    settings.stopping.max_samples = 12;
    settings.stopping.precision = 1e-9;
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .jitter = 0.01, .random = 1}, b = a;
    b.random = 2;
    struct bl_measurement got;
    cr_log_info("seeds 1 and 2\n");
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(got.samples, 12);
    for (unsigned i = 1; i < 5; i++)
        cr_assert_eq(b.launches_at[i], 2 * (4 + 1), "%u: %u", i, b.launches_at[i]);
    cr_assert_eq(b.launches_at[5], 2 * 4 + 1, "the last one is the first on the way back");
    free(got.ratios);
}

Test(sampler, two_levels_of_placements_are_told_with_both_values)
{
    settings.placements = 6;
    struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a;
    b.slower_at[1] = b.slower_at[4] = 0.05;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(got.findings.at_levels[0], 2);
    cr_assert_eq(got.findings.at_levels[1], 4);
    cr_assert_float_eq(got.findings.levels[0], 1 / 1.05, 1e-4);
    cr_assert_float_eq(got.findings.levels[1], 1, 1e-4);
    free(got.ratios);
}

/* Of devices whose clock can be read, and of others. */
Test(sampler, a_sample_during_which_the_clock_fell_is_none)
{
    double throttle = 0.2;
    settings.watch_clock = true;
    settings.clock_context = &throttle;
    settings.stopping.min_samples = 20;
    for (int is_read = 0; is_read < 2; is_read++) {
        settings.clock_mhz = is_read ? read_mhz : NULL;
        struct device a = {.overhead_ns = 5000, .round_ns = 1000, .throttle = throttle}, b = a;
        b.round_ns = 2000;
        struct bl_measurement got;
        cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
        cr_assert_gt(got.clock_fell, 0, "%d", is_read);
        cr_assert_geq(got.samples, 6);
        cr_assert_float_eq(got.ratio.median, 0.5, 1e-3);
        free(got.ratios);
    }
    settings.watch_clock = false; /* a processor's launches differ by as much for other reasons */
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .throttle = throttle}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(got.clock_fell, 0);
    free(got.ratios);
}

Test(sampler, noise_of_the_kernels_alone_is_not_taken_for_a_clock_that_fell)
{
    settings.watch_clock = true;
    settings.placements = 6;
    settings.stopping.max_samples = 12;
    cr_log_info("seeds 1 to 600\n");
    for (unsigned seed = 1; seed <= 600; seed += 2) {
        struct device a = {.overhead_ns = 5000, .round_ns = 1000, .jitter = 0.2, .random = seed};
        struct device b = a;
        b.random = seed + 1;
        struct bl_measurement got;
        cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
        cr_assert_eq(got.clock_fell, 0, "seed %u: %zu of %zu", seed, got.clock_fell, got.samples);
        free(got.ratios);
    }
}

Test(sampler, a_sample_that_was_discarded_is_taken_again_where_it_was)
{
    double throttle = 0.2;
    settings.watch_clock = true;
    settings.clock_context = &throttle;
    settings.clock_mhz = read_mhz;
    settings.placements = 6;
    settings.stopping.min_samples = 6;
    settings.stopping.budget_s = 1e-12;
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .throttle = throttle}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_gt(got.clock_fell, 0);
    cr_assert_eq(got.placements, 6);
    free(got.ratios);
}

Test(sampler, calibration_reaches_the_length_and_stays_under_the_longest)
{
    for (double round_ns = 0.5; round_ns < 3e6; round_ns *= 7) {
        struct device a = {.overhead_ns = 5000, .round_ns = round_ns};
        struct device b = {.overhead_ns = 5000, .round_ns = round_ns};
        struct bl_measurement got;
        cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
        cr_assert_geq(a.longest_ns, 2 * settings.launch_ns / 1.2, "round of %g ns", round_ns);
        cr_assert_leq(a.longest_ns, fmax(4 * settings.launch_ns, 2.1 * round_ns));
    }
}

Test(sampler, the_longer_launch_has_four_times_the_rounds_where_that_is_not_too_long)
{
    static const struct {
        double round_ns;
        struct bl_lengths rounds;
    } cases[] = {{1e4, {100, 400, 0}}, {2e6, {1, 2, 0}}, {1.25e6, {1, 3, 0}}, {45e6, {1, 2, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device device = {.round_ns = cases[i].round_ns};
        const struct bl_subject subject = {.context = &device, .launch = launch};
        static unsigned launches;
        shared_launches = &launches;
        struct bl_lengths rounds;
        cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
        cr_assert_eq(rounds.shorter, cases[i].rounds.shorter, "%zu", i);
        cr_assert_eq(rounds.longer, cases[i].rounds.longer, "%zu: %u", i, rounds.longer);
    }
    settings.longest_ns = 3e6; /* of a device with a nervous watchdog */
    struct device device = {.round_ns = 1e5};
    const struct bl_subject subject = {.context = &device, .launch = launch};
    struct bl_lengths rounds;
    cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
    cr_assert_eq(rounds.shorter, 10);
    cr_assert_leq(rounds.longer, 30);
    cr_assert_geq(rounds.longer, 29);
}

Test(sampler, lengths_that_are_known_are_not_looked_for_again)
{
    struct device device = {.round_ns = 1000};
    struct bl_subject subject = {
        .context = &device, .launch = launch, .known = {.shorter = 700, .longer = 2100}};
    static unsigned launches;
    shared_launches = &launches;
    struct bl_lengths rounds;
    cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
    cr_assert_eq(rounds.shorter, 700);
    cr_assert_eq(rounds.longer, 2100);
    cr_assert_eq(device.launches, 2, "one of each, to warm up");
}

/* Noise makes some looks at it differ, not three in a row alike. */
/* As it would be on a kernel of which samples differ by a percent. */
Test(sampler, launches_are_lengthened_in_nearly_every_run_or_in_hardly_any)
{
    settings.launch_ns = 0.35e6;
    settings.steady_within = 0.01;
    static unsigned launches;
    shared_launches = &launches;
    unsigned lengthened = 0;
    cr_log_info("seeds 1 to 500\n");
    for (unsigned seed = 1; seed <= 500; seed++) {
        struct device device = {.round_ns = 1000,
                                .unsettled = 0.15,
                                .settles_ns = 0.5e6,
                                .jitter = 0.012,
                                .random = seed};
        const struct bl_subject subject = {.context = &device, .launch = launch};
        struct bl_lengths rounds;
        cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
        lengthened += rounds.shorter > 600;
    }
    cr_assert_geq(lengthened, 490, "%u of 500", lengthened);
}

Test(sampler, noise_alone_seldom_lengthens_launches)
{
    settings.launch_ns = 0.35e6;
    settings.steady_within = 0.01;
    static unsigned launches;
    shared_launches = &launches;
    unsigned lengthened = 0;
    cr_log_info("seeds 1 to 500\n");
    for (unsigned seed = 1; seed <= 500; seed++) {
        struct device device = {.round_ns = 1000, .jitter = 0.03, .random = seed};
        const struct bl_subject subject = {.context = &device, .launch = launch};
        struct bl_lengths rounds;
        cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
        lengthened += rounds.shorter > 1000;
    }
    cr_assert_leq(lengthened, 50, "%u of 500", lengthened);
}

/* What caches hold at first costs more or less than in the long run. */
Test(sampler, launches_become_longer_until_a_rounds_cost_is_steady)
{
    settings.launch_ns = 0.35e6;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a, steady = a;
        b.unsettled = sign * 0.4;
        b.settles_ns = 0.5e6;
        struct bl_measurement got;
        struct bl_error error = {0};
        cr_assert_eq(measure(&a, &b, &got, &error), BL_OK, "%s", error.sentence);
        cr_assert(fabs(got.ratio.median - 1) > 0.03, "too short: %g", got.ratio.median);
        settings.steady_within = 0.01;
        cr_assert_eq(measure(&a, &b, &got, &error), BL_OK, "%s", error.sentence);
        cr_assert_float_eq(got.ratio.median, 1, 0.015, "%g", got.ratio.median);
        cr_assert_leq(got.unsteady, 0.015);
        cr_assert_eq(measure(&steady, &a, &got, &error), BL_OK, "%s", error.sentence);
        cr_assert_leq(steady.longest_ns, 8 * 1.2 * settings.launch_ns);
        cr_assert_leq(got.unsteady, 1e-4);
        b.settles_ns = 20e6; /* longer than launches grow */
        b.unsettled = sign * 0.9;
        b.longest_ns = 0;
        cr_assert_eq(measure(&a, &b, &got, &error), BL_OK, "%s", error.sentence);
        cr_assert_leq(b.longest_ns, 1.01 * settings.longest_ns);
        cr_assert_gt(got.unsteady, 0.02);
        settings.steady_within = 0;
    }
}

/* Calibration takes the shortest of a few launches; here all of them waited for something. */
Test(sampler, launches_that_turn_out_far_too_short_are_lengthened)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100};
    struct device b = {.overhead_ns = 5000, .round_ns = 200, .first_ns = 2e6, .slow_launches = 8};
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_geq(b.longest_ns, 2e6 * 0.9, "twice a millisecond, not %g ns", b.longest_ns);
    cr_assert_geq(b.max_rounds, 2 * 1e6 / 200 * 0.8);
    cr_assert_float_eq(got.ratio.median, 0.5, 1e-3);
    free(got.ratios);
}

Test(sampler, a_slow_first_launch_does_not_cut_calibration_short)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100, .first_ns = 1e9}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_geq(a.max_rounds, 10000);
    cr_assert(got.settled);
}

Test(sampler, a_clock_that_stands_still_is_refused)
{
    struct device a = {.round_ns = 100}, b = {.round_ns = 100, .clock = STOPPED};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "same time"));
}

Test(sampler, a_clock_that_runs_backwards_is_refused)
{
    struct device a = {.round_ns = 100, .clock = BACKWARDS}, b = {.round_ns = 100};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "before it starts"));
}

Test(sampler, an_event_longer_than_the_host_saw_is_refused)
{
    struct device a = {.round_ns = 1e5}, b = {.round_ns = 1e5, .clock = FAST};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "host"));
}

Test(sampler, a_clock_that_tells_the_same_for_any_length_is_refused_in_bounded_time)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100, .clock = FIXED}, b = a;
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "more rounds did not"));
    cr_assert_leq(a.longest_ns, settings.longest_ns);
}

Test(sampler, a_clock_of_another_rate_than_the_hosts_is_refused_though_it_never_tells_more)
{
    static const double scales[] = {0.95, 0.8, 0.7, 0.5, 0.001};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        for (int in_case = 0; in_case < 2; in_case++) {
            struct device honest = {.overhead_ns = 300000, .round_ns = 1e4};
            struct device scaled = {
                .overhead_ns = 300000, .round_ns = 1e4, .clock = SCALED, .scale = scales[i]};
            struct bl_measurement got = {0};
            struct bl_error error;
            const enum bl_status status = in_case ? measure(&honest, &scaled, &got, &error)
                                                  : measure(&scaled, &honest, &got, &error);
            cr_assert_eq(status, i < 2 ? BL_OK : BL_BAD_CLOCK, "scale %g", scales[i]);
            if (status != BL_OK)
                cr_assert(strstr(error.sentence, "rounds more took"), "%s", error.sentence);
            free(got.ratios);
        }
}

Test(sampler, a_failed_launch_ends_the_measurement_wherever_it_happens)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    const unsigned all = a.launches;
    for (unsigned n = 1; n <= all; n++) {
        struct device failing = {.overhead_ns = 5000, .round_ns = 100, .fails_at = n};
        struct device other = {.overhead_ns = 5000, .round_ns = 100};
        struct bl_error error = {0};
        cr_assert_eq(measure(&failing, &other, &got, &error), BL_OPENCL_FAILED);
        cr_assert_eq(failing.launches, n);
        cr_assert(error.sentence[0]);
    }
}

Test(clock, a_tick_and_a_thousandth_are_forgiven_but_no_more)
{
    struct bl_timing timing = {.start_ns = 0, .end_ns = 1000000, .host_ns = 999000};
    cr_assert_eq(bl_timing_check(&timing, 1000, NULL), BL_OK);
    timing.host_ns = 997000;
    cr_assert_eq(bl_timing_check(&timing, 1000, NULL), BL_BAD_CLOCK);
}

Test(clock, what_a_longer_launch_takes_more_is_a_thousand_ticks)
{
    cr_assert_float_eq(bl_launch_length_ns(1, 1e6), 1e6, 0);
    cr_assert_gt(bl_launch_length_ns(3000, 1e6), 1e6);
    cr_assert_leq(1000 / (bl_launch_length_ns(1000, 1e5) * (BL_TIMES - 1)), 0.001);
}
