/* Tests the typical value of a row in a history, and since when the row has had this value. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample.h"
#include "history/typical.h"
#include "measure/stats.h"
#include "report/compare.h"
#include "report/run.h"

enum { MAX_POINTS = 32 };

static size_t runs;

static void points_of(const double ratios[], size_t count, struct bl_row points[])
{
    for (size_t i = 0; i < count; i++) {
        points[i] = bl_row_empty();
        points[i].measured = ratios[i];
        points[i].measured_lo = ratios[i] * 0.998;
        points[i].measured_hi = ratios[i] * 1.002;
    }
}

static size_t first_since(const double ratios[], size_t count)
{
    struct bl_row points[MAX_POINTS];
    points_of(ratios, count, points);
    return bl_since_of(points, count, 0.02, 1).first;
}

#define NUMBERS(...) (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double)

Test(since, the_last_change_point_is_found)
{
    cr_assert_eq(first_since(NUMBERS(1, 1, 1)), 0);
    cr_assert_eq(first_since(NUMBERS(1)), 0);
    cr_assert_eq(first_since(NUMBERS(1, 1, 0.9, 0.9)), 2);
    cr_assert_eq(first_since(NUMBERS(1, 1, 1, 0.9)), 3);
    cr_assert_eq(first_since(NUMBERS(0.9, 1, 0.9, 1, 1)), 3);
    cr_assert_eq(first_since(NUMBERS(1, 1.001, 0.999, 1.002, 0.95, 0.951, 0.949)), 4);
    cr_assert_eq(first_since(NUMBERS(1, 1, NAN, 0.9, NAN, 0.9)), 3,
                 "nights without a number are ignored");
    cr_assert_eq(first_since(NUMBERS(NAN, 1, 1, NAN)), 0);
}

Test(since, typical_ratios_are_medians)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(5, NAN, 5, 5, 5, 5, 1, 1.001, 0.999, 1, 1, 1, 1, 1, 1), points);
    const struct bl_since since = bl_since_of(points, 15, 0.02, 1);
    cr_assert_eq(since.first, 6);
    cr_assert_float_eq(since.typical, 1, 1e-9);
    cr_assert_float_eq(since.before, 5, 1e-9);
    cr_assert(!since.is_drift && !since.is_other_kernel);
}

Test(since, no_step_is_smaller_than_the_threshold)
{
    cr_assert_eq(first_since(NUMBERS(1, 1, 1, 1, 1, 1, 0.985, 0.985, 0.985, 0.985, 0.985)), 0);
    cr_assert_eq(first_since(NUMBERS(1, 1, 1, 1, 1, 1, 0.975, 0.975, 0.975, 0.975, 0.975)), 6);
}

static double normal(void)
{
    return sqrt(-2 * log(1 - drand48())) * cos(2 * 3.14159265358979 * drand48());
}

enum { NIGHTS = 60 };

/* Simulates 400 series of nightly ratios. noise: standard deviation; correlation: between
 * neighbouring nights; by: the change from night `step` on, a fraction. *told: number of series in
 * which any change is found. *exact: number of series in which a change in night `step` is found.
 */
static void tell_since(double noise, double correlation, double by, size_t step, unsigned *told,
                       unsigned *exact)
{
    *told = *exact = 0;
    for (unsigned i = 0; i < 400; i++) {
        struct bl_row points[NIGHTS];
        double ratios[NIGHTS], last = normal();
        for (size_t night = 0; night < NIGHTS; night++) {
            last = correlation * last + sqrt(1 - correlation * correlation) * normal();
            ratios[night] = exp(noise * last) * (night >= step ? 1 + by : 1);
        }
        points_of(ratios, NIGHTS, points);
        const struct bl_since since = bl_since_of(points, NIGHTS, 0.02, 1);
        *told += since.first > 0 || since.is_drift;
        *exact += since.first == step && !since.is_drift;
    }
}

Test(since, steps_are_dated_and_noise_has_no_steps)
{
    unsigned told, exact;
    printf("seed 7\n");
    srand48(7);
    for (unsigned i = 1; i <= 4; i++) {
        tell_since(0.0025 * i, 0, 0, NIGHTS, &told, &exact);
        cr_expect_leq(told, 8, "noise %g: a change is found in %u of 400 series", 0.0025 * i, told);
    }
    for (unsigned i = 1; i <= 3; i++) {
        tell_since(0.005 * i, 0.6, 0, NIGHTS, &told, &exact);
        cr_expect_leq(told, 20, "autocorrelated noise %g: a change is found in %u of 400",
                      0.005 * i, told);
    }
    for (size_t step = 20; step < NIGHTS; step += 13) {
        tell_since(0.005, 0, -0.05, step, &told, &exact);
        cr_expect_geq(exact, 380, "night %zu is found in %u of 400 series", step, exact);
    }
}

