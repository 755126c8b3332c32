/* Tests medians, intervals and the stopping rule with simulated samples. Also tests which steps in
 * a series of nights are found as change points, and that noise alone seldom has one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "measure/sampler.h"
#include "measure/stats.h"

Test(median, medians_of_odd_and_even_and_single_counts_are_right)
{
    double one[] = {7}, odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    cr_assert_float_eq(bl_median(one, 1), 7, 0);
    cr_assert_float_eq(bl_median(odd, 3), 2, 0);
    cr_assert_float_eq(bl_median(even, 4), 2.5, 0);
}

static struct bl_interval of_first(size_t n)
{
    double values[2000];
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(n - i); /* from n down to 1 */
    return bl_median_interval(values, n);
}

Test(interval, intervals_are_the_order_statistics_of_the_sign_test)
{
    /* From tables of the sign test at 95 %. With n = 6, the interval is from the 1st to the 6th
     * value; with n = 9, from the 2nd to the 8th. */
    const struct {
        size_t n;
        double lo, hi;
    } known[] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {12, 3, 10}, {20, 6, 15}, {100, 40, 61}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct bl_interval got = of_first(known[i].n);
        cr_assert(got.is_95, "n = %zu", known[i].n);
        cr_assert_float_eq(got.lo, known[i].lo, 0, "n = %zu: lo %g", known[i].n, got.lo);
        cr_assert_float_eq(got.hi, known[i].hi, 0, "n = %zu: hi %g", known[i].n, got.hi);
    }
}

Test(interval, an_interval_of_fewer_than_six_samples_is_marked_as_below_95_percent)
{
    for (size_t n = 1; n <= 5; n++) {
        const struct bl_interval got = of_first(n);
        cr_assert_not(got.is_95);
        cr_assert_float_eq(got.lo, 1, 0);
        cr_assert_float_eq(got.hi, (double)n, 0);
    }
}

Test(interval, an_interval_of_two_thousand_samples_is_finite_and_narrow)
{
    const struct bl_interval got = of_first(2000);
    cr_assert(got.is_95);
    cr_assert(got.lo > 950 && got.hi < 1050);
}

Test(interval, one_outlier_does_not_widen_an_interval)
{
    double values[] = {1, 1.001, 0.999, 1, 1.001, 0.999, 1, 1, 1e9};
    const struct bl_interval got = bl_median_interval(values, 9);
    cr_assert_leq(got.hi, 1.001);
}

/* Uniform in [0, 1). xorshift64* gives the same numbers on every host. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

Test(interval, intervals_cover_the_median_of_a_skewed_distribution)
{
    uint64_t state = 88172645463325252u;
    cr_log_info("seed %llu\n", (unsigned long long)state);
    const double true_median = log(2.0); /* of the exponential distribution */
    for (size_t n = 6; n <= 30; n += 4) {
        unsigned covered = 0;
        for (unsigned trial = 0; trial < 4000; trial++) {
            double values[30];
            for (size_t i = 0; i < n; i++)
                values[i] = -log(1 - uniform(&state));
            const struct bl_interval got = bl_median_interval(values, n);
            covered += got.lo <= true_median && true_median <= got.hi;
        }
        cr_assert_geq(covered, 3760, "n = %zu: %u of 4000", n, covered); /* 94 % */
    }
}

static const struct bl_stopping_rule rule = {
    .min_samples = 9, .max_samples = 100, .precision = 0.005, .budget_s = 1};

Test(student, the_table_for_95_percent_agrees_with_the_quantiles)
{
    for (size_t freedom = 1; freedom <= 7; freedom++)
        cr_expect_float_eq(bl_student_within_95(freedom),
                           bl_student_quantile(0.05, (double)freedom), 5e-4, "freedom %zu",
                           freedom);
}

Test(student, the_density_is_the_slope_of_the_tails)
{
    for (double freedom = 1; freedom < 100; freedom *= 3) {
        const double inner = exp(bl_student_log_tails(0.999, freedom)),
                     outer = exp(bl_student_log_tails(1.001, freedom));
        cr_expect_float_eq(exp(bl_student_log_density(1, freedom)), (inner - outer) / 2 / 0.002,
                           1e-6, "freedom %g", freedom);
    }
}

Test(stopping, the_minimum_of_samples_is_taken_even_without_noise)
{
    cr_assert_eq(bl_decide(&rule, 0, 8, 8, 0.1), BL_SAMPLE_MORE);
    cr_assert_eq(bl_decide(&rule, 0, 9, 9, 0.1), BL_SETTLED);
}

Test(stopping, sampling_ends_if_the_noise_is_within_the_precision)
{
    cr_assert_eq(bl_decide(&rule, 0.005, 20, 20, 0.1), BL_SETTLED);
    cr_assert_eq(bl_decide(&rule, 0.00501, 20, 20, 0.1), BL_SAMPLE_MORE);
    cr_assert_eq(bl_decide(&rule, INFINITY, 20, 20, 0.1), BL_SAMPLE_MORE);
}

