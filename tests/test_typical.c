/* What is usual of made-up points, and since when. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "history/since.h"
#include "history/typical.h"
#include "report/run.h"

enum { MAX_POINTS = 32 };

static void points_of(const double ratios[], size_t count, struct bl_row points[])
{
    for (size_t i = 0; i < count; i++) {
        points[i] = bl_row_empty();
        points[i].measured = ratios[i];
        points[i].measured_lo = ratios[i] * 0.998;
        points[i].measured_hi = ratios[i] * 1.002;
    }
}

static size_t first_at_level(const double ratios[], size_t count)
{
    struct bl_row points[MAX_POINTS];
    points_of(ratios, count, points);
    return bl_since_first(points, count, 0.02);
}

#define NUMBERS(...) (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double)

Test(since, the_level_begins_where_it_changed_last)
{
    cr_assert_eq(first_at_level(NUMBERS(1, 1, 1)), 0);
    cr_assert_eq(first_at_level(NUMBERS(1)), 0);
    cr_assert_eq(first_at_level(NUMBERS(1, 1, 0.9, 0.9)), 2);
    cr_assert_eq(first_at_level(NUMBERS(1, 1, 1, 0.9)), 3);
    cr_assert_eq(first_at_level(NUMBERS(0.9, 1, 0.9, 1, 1)), 3);
    cr_assert_eq(first_at_level(NUMBERS(1, 1.001, 0.999, 1.002, 0.95, 0.951, 0.949)), 4);
    cr_assert_eq(first_at_level(NUMBERS(1, 1, NAN, 0.9, NAN, 0.9)), 3,
                 "nights without a number are passed over");
    cr_assert_eq(first_at_level(NUMBERS(NAN, 1, 1, NAN)), 0);
}

Test(since, the_level_is_the_median_of_its_first_points)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(5, NAN, 1, 1.1, 0.9, 1, 1, 1, 1, 1, 1, 7, 7, 7), points);
    const struct bl_interval level = bl_since_level(points, 14, 1);
    cr_assert_float_eq(level.median, 1, 1e-12);
    cr_assert_float_eq(level.lo, 0.998, 1e-5);
    cr_assert_float_eq(level.hi, 1.002, 1e-5);
    cr_assert(level.is_95);
}

static struct bl_row typical(const double ratios[], size_t count)
{
    struct bl_row points[MAX_POINTS];
    points_of(ratios, count, points);
    return bl_typical_row(points, count);
}

Test(typical, it_is_the_median_with_the_spread_of_the_runs)
{
    struct bl_row row = typical(NUMBERS(0.96, 1, 1.04, NAN, 1.02, 0.98));
    const double half = 1.96 * 1.4826 * -log(0.98);
    cr_assert_float_eq(row.measured, 1, 1e-12);
    cr_assert_float_eq(log(row.measured_hi), half, 1e-9);
    cr_assert_float_eq(log(row.measured_lo), -half, 1e-9);
    row = typical(NUMBERS(1, 1, 1, 1));
    cr_assert_float_eq(row.measured_lo, 0.998, 1e-5, "no closer than their own intervals");
    cr_assert(isnan(row.bytes_per_clock_cu) && isnan(row.ns_per_request));
    cr_assert(bl_row_ratio(&row).is_95);
}

Test(typical, only_points_of_the_same_kernels_count)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(1, 1, 1, 2, 2.2, NAN), points);
    for (size_t i = 0; i < 6; i++)
        strcpy(points[i].kernels, i < 3 ? "old" : "new");
    points[5].kernels[0] = '\0';
    const struct bl_row row = bl_typical_row(points, 6);
    cr_assert_float_eq(row.measured, 2.1, 1e-12);
    cr_assert_str_eq(row.kernels, "new");
    cr_assert_eq(bl_since_first(points, 5, 0.2), 3, "whatever the numbers");
}

Test(typical, own_times_have_medians_and_spreads)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(1, 1, 1), points);
    for (size_t i = 0; i < 3; i++) {
        points[i].case_ns = 3 + (double)i;
        points[i].case_ns_lo = points[i].case_ns * 0.9;
        points[i].case_ns_hi = points[i].case_ns * 1.1;
    }
    const struct bl_row row = bl_typical_row(points, 3);
    cr_assert_float_eq(row.case_ns, 4, 1e-12);
    cr_assert_float_eq(log(row.case_ns_hi / row.case_ns), 1.96 * 1.4826 * log(5.0 / 4), 1e-9);
    cr_assert(isnan(row.baseline_ns));
}

Test(typical, rates_are_medians_of_those_that_are_known)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(1, 1, 1, NAN), points);
    points[0].bytes_per_clock_cu = 60;
    points[2].bytes_per_clock_cu = 62;
    points[3].bytes_per_clock_cu = 1e9; /* of a row without a number */
    points[1].ns_per_request = 0.5;
    const struct bl_row row = bl_typical_row(points, 4);
    cr_assert_eq(row.bytes_per_clock_cu, 61);
    cr_assert_eq(row.ns_per_request, 0.5);
}

Test(typical, without_a_number_it_says_what_the_last_one_says)
{
    struct bl_row points[2] = {bl_row_empty(), bl_row_empty()};
    points[0].status = BL_ROW_ERROR;
    points[1].status = BL_ROW_BAD_CLOCK;
    strcpy(points[1].reason, "it stands still");
    strcpy(points[1].key.case_id, "local/1");
    const struct bl_row row = bl_typical_row(points, 2);
    cr_assert_not(bl_row_has_number(&row));
    cr_assert_eq(row.status, BL_ROW_BAD_CLOCK);
    cr_assert_str_eq(row.reason, "it stands still");
    cr_assert_str_eq(row.key.case_id, "local/1");
}

Test(typical, of_many_points_the_newest_count)
{
    static struct bl_row points[2 * BL_MAX_TYPICAL_POINTS];
    for (size_t i = 0; i < 2 * BL_MAX_TYPICAL_POINTS; i++)
        points_of((const double[]){i < BL_MAX_TYPICAL_POINTS ? 1 : 2}, 1, &points[i]);
    cr_assert_eq(bl_typical_row(points, 2 * BL_MAX_TYPICAL_POINTS).measured, 2);
}