Test(since, a_slow_drift_is_found_with_its_beginning)
{
    unsigned found = 0, close = 0, of = 200;
    srand48(8);
    for (unsigned i = 0; i < of; i++) {
        struct bl_row points[80];
        double ratios[80];
        for (size_t night = 0; night < 80; night++)
            ratios[night] = exp(0.003 * normal()) * (1 - 0.001 * fmax(0, (double)night - 30));
        points_of(ratios, 80, points);
        const struct bl_since since = bl_since_of(points, 80, 0.02, 372);
        found += since.is_drift;
        close += since.is_drift && since.first >= 20 && since.first <= 40;
    }
    cr_expect_geq(found, 95 * of / 100, "found in %u of %u, seed 8", found, of);
    cr_expect_geq(close, 95 * of / 100, "dated right in %u of %u, seed 8", close, of);
}

Test(since, a_drift_after_a_change_of_kernels_is_not_of_another_kernel)
{
    enum { OTHER = 20, ALL = 100 };
    struct bl_row points[ALL];
    double ratios[ALL];
    /* The ratio drifts by 2 % in all, too slowly for a change point. */
    for (size_t night = 0; night < ALL; night++)
        ratios[night] = 1 - 0.000355 * fmax(0, (double)night - OTHER - 22);
    points_of(ratios, ALL, points);
    for (size_t night = 0; night < OTHER; night++)
        strcpy(points[night].kernels, "other");
    const struct bl_since since = bl_since_of(points, ALL, 0.02, 1);
    cr_assert(since.is_drift && since.first > OTHER, "%zu", since.first);
    cr_assert_not(since.is_other_kernel);
    cr_assert_float_eq(since.before, 1, 0.001);
}

static struct bl_row typical(const double ratios[], size_t count)
{
    struct bl_row points[MAX_POINTS];
    points_of(ratios, count, points);
    return bl_typical_row(points, count, 0, &runs);
}

Test(typical, the_typical_ratio_is_the_median_with_the_spread_of_the_runs)
{
    struct bl_row row = typical(NUMBERS(0.96, 1, 1.04, NAN, 1.02, 0.98));
    const double half = 1.96 * 1.4826 * -log(0.98);
    cr_assert_float_eq(row.measured, 1, 1e-12);
    cr_assert_float_eq(log(row.measured_hi), half, 1e-9);
    cr_assert_float_eq(log(row.measured_lo), -half, 1e-9);
    row = typical(NUMBERS(1, 1, 1, 1));
    cr_assert_float_eq(row.measured_lo, 0.998, 1e-5, "not narrower than the runs' own intervals");
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
    const struct bl_row row = bl_typical_row(points, 6, 0, &runs);
    cr_assert_float_eq(row.measured, 2.1, 1e-12);
    cr_assert_str_eq(row.kernels, "new");
    const struct bl_since since = bl_since_of(points, 5, 0.2, 1);
    cr_assert(since.first == 3 && since.is_other_kernel,
              "the kernels changed, so the ratios do not matter");
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
    const struct bl_row row = bl_typical_row(points, 3, 0, &runs);
    cr_assert_float_eq(row.case_ns, 4, 1e-12);
    cr_assert_float_eq(log(row.case_ns_hi / row.case_ns), 1.96 * 1.4826 * log(5.0 / 4), 1e-9);
    cr_assert(isnan(row.baseline_ns));
}

Test(typical, rates_are_medians_of_the_known_ones)
{
    struct bl_row points[MAX_POINTS];
    points_of(NUMBERS(1, 1, 1, NAN), points);
    points[0].bytes_per_clock_cu = 60;
    points[2].bytes_per_clock_cu = 62;
    points[3].bytes_per_clock_cu = 1e9; /* this row has no number */
    points[1].ns_per_request = 0.5;
    const struct bl_row row = bl_typical_row(points, 4, 0, &runs);
    cr_assert_eq(row.bytes_per_clock_cu, 61);
    cr_assert_eq(row.ns_per_request, 0.5);
}

Test(typical, without_a_number_the_last_row_is_described)
{
    struct bl_row points[2] = {bl_row_empty(), bl_row_empty()};
    points[0].status = BL_ROW_ERROR;
    points[1].status = BL_ROW_BAD_CLOCK;
    strcpy(points[1].reason, "it stands still");
    strcpy(points[1].key.case_id, "local/1");
    const struct bl_row row = bl_typical_row(points, 2, 0, &runs);
    cr_assert_not(bl_row_has_number(&row));
    cr_assert_eq(row.status, BL_ROW_BAD_CLOCK);
    cr_assert_str_eq(row.reason, "it stands still");
    cr_assert_str_eq(row.key.case_id, "local/1");
}