Test(stopping, sampling_ends_at_the_time_budget_or_the_maximum_of_samples)
{
    cr_assert_eq(bl_decide(&rule, 0.5, 20, 20, 0.99), BL_SAMPLE_MORE);
    cr_assert_eq(bl_decide(&rule, 0.5, 20, 20, 1.0), BL_BUDGET_SPENT);
    cr_assert_eq(bl_decide(&rule, 0.5, 60, 100, 0.1), BL_BUDGET_SPENT);
}

Test(stopping, slow_cases_may_exceed_the_budget_but_not_without_limit)
{
    cr_assert_eq(bl_decide(&rule, 0, 3, 3, 1.5), BL_SAMPLE_MORE);
    cr_assert_eq(bl_decide(&rule, 0, 8, 8, 1e6), BL_SAMPLE_MORE,
                 "min_samples good samples are required, whatever the time");
    cr_assert_eq(bl_decide(&rule, 0, 8, 13, 1e6), BL_SAMPLE_MORE);
    cr_assert_eq(bl_decide(&rule, 0, 8, 14, 1.5), BL_BUDGET_SPENT,
                 "more than a third of the samples were discarded");
}

enum { NIGHTS = 60, MOST = 400 };

static const struct bl_change_search one = {.noise_floor = 1e-4, .least_step = 0, .series = 1};

static uint64_t state;

static double random_part(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(random_part())) * cos(2 * 3.14159265358979 * random_part());
}

/* A random number. Kind 0 is normal; in kind 1, one in twenty values is ten times as large; kind 2
 * is skewed. */
static double noise(unsigned kind)
{
    const double value = normal();
    return kind == 1 && random_part() < 0.05 ? 10 * value : kind == 2 ? exp(value) : value;
}

static void fill(double values[], size_t count, unsigned kind)
{
    for (size_t i = 0; i < count; i++)
        values[i] = 1 + 0.005 * noise(kind);
}

Test(change_points, at_most_5_of_100_series_of_noise_have_a_change_point)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        unsigned any = 0;
        state = 2026 + kind;
        printf("seed %u\n", 2026 + kind);
        for (unsigned i = 0; i < 1000; i++) {
            double values[NIGHTS];
            size_t points[4];
            fill(values, NIGHTS, kind);
            any += bl_change_points(values, NIGHTS, &one, points, 4) > 0;
        }
        cr_expect_leq(any, 50, "noise of kind %u: steps are found in %u of 1000 series", kind, any);
    }
}

Test(change_points, if_300_rows_are_searched_noise_seldom_has_a_change_point_in_any_row)
{
    const struct bl_change_search all = {.noise_floor = 1e-4, .series = 300};
    unsigned any = 0;
    state = 7;
    for (unsigned i = 0; i < 40; i++) {
        bool found = false;
        for (unsigned s = 0; s < 300; s++) {
            double values[NIGHTS];
            size_t points[4];
            fill(values, NIGHTS, 0);
            found |= bl_change_points(values, NIGHTS, &all, points, 4) > 0;
        }
        any += found;
    }
    cr_expect_leq(any, 2, "steps are found in %u of 40 runs", any);
}

Test(change_points, steps_are_found_at_the_right_nights)
{
    state = 3;
    unsigned exact = 0;
    for (unsigned i = 0; i < 100; i++) {
        double values[NIGHTS];
        size_t points[4];
        fill(values, NIGHTS, 1);
        for (unsigned night = 0; night < NIGHTS; night++)
            values[night] += night >= 20 && night < 48 ? 0.05 : night >= 48 ? 0.02 : 0;
        const size_t count = bl_change_points(values, NIGHTS, &one, points, 4);
        exact +=
            count == 2 && points[0] >= 19 && points[0] <= 21 && points[1] >= 47 && points[1] <= 49;
    }
    cr_expect_geq(exact, 90, "both steps are found in %u of 100 series", exact);
}

Test(change_points, short_or_constant_series_and_small_steps_have_no_change_point)
{
    double values[MOST];
    size_t points[4] = {99, 99, 99, 99};
    for (size_t i = 0; i < MOST; i++)
        values[i] = i < MOST / 2 ? 1 : 2;
    cr_assert_eq(bl_change_points(values, 0, &one, points, 4), 0);
    cr_assert_eq(bl_change_points(values, 2 * BL_LEVEL_POINTS - 1, &one, points, 4), 0);
    cr_assert_eq(bl_change_points(values, MOST / 2, &one, points, 4), 0, "all values are equal");
    cr_assert_eq(bl_change_points(values, MOST, &one, points, 4), 1);
    cr_assert_eq(points[0], MOST / 2);
    const struct bl_change_search far = {.noise_floor = 1e-4, .least_step = 1.5, .series = 1};
    cr_assert_eq(bl_change_points(values, MOST, &far, points, 4), 0,
                 "the step is smaller than least_step");
    const struct bl_change_search noisy = {.noise_floor = 10, .series = 1};
    cr_assert_eq(bl_change_points(values, MOST, &noisy, points, 4), 0,
                 "the step is smaller than the noise");
    cr_assert_eq(bl_change_points(values, MOST, &one, points, 0), 0, "the array has no space");
    for (size_t i = 0; i < 10; i++)
        values[i] = i < 8 ? 1 : 9;
    cr_assert_eq(bl_change_points(values, 10, &one, points, 4), 0, "two outliers are no change");
}
