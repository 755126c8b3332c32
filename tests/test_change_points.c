/* Tests which steps in a series of nights are found as change points, and that noise alone seldom
 * has a change point. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "measure/stats.h"

enum { NIGHTS = 60, MOST = 400 };

static const struct bl_change_search one = {.noise_floor = 1e-4, .least_step = 0, .series = 1};

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A random number. Kind 0 is normal; in kind 1, one of twenty values is ten times as far out; kind
 * 2 is skewed. */
static double noise(unsigned kind)
{
    const double value = normal();
    return kind == 1 && uniform() < 0.05 ? 10 * value : kind == 2 ? exp(value) : value;
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
