/* Tests how the sampler chooses the number of rounds of its launches, on simulated devices. */
#include "made_up_device.h"

Test(calibrate, launches_reach_the_target_length_and_stay_below_the_maximum)
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

static const struct bl_lengths unknown;

Test(calibrate, the_longer_launch_has_four_times_the_rounds_unless_it_would_take_too_long)
{
    static const struct {
        double round_ns;
        struct bl_lengths rounds;
    } cases[] = {{1e4, {100, 400}}, {2e6, {1, 2}}, {1.25e6, {1, 3}}, {45e6, {1, 2}}};
    struct bl_lengths rounds;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device device = {.round_ns = cases[i].round_ns};
        cr_assert_eq(calibrate(&device, unknown, &rounds), BL_OK);
        cr_assert_eq(rounds.shorter, cases[i].rounds.shorter, "%zu", i);
        cr_assert_eq(rounds.longer, cases[i].rounds.longer, "%zu: %u", i, rounds.longer);
    }
    settings.longest_ns = 3e6; /* less than four times the launch_ns of 1e6 */
    struct device device = {.round_ns = 1e5};
    cr_assert_eq(calibrate(&device, unknown, &rounds), BL_OK);
    cr_assert_eq(rounds.shorter, 10);
    cr_assert_leq(rounds.longer, 30);
    cr_assert_geq(rounds.longer, 29);
}

Test(calibrate, known_lengths_are_not_determined_again)
{
    struct device device = {.round_ns = 1000};
    struct bl_lengths rounds;
    cr_assert_eq(calibrate(&device, (struct bl_lengths){700, 2100}, &rounds), BL_OK);
    cr_assert_eq(rounds.shorter, 700);
    cr_assert_eq(rounds.longer, 2100);
    cr_assert_eq(device.launches, 2, "one launch of each length, to warm up");
}

/* The first rounds of a launch are slower or faster than later rounds, because the caches contain
 * other data. */
Test(calibrate, launches_of_a_subject_that_settles_slowly_are_four_times_as_long)
{
    static unsigned launches;
    settings.launch_ns = 0.35e6;
    shared_launches = &launches;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct device a = {.overhead_ns = 5000, .round_ns = 1000}, b = a;
        b.unsettled = sign * 0.4;
        b.settles_ns = 0.5e6;
        const struct bl_subject baseline = {.context = &a, .launch = launch};
        struct bl_subject subject = {.context = &b, .launch = launch};
        struct bl_measurement got;
        cr_assert_eq(bl_measure(&baseline, &subject, &settings, &got, NULL), BL_OK);
        cr_assert(fabs(got.ratio.median - 1) > 0.03, "launches are too short, but the ratio is %g",
                  got.ratio.median);
        free(got.ratios);
        subject.settles_slowly = true;
        a.longest_ns = b.longest_ns = 0;
        cr_assert_eq(bl_measure(&baseline, &subject, &settings, &got, NULL), BL_OK);
        cr_assert_float_eq(got.ratio.median, 1, 0.015, "%g", got.ratio.median);
        cr_assert_leq(a.longest_ns, 4 * 1.2 * settings.launch_ns,
                      "the launches of the baseline stay short");
        cr_assert_geq(b.longest_ns, 16 / 1.2 * settings.launch_ns);
        free(got.ratios);
    }
    settings.longest_ns = 1e6;
    struct device device = {.round_ns = 1000};
    const struct bl_subject subject = {
        .context = &device, .launch = launch, .settles_slowly = true};
    struct bl_lengths rounds;
    cr_assert_eq(bl_calibrate(&subject, &settings, &rounds, NULL), BL_OK);
    cr_assert_leq(device.longest_ns, settings.longest_ns);
    cr_assert_leq(rounds.longer, settings.longest_ns / device.round_ns);
}

/* Calibration estimates the time of a round from the shortest of a few launches. Here all of these
 * launches take 2 ms longer than later launches. */
Test(calibrate, launches_that_prove_to_be_far_too_short_are_lengthened)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100};
    struct device b = {.overhead_ns = 5000, .round_ns = 200, .first_ns = 2e6, .slow_launches = 8};
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_geq(b.longest_ns, 2e6 * 0.9, "expected about 2 ms, not %g ns", b.longest_ns);
    cr_assert_geq(b.max_rounds, 2 * 1e6 / 200 * 0.8);
    cr_assert_float_eq(got.ratio.median, 0.5, 1e-3);
    free(got.ratios);
}

Test(calibrate, a_slow_first_launch_does_not_shorten_later_launches)
{
    struct device a = {.overhead_ns = 5000, .round_ns = 100, .first_ns = 1e9}, b = a;
    struct bl_measurement got;
    cr_assert_eq(measure(&a, &b, &got, NULL), BL_OK);
    cr_assert_geq(a.max_rounds, 10000);
    cr_assert(got.settled);
}

Test(calibrate, the_shorter_and_the_longer_launch_differ_by_at_least_a_thousand_ticks)
{
    cr_assert_float_eq(bl_launch_length_ns(1, 1e6), 1e6, 0);
    cr_assert_gt(bl_launch_length_ns(3000, 1e6), 1e6);
    cr_assert_leq(1000 / (bl_launch_length_ns(1000, 1e5) * (BL_TIMES - 1)), 0.001);
}