Test(typical, the_newest_of_many_points_count)
{
    static struct bl_row points[2 * BL_MAX_TYPICAL_POINTS];
    for (size_t i = 0; i < 2 * BL_MAX_TYPICAL_POINTS; i++)
        points_of((const double[]){i < BL_MAX_TYPICAL_POINTS ? 1 : 2}, 1, &points[i]);
    cr_assert_eq(bl_typical_row(points, 2 * BL_MAX_TYPICAL_POINTS, 0, &runs).measured, 2);
}

Test(typical, runs_that_agree_get_mostly_the_spread_of_all_rows)
{
    struct bl_row points[MAX_POINTS];
    for (size_t count = 1; count <= 10; count++) {
        points_of(NUMBERS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), points);
        const struct bl_row row = bl_typical_row(points, count, 0.01, &runs);
        const double of_row = 0.37 * ((double)count - 1);
        const double half = 1.96 * 0.01 * sqrt(4 / (4 + of_row) * (1 + 1 / (double)count));
        cr_assert_eq(runs, count);
        cr_assert_float_eq(log(row.measured_hi), half, 1e-4, "%zu runs", count);
        cr_assert_float_eq(log(row.measured_lo), -half, 1e-4, "%zu runs", count);
    }
    points_of(NUMBERS(1, 1.1, 0.9), points);
    const struct bl_row wide = bl_typical_row(points, 3, 0.01, &runs);
    cr_assert(wide.measured_lo < 0.9, "the row's own spread counts, too");
}

Test(typical, differences_are_between_neighbouring_runs_of_the_same_kernels)
{
    struct bl_row points[MAX_POINTS];
    double found[MAX_POINTS];
    points_of(NUMBERS(1, NAN, 1.1, 2, 2, 2.2), points);
    for (size_t i = 3; i < 6; i++)
        strcpy(points[i].kernels, "new");
    cr_assert_eq(bl_run_differences(points, 5, found), 2);
    cr_assert_float_eq(found[0], log(1.1), 1e-12, "runs without a number are ignored");
    cr_assert_float_eq(found[1], 0, 1e-12);
    cr_assert_eq(bl_run_differences(points, 6, found), 3);
    cr_assert_float_eq(found[2], log(1.1), 1e-12);
    cr_assert_eq(bl_run_differences(points, 1, found), 0);
    double step = 0;
    cr_assert(bl_run_step(points, 2, &points[2], &step), "skips the run without a number");
    cr_assert_float_eq(step, log(1.1), 1e-12);
    cr_assert_not(bl_run_step(points, 3, &points[3], &step), "the kernels differ");
    cr_assert_not(bl_run_step(points, 3, NULL, &step));
    cr_assert_not(bl_run_step(points, 0, &points[0], &step));
}

/* If more than half of the rows are slower in a run, this counts as a change and not as spread. */
Test(typical, a_change_of_most_rows_does_not_count_as_spread)
{
    /* skips 8, which is half of the rows, because the result would be unclear */
    for (size_t slower = 0; slower <= 16; slower += slower == 7 ? 2 : 1) {
        double steps[16];
        for (size_t i = 0; i < 16; i++)
            steps[i] = (i < slower ? log(0.9) : 0) + (i % 2 ? 0.002 : -0.002);
        bl_steps_to_differences(steps, 16);
        cr_assert_lt(bl_spread_floor_of(steps, 16).sd, 0.01, "%zu rows are slower", slower);
    }
}

