/* Tests the sampler with simulated devices: it must find their true ratio, and notice if a device's
 * clock rate falls or its event times are wrong. */
#include "made_up_device.h"

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

Test(sampler, the_minimum_of_six_samples_is_taken_however_small_the_budget)
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

Test(sampler, launches_become_longer_if_other_processes_get_time_slices)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 1000, .slice_ns = 4e6, .random = 7};
    struct device b = {.overhead_ns = 5000, .round_ns = 2000, .slice_ns = 4e6, .random = 8};
    struct bl_measurement got;
    struct bl_error error;
    cr_log_info("seeds 7 and 8\n");
    cr_assert_eq(measure(&a, &b, &got, &error), BL_OK, "%s", error.sentence);
    cr_assert(got.ratio.lo < 0.5 && 0.5 < got.ratio.hi, "[%g, %g]", got.ratio.lo, got.ratio.hi);
    cr_assert_gt(a.longest_ns, 2 * 4 * 0.9e6,
                 "launches of 1 and 4 ms became at least twice as long");
    cr_assert_lt(a.longest_ns, settings.longest_ns);
    free(got.ratios);
}

Test(sampler, the_interval_covers_the_spread_of_all_placements)
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
    for (unsigned i = 0; i < 6; i++)
        cr_assert_float_eq(got.placement_ratios[i], 1 / (1 + slower_at[i]), 2e-5, "%u", i);
    for (unsigned i = 6; i < BL_MAX_PLACEMENTS; i++)
        cr_assert(isnan(got.placement_ratios[i]), "%u", i);
    cr_assert(got.ratio.is_95);
    cr_assert(got.settled, "launches are not noisy, although placements differ");
    /* Expected: the mean of the logarithms. The interval's half-width combines 0.01916, which is
     * 2.571 standard errors (Student's t for six placements), with the spread between processes. */
    const double half = hypot(0.01916, 1.96 * BL_BETWEEN_PROCESSES);
    cr_assert_float_eq(got.ratio.median, 0.97576, 2e-5);
    cr_assert_float_eq(log(got.ratio.hi / got.ratio.median), half, 2e-5);
    cr_assert_float_eq(got.case_round_ns.median / got.baseline_round_ns.median, 1 / 0.97576, 2e-5);
    cr_assert_float_eq(log(got.baseline_round_ns.hi / got.baseline_round_ns.median),
                       1.96 * BL_BETWEEN_PROCESSES, 1e-5,
                       "the baseline's placements do not differ");
    cr_assert_eq(got.findings.at_levels[0], 0, "the placements form no groups");
    free(got.ratios);
}

/* A placement with a single sample shows no noise, so every placement gets its second sample
 * early. */
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
    cr_assert_eq(b.launches_at[5], 2 * 4 + 1,
                 "the last placement is also the first of the next, reversed pass");
    free(got.ratios);
}

Test(sampler, two_groups_of_placements_are_reported_with_both_values)
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

Test(sampler, a_failed_launch_ends_the_measurement_at_any_point)
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
        cr_assert_eq(
            b.launches, alike.launches + 4,
            "expected one sample after calibration: %u launches, of which calibration takes %u",
            b.launches, alike.launches);
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
