/* Tests the sampler with simulated devices, whose true ratio it must find. */
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
    /* Expected: the mean of the logarithms. Its half-width combines 0.01916, which is 2.571
     * standard errors (Student's t for six placements), with the spread between processes. */
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