Test(typical, the_minimum_spread_is_learnt_from_most_rows_or_is_the_default)
{
    double few[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    const struct bl_spread_floor stated = bl_spread_floor_of(few, 5);
    cr_assert(stated.differences == 0 && stated.sd == 0.005);
    double many[100]; /* 49 of these values changed */
    for (size_t i = 0; i < 100; i++)
        many[i] = i % 2 && i > 2 ? 0.5 : 0.01;
    const struct bl_spread_floor learnt = bl_spread_floor_of(many, 100);
    cr_assert_eq(learnt.differences, 100);
    cr_assert_float_eq(learnt.sd, 1.4826 * 0.01 / sqrt(2), 1e-9);
}

/* The next functions simulate a history of runs that differ by chance, and compare a new run with
 * it. Each comparison is repeated with a second new run. */

enum { ROWS = 16, MAX_RUNS = 12 };

/* Makes a run in which each ratio is 1, except for chance. spread: standard deviation of the log.
 */
static void measure(double spread, struct bl_row rows[ROWS])
{
    for (size_t i = 0; i < ROWS; i++) {
        const double ratio = exp(spread * normal());
        points_of(&ratio, 1, &rows[i]);
        rows[i].measured_lo = ratio * 0.999;
        rows[i].measured_hi = ratio * 1.001;
    }
}

/* Finds the rows of `now` that are slower than in the `count` runs of the history. */
static void find_slower(struct bl_row history[ROWS][MAX_RUNS], size_t count,
                        const struct bl_row now[ROWS], bool slower[ROWS])
{
    double differences[ROWS * (MAX_RUNS + 1)];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++)
        n += bl_run_differences(history[i], count, differences + n);
    double *const steps = differences + n;
    size_t step_count = 0;
    for (size_t i = 0; i < ROWS; i++)
        step_count += bl_run_step(history[i], count, &now[i], &steps[step_count]);
    bl_steps_to_differences(steps, step_count);
    n += step_count;
    const double floor_sd = bl_spread_floor_of(differences, n).sd;
    static struct bl_row typical_rows[ROWS], now_rows[ROWS];
    const struct bl_run_rows before = {.rows = typical_rows, .count = ROWS},
                             after = {.rows = now_rows, .count = ROWS};
    for (size_t i = 0; i < ROWS; i++) {
        typical_rows[i] = bl_typical_row(history[i], count, floor_sd, &runs);
        now_rows[i] = now[i];
        typical_rows[i].key.lanes = now_rows[i].key.lanes = (unsigned)i + 1;
    }
    struct bl_comparison comparison = {
        .before = &before, .after = &after, .comparing = {0.02, false, true, false}};
    cr_assert_eq(bl_compare(&comparison, NULL), BL_OK);
    for (size_t i = 0; i < ROWS; i++)
        slower[i] = comparison.rows[i].change == BL_CHANGE_SLOWER;
    bl_comparison_free(&comparison);
}

static void slow_down(struct bl_row *row, double factor)
{
    row->measured *= factor;
    row->measured_lo *= factor;
    row->measured_hi *= factor;
}

/* Measures twice, as `scripts/nightly` does. *is_alarm: whether a row that did not change is slower
 * in both measurements. *is_found: whether the first row, after it was slowed down by 5 %, is
 * slower in both. */
static void compare_twice(struct bl_row history[ROWS][MAX_RUNS], size_t count, double spread,
                          bool *is_alarm, bool *is_found)
{
    static struct bl_row now[2][ROWS];
    bool slower[2][ROWS];
    *is_alarm = false;
    *is_found = true;
    for (size_t again = 0; again < 2; again++) {
        measure(spread, now[again]);
        find_slower(history, count, now[again], slower[again]);
    }
    for (size_t r = 0; r < ROWS; r++)
        *is_alarm |= slower[0][r] && slower[1][r];
    for (size_t again = 0; again < 2; again++) {
        slow_down(&now[again][0], 0.95);
        find_slower(history, count, now[again], slower[again]);
        *is_found &= slower[again][0];
    }
}

/* The share of comparisons with a false alarm, and the share of comparisons that find a row that is
 * 5 % slower. */
static void simulate(size_t count, double spread, double *alarms, double *found)
{
    const unsigned comparisons = sample_count(1000, 300);
    static struct bl_row history[ROWS][MAX_RUNS], run[ROWS];
    *alarms = *found = 0;
    for (size_t i = 0; i < comparisons; i++) {
        bool is_alarm, is_found;
        for (size_t k = 0; k < count; k++) {
            measure(spread, run);
            for (size_t r = 0; r < ROWS; r++)
                history[r][k] = run[r];
        }
        compare_twice(history, count, spread, &is_alarm, &is_found);
        *alarms += is_alarm;
        *found += is_found;
    }
    *alarms /= comparisons;
    *found /= comparisons;
}

Test(typical, runs_that_differ_raise_no_alarm_however_few_they_are)
{
    const char *text = getenv("BANKLINE_TEST_SEED");
    const long seed = text ? strtol(text, NULL, 10) : 20261121;
    printf("seed %ld\n", seed);
    srand48(seed);
    static const size_t counts[] = {1, 2, 3, 4, 9, 10, 12};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (unsigned i = 0; i < 2; i++) {
            const size_t count = counts[c];
            const double spread = i ? 0.01 : 0.005, limit = i ? 0.02 : 0.01;
            double alarms, found;
            simulate(count, spread, &alarms, &found);
            printf("%zu run%s that differ by %.1f %%: %.2f %% alarms, %.0f %% of changes found\n",
                   count, count == 1 ? "" : "s", 100 * spread, 100 * alarms, 100 * found);
            cr_expect(alarms <= limit, "%zu runs, spread %g: a share of %g raises alarms", count,
                      spread, alarms);
            cr_expect(found >= (i ? 0.1 : 0.9), "%zu runs, spread %g: a share of %g is found",
                      count, spread, found);
        }
}
