/* Tests that the sampler notices if a device's clock rate falls, or if its event times are wrong,
 * on simulated devices. */
#include "made_up_device.h"

Test(clock, sampling_ends_early_if_event_times_are_wrong)
{
    settings.stopping.budget_s = 1e-12;
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a;
        b.clock = is_fixed ? FIXED : SCALED;
        b.scale = 0.001;
        struct device alike = b; /* for calibration alone, to count its launches */
        struct bl_measurement got;
        cr_assert_eq(measure(&a, &b, &got, NULL), BL_BAD_CLOCK);
        const struct bl_subject subject = {.context = &alike, .launch = launch};
        struct bl_lengths rounds;
        cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
        cr_assert_eq(b.launches, alike.launches + 4,
                     "expected one more sample: %u launches instead of %u", b.launches,
                     alike.launches);
    }
}

/* Tests a device whose clock rate can be read, and a device whose clock rate cannot be read. */
Test(clock, a_sample_during_which_the_clock_fell_is_discarded)
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
    settings.watch_clock = false; /* as on a CPU, where launches may differ by 20 % for other
                                     reasons */
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .throttle = throttle}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_eq(got.clock_fell, 0);
    free(got.ratios);
}

Test(clock, noise_of_one_kernel_is_not_taken_for_a_falling_clock)
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
        cr_assert_eq(got.clock_fell, 0, "seed %u: the clock fell in %zu of %zu samples", seed,
                     got.clock_fell, got.samples);
        free(got.ratios);
    }
}

Test(clock, a_discarded_sample_is_repeated_at_the_same_placement)
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

Test(clock, event_times_that_stand_still_are_refused)
{
    struct device a = {.round_ns = 100}, b = {.round_ns = 100, .clock = STOPPED};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "same time"));
}

Test(clock, event_times_that_run_backwards_are_refused)
{
    struct device a = {.round_ns = 100, .clock = BACKWARDS}, b = {.round_ns = 100};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "before it starts"));
}

Test(clock, an_event_that_takes_longer_than_the_host_measured_is_refused)
{
    struct device a = {.round_ns = 1e5}, b = {.round_ns = 1e5, .clock = FAST};
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "host"));
}

Test(clock, events_that_all_take_the_same_time_are_refused_before_launches_get_too_long)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100, .clock = FIXED}, b = a;
    struct bl_measurement got;
    struct bl_error error;
    cr_assert_eq(measure(&a, &b, &got, &error), BL_BAD_CLOCK);
    cr_assert(strstr(error.sentence, "the longer launch took no longer"));
    cr_assert_leq(a.longest_ns, settings.longest_ns);
}

/* With a slow clock, an event never takes longer than the host's time. But additional rounds take
 * less time by the device's clock than by the host's clock. */
Test(clock, event_times_that_are_less_than_about_three_quarters_of_the_hosts_times_are_refused)
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
                cr_assert(strstr(error.sentence, "more rounds took"), "%s", error.sentence);
            free(got.ratios);
        }
}

Test(clock, an_event_may_exceed_the_hosts_time_by_a_tick_and_a_thousandth)
{
    struct bl_timing timing = {.start_ns = 0, .end_ns = 1000000, .host_ns = 999000};
    cr_assert_eq(bl_timing_check(&timing, 1000, NULL), BL_OK);
    timing.host_ns = 997000;
    cr_assert_eq(bl_timing_check(&timing, 1000, NULL), BL_BAD_CLOCK);
}
