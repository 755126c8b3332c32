/* Tests how a comparison of two runs judges each row. */
#include "device/sample.h"
#include "measure/spread.h"
#include "run_files.h"

TestSuite(compare, .init = make_files, .fini = remove_files);

static struct bl_row without_number(const char *case_id)
{
    struct bl_row row = row_of(case_id, NAN);
    row.status = BL_ROW_WRONG_RESULT;
    strcpy(row.reason, "output 3 is wrong");
    row.bytes_per_clock_cu = NAN;
    return row;
}

Test(compare, every_row_of_both_runs_is_judged)
{
    struct bl_row old[] = {row_of("same", 1),       row_of("slower", 1), row_of("faster", 1),
                           row_of("missing", 1),    row_of("broken", 1), without_number("none"),
                           without_number("mended")};
    const struct bl_row new[] = {without_number("broken"), row_of("faster", 1.1),
                                 row_of("new", 1),         row_of("same", 1.001),
                                 row_of("slower", 0.95),   without_number("none"),
                                 row_of("mended", 1),      without_number("never")};
    strcpy(old[3].suite, new[0].suite); /* the new run has rows of this suite */
    write_run(old_path, old, 7);
    write_run(new_path, new, 8);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(comparison.count, 9);
    static const struct {
        const char *case_id;
        enum bl_change change;
    } expected[] = {{"same", BL_CHANGE_SAME},      {"slower", BL_CHANGE_SLOWER},
                    {"faster", BL_CHANGE_FASTER},  {"missing", BL_CHANGE_MISSING},
                    {"broken", BL_CHANGE_BROKEN},  {"new", BL_CHANGE_NEW},
                    {"none", BL_CHANGE_NO_NUMBER}, {"mended", BL_CHANGE_NEW},
                    {"never", BL_CHANGE_NO_NUMBER}};
    size_t counts[BL_CHANGE_COUNT] = {0};
    for (size_t i = 0; i < 9; i++) {
        const enum bl_change change = change_of(&comparison, expected[i].case_id);
        cr_assert_eq(change, expected[i].change, "%s: %s", expected[i].case_id,
                     bl_change_name(change));
        counts[change]++;
    }
    cr_assert_eq(memcmp(counts, comparison.counts, sizeof counts), 0);
    cr_assert_eq(bl_comparison_bad(&comparison), 3);
    free_all(&comparison);
}

Test(compare, a_suite_that_is_missing_as_a_whole_counts_as_not_requested)
{
    struct bl_row rows[] = {row_of("one/1", 1), row_of("one/2", 1), row_of("two/1", 1)};
    for (size_t i = 0; i < 3; i++)
        bl_suite_of(rows[i].key.case_id, rows[i].suite);
    write_run(old_path, rows, 3);
    write_run(new_path, rows, 1);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(change_of(&comparison, "one/2"), BL_CHANGE_MISSING);
    cr_assert_eq(change_of(&comparison, "two/1"), BL_CHANGE_NOT_ASKED);
    cr_assert_eq(bl_comparison_bad(&comparison), 1);
    bl_comparison_free(&comparison);
    comparison.comparing.requires_all = true;
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    cr_assert_eq(change_of(&comparison, "two/1"), BL_CHANGE_MISSING);
    free_all(&comparison);
}

Test(compare, a_row_is_missing_only_if_it_was_requested)
{
    struct bl_row rows[] = {row_of("one/1", 1), row_of("one/2", 1), row_of("two/1", 1)};
    static const struct {
        const char *asked_for;
        enum bl_change one, two;
    } runs[] = {{"one/1", BL_CHANGE_NOT_ASKED, BL_CHANGE_NOT_ASKED},
                {"... one", BL_CHANGE_MISSING, BL_CHANGE_NOT_ASKED},
                {"one/1 two/*", BL_CHANGE_NOT_ASKED, BL_CHANGE_MISSING},
                {"*", BL_CHANGE_MISSING, BL_CHANGE_MISSING},
                {"--quick *", BL_CHANGE_NOT_ASKED, BL_CHANGE_NOT_ASKED},
                {"", BL_CHANGE_MISSING, BL_CHANGE_NOT_ASKED}};
    for (size_t i = 0; i < 3; i++)
        bl_suite_of(rows[i].key.case_id, rows[i].suite);
    write_run(old_path, rows, 3);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        strcpy(run.asked_for, runs[i].asked_for);
        write_run(new_path, rows, 1);
        struct bl_comparison comparison = compare_files(0.02, false);
        cr_assert_eq(change_of(&comparison, "one/2"), runs[i].one, "%s", run.asked_for);
        cr_assert_eq(change_of(&comparison, "two/1"), runs[i].two, "%s", run.asked_for);
        bl_comparison_free(&comparison);
        const char *const named[] = {
            "two/1"}; /* counts as requested if the run does not record what was requested */
        comparison.selectors = named;
        comparison.selector_count = 1;
        cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
        cr_assert_eq(change_of(&comparison, "two/1"),
                     *run.asked_for ? runs[i].two : BL_CHANGE_MISSING, "%s", run.asked_for);
        bl_comparison_free(&comparison);
        comparison.comparing.requires_all = true;
        cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
        cr_assert_eq(change_of(&comparison, "two/1"), BL_CHANGE_MISSING);
        free_all(&comparison);
    }
}

/* A later version of bankline may choose another machine for the same device. */
Test(compare, rows_are_compared_even_if_their_machines_differ)
{
    struct bl_row old[] = {row_of("case/1", 1), row_of("case/2", 1), row_of("case/3", 1),
                           row_of("case/4", 1)},
                  new[] = {row_of("case/1", 0.9), row_of("case/2", 1), without_number("case/3")};
    for (size_t i = 0; i < 3; i++)
        strcpy(old[i].key.machine, "older"), strcpy(new[i].key.machine, "newer");
    new[2].key.working_set_bytes = 0;
    write_run(old_path, old, 3);
    write_run(new_path, new, 3);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(comparison.count, 3);
    cr_assert_eq(change_of(&comparison, "case/1"), BL_CHANGE_SLOWER);
    cr_assert_eq(change_of(&comparison, "case/2"), BL_CHANGE_SAME);
    cr_assert_eq(change_of(&comparison, "case/3"), BL_CHANGE_BROKEN);
    free_all(&comparison);
    /* A typical run may have rows of two machines, like the older run here. Of the rows that the
     * newer run lacks, some are of its own machine and some of the other. */
    strcpy(old[3].key.machine, "newer");
    write_run(old_path, old, 4);
    write_run(new_path, new, 1);
    comparison = compare_files(0.02, false);
    static const enum bl_change expected[] = {BL_CHANGE_SLOWER, BL_CHANGE_NOT_ASKED,
                                              BL_CHANGE_NOT_ASKED, BL_CHANGE_MISSING};
    cr_assert_eq(comparison.count, 4);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(comparison.rows[i].change, expected[i], "%zu", i);
    bl_comparison_free(&comparison);
    comparison.comparing.requires_all = true;
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    cr_assert_eq(comparison.counts[BL_CHANGE_MISSING], 1);
    free_all(&comparison);
}

Test(compare, a_row_with_too_few_samples_is_unclear)
{
    struct bl_row old = row_of("case", 1), new = row_of("case", 0.5);
    write_run(old_path, &old, 1);
    static const uint64_t samples[] = {0, 1, 5, 6}; /* 0 means that the number is not recorded */
    for (size_t i = 0; i < 4; i++) {
        new.samples = samples[i];
        write_run(new_path, &new, 1);
        struct bl_comparison comparison = compare_files(0.02, false);
        cr_assert_eq(comparison.rows[0].change,
                     i == 1 || i == 2 ? BL_CHANGE_UNCLEAR : BL_CHANGE_SLOWER, "%zu", i);
        free_all(&comparison);
    }
}

Test(compare, bytes_per_clock_are_compared_only_with_the_option_absolute)
{
    struct bl_row old = row_of("case", 1), new = row_of("case", 1);
    new.bytes_per_clock_cu *= 0.9; /* the case and its baseline got slower by the same factor */
    write_run(old_path, &old, 1);
    write_run(new_path, &new, 1);
    for (int absolute = 0; absolute < 2; absolute++) {
        struct bl_comparison comparison = compare_files(0.02, absolute != 0);
        const struct bl_compared *row = &comparison.rows[0];
        cr_assert_eq(row->change, absolute ? BL_CHANGE_SLOWER : BL_CHANGE_SAME);
        cr_assert_eq(row->is_absolute, absolute != 0);
        cr_assert_float_eq(row->by, absolute ? -0.1 : 0, 1e-9);
        free_all(&comparison);
    }
}

Test(compare, rates_are_compared_if_both_runs_have_the_same_kind_of_rate)
{
    static const struct {
        double bytes_per_clock, ns, rate;
    } cases[] = {
        {64, 2, 64}, {NAN, 2, 0.5}, {0, 2, 0.5}, {NAN, NAN, NAN}, {NAN, 0, NAN},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    struct bl_row old[CASES], new[CASES];
    for (size_t i = 0; i < CASES; i++) {
        char name[16];
        snprintf(name, sizeof name, "case/%zu", i);
        old[i] = new[i] = row_of(name, 1);
        old[i].bytes_per_clock_cu = 100; /* differs much from all rates of the other run */
        new[i].bytes_per_clock_cu = cases[i].bytes_per_clock;
        new[i].ns_per_request = cases[i].ns;
    }
    write_run(old_path, new, CASES);
    write_run(new_path, old, CASES);
    struct bl_comparison comparison = compare_files(0.02, true);
    for (size_t i = 0; i < CASES; i++) {
        const double rate = bl_row_rate(comparison.rows[i].before);
        cr_assert(isfinite(rate) == isfinite(cases[i].rate), "%zu: %g", i, rate);
        if (isfinite(rate))
            cr_assert_float_eq(rate, cases[i].rate, 1e-9, "%zu", i);
        else
            cr_assert_eq(comparison.rows[i].change, BL_CHANGE_SAME,
                         "row %zu has no rate, so its ratio is compared", i);
    }
    free_all(&comparison);
}

Test(compare, five_placements_are_enough_for_an_interval)
{
    struct bl_row old = row_of("case", 1), new = row_of("case", 0.5);
    old.samples = new.samples = 5;
    write_run(old_path, &old, 1);
    for (unsigned placements = 1; placements <= 5; placements += 4) {
        new.placements = placements;
        old.placements = placements;
        write_run(old_path, &old, 1);
        write_run(new_path, &new, 1);
        struct bl_comparison comparison = compare_files(0.02, false);
        cr_assert_eq(comparison.rows[0].change,
                     placements == 1 ? BL_CHANGE_UNCLEAR : BL_CHANGE_SLOWER);
        free_all(&comparison);
    }
}

Test(compare, own_times_are_compared_with_and_without_intervals)
{
    struct bl_row old = timed("case", 2, 1), new = timed("case", 2.2, 1.1);
    for (int has_interval = 0; has_interval < 2; has_interval++) {
        if (!has_interval)
            old.case_ns_lo = old.case_ns_hi = new.case_ns_lo = new.case_ns_hi = NAN;
        write_run(old_path, &old, 1);
        write_run(new_path, &new, 1);
        struct bl_comparison comparison = compare_files(0.02, true);
        cr_assert_eq(comparison.rows[0].change, BL_CHANGE_SLOWER);
        cr_assert(comparison.rows[0].is_absolute);
        cr_assert_float_eq(comparison.rows[0].by, 1 / 1.1 - 1, 1e-6);
        free_all(&comparison);
        old = timed("case", 2, 1);
        new = timed("case", 2.2, 1.1);
    }
    old.case_ns_lo = 1.7; /* this interval is too wide to show a change */
    write_run(old_path, &old, 1);
    write_run(new_path, &new, 1);
    struct bl_comparison comparison = compare_files(0.02, true);
    cr_assert_eq(comparison.rows[0].change, BL_CHANGE_UNCLEAR);
    free_all(&comparison);
}

Test(compare, rows_with_different_kernels_are_not_comparable)
{
    struct bl_row old[] = {row_of("one", 1), row_of("two", 1), row_of("three", 1),
                           row_of("four", 1)};
    struct bl_row new[] = {row_of("one", 0.5), row_of("two", 0.5), row_of("three", 0.5)};
    strcpy(old[0].kernels, "0123456789ab");
    strcpy(new[0].kernels, "0123456789ac");
    strcpy(old[1].kernels, "0123456789ab");
    strcpy(new[1].kernels, "0123456789ab");
    strcpy(new[2].kernels, "0123456789ab"); /* the old row's kernels are unknown */
    strcpy(old[3].suite, new[0].suite);
    write_run(old_path, old, 4);
    write_run(new_path, new, 3);
    struct bl_comparison comparison = compare_files(0.02, true);
    cr_assert_eq(change_of(&comparison, "one"), BL_CHANGE_KERNEL);
    cr_assert_eq(change_of(&comparison, "two"), BL_CHANGE_SLOWER);
    cr_assert_eq(change_of(&comparison, "three"), BL_CHANGE_KERNEL);
    cr_assert_eq(change_of(&comparison, "four"), BL_CHANGE_KERNEL,
                 "the row is missing, but its suite has other kernels");
    cr_assert_eq(comparison.counts[BL_CHANGE_KERNEL], 3);
    cr_assert_eq(bl_comparison_bad(&comparison), 1);
    free_all(&comparison);
}

/* What the rows' own errors add to a limit aims at half of the stated rate of false alarms. */
Test(compare, limits_by_own_errors_aim_at_half_the_rate_of_false_alarms)
{
    static const size_t sizes[] = {3, 4, 11, 12, 59, 60};
    double zeros[60] = {0}, hidden[60], errors[60];
    for (size_t i = 0; i < 60; i++)
        errors[i] = 0.001;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t n = sizes[i];
        const struct bl_spread_question question = {
            .n = n, .differences = zeros, .errors = errors, .tests = n, .chance = BL_FALSE_ALARMS};
        struct bl_spread spread;
        cr_assert(bl_spread_learn(&question, &spread, hidden));
        const double each = 2 * 0.5 * BL_FALSE_ALARMS / (double)n,
                     wider = bl_student_within_95(5) / BL_WITHIN_95;
        cr_expect_float_eq(spread.own, bl_student_quantile(each, 10) / wider, 1e-6, "%zu rows", n);
    }
}

/* What n differences that their errors do not explain add to the limit for `tests` differences. */
static double reach_learnt(size_t n, size_t tests, double chance)
{
    double differences[40], errors[40] = {0}, hidden[40];
    for (size_t i = 0; i < n; i++)
        differences[i] = 0.001 * (double)i * (i % 2 ? 1 : -1);
    const struct bl_spread_question question = {
        .n = n, .differences = differences, .errors = errors, .tests = tests, .chance = chance};
    struct bl_spread spread;
    cr_assert(bl_spread_learn(&question, &spread, hidden));
    return spread.reach;
}

/* What the hidden spread adds aims at a quarter of the rate. A limit learnt from only 12 to 59
 * differences is wide anyway, so it aims at half. */
Test(compare, limits_learnt_from_some_dozens_of_rows_aim_at_more_of_the_rate_of_false_alarms)
{
    const double chance = BL_FALSE_ALARMS, many = chance * 60 / 59;
    cr_expect_float_eq(reach_learnt(40, 59, chance), reach_learnt(40, 60, 2 * many), 1e-3);
    cr_expect_float_eq(reach_learnt(12, 59, chance), reach_learnt(12, 60, 2 * many), 1e-3);
    cr_expect_float_eq(reach_learnt(11, 59, chance), reach_learnt(11, 60, many), 1e-3);
}

/* Gives the old row, row[0], and the new row, row[1], ratios at six placements, which differ by
 * about 4 %. At placement i, the new ratio is `by * also[i]` times the old one. */
static void place_widely(struct bl_row row[2], double by, const double also[6])
{
    static const double at[6] = {0.95, 1.02, 1.06, 0.97, 1.04, 0.99};
    for (size_t r = 0; r < 2; r++) {
        double ratios[6], sum = 0;
        for (size_t i = 0; i < 6; i++) {
            ratios[i] = at[i] * (r ? by * also[i] : 1);
            sum += log(ratios[i]) / 6;
        }
        row[r].measured = exp(sum);
        row[r].measured_lo = row[r].measured / 1.045;
        row[r].measured_hi = row[r].measured * 1.045;
        row[r].placements = 6;
        bl_row_set_placement_ratios(&row[r], ratios, 6);
    }
}

/* If placements differ in the same way in both runs, comparing them one by one shows a change that
 * is smaller than the rows' intervals. */
Test(compare, rows_with_wide_intervals_are_compared_placement_by_placement)
{
    enum { ROWS = 40 };
    static const double alike[6] = {1.001, 0.999, 1.0005, 1, 0.9995, 1},
                        unlike[6] = {1.06, 0.94, 1.05, 0.95, 1.02, 0.98};
    static const struct {
        const double *also;
        double by;
        enum bl_change change;
    } cases[] = {{alike, 0.95, BL_CHANGE_SLOWER},
                 {alike, 1.05, BL_CHANGE_FASTER},
                 {alike, 1, BL_CHANGE_SAME},
                 {unlike, 0.95, BL_CHANGE_UNCLEAR}};
    static struct bl_row old[ROWS], new[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "case/%02zu", i);
        old[i] = new[i] = row_of(name, 1);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int lacks = 0; lacks < 3; lacks++) {
            struct bl_row wide[2] = {old[7], new[7]};
            place_widely(wide, cases[i].by, cases[i].also);
            if (lacks == 1) /* an older run does not have the column */
                wide[0].placement_ratios[0] = '\0';
            if (lacks == 2) /* this run has no sample at the last placement */
                strcpy(strrchr(wide[1].placement_ratios, ' '), " -");
            old[7] = wide[0], new[7] = wide[1];
            write_run(old_path, old, ROWS);
            write_run(new_path, new, ROWS);
            struct bl_comparison comparison = compare_files(0.02, false);
            cr_expect_eq(change_of(&comparison, "case/07"),
                         lacks ? BL_CHANGE_UNCLEAR : cases[i].change, "%zu, %d: %s", i, lacks,
                         bl_change_name(change_of(&comparison, "case/07")));
            free_all(&comparison);
        }
}

static double normal(void)
{
    return sqrt(-2 * log(1 - drand48())) * cos(2 * 3.14159265358979 * drand48());
}

/* The probability that one of n unchanged differences exceeds its limit, as the mean over `sets`
 * sets of differences of two values with Student's distribution with 3 degrees of freedom. Far out,
 * such a difference is large if one of the two values is. */
static double chance_of_alarm(size_t n, unsigned sets)
{
    enum { MOST = 400 };
    double differences[MOST], errors[MOST] = {0}, hidden[MOST], sum = 0;
    for (unsigned set = 0; set < sets; set++) {
        for (size_t i = 0; i < n; i++) {
            double values[2];
            for (unsigned v = 0; v < 2; v++) {
                double squares = 0;
                values[v] = normal();
                for (unsigned k = 0; k < 3; k++)
                    squares += pow(normal(), 2) / 3;
                values[v] /= sqrt(squares);
            }
            differences[i] = 0.001 * (values[1] - values[0]);
        }
        const struct bl_spread_question question = {.n = n,
                                                    .differences = differences,
                                                    .errors = errors,
                                                    .are_of_two = true,
                                                    .tests = n,
                                                    .chance = BL_FALSE_ALARMS};
        struct bl_spread spread;
        cr_assert(bl_spread_learn(&question, &spread, hidden));
        const double limit = bl_spread_limit(&spread, 0, spread.hidden) / 0.001;
        sum += 1 - pow(1 - exp(bl_student_log_tails(limit, 3)), (double)n);
    }
    return sum / sets;
}

Test(compare, noise_with_heavy_tails_seldom_raises_an_alarm)
{
    static const struct {
        size_t rows;
        double most;
    } sizes[] = {{387, 0.015}, {88, 0.02}, {16, 0.025}, {5, 0.04}};
    printf("seed 7\n");
    srand48(7);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const double chance = chance_of_alarm(sizes[i].rows, sample_count(200, 60));
        cr_expect_leq(chance, sizes[i].most, "%zu rows: %g", sizes[i].rows, chance);
    }
}

enum { ROWS = 372, OF_SUITE = 40 }; /* rows of a simulated run, and of each of its suites */

/* Compares two simulated runs of `all` rows `count` times. The first `noisy` rows differ between
 * the runs by noise with the standard deviation `spread`, which their intervals do not include. The
 * first `slowed` rows are 5 % slower in the second run. Returns the number of comparisons that
 * raise an alarm; *named receives the number of slowed rows that are found, in all comparisons
 * together. */
static unsigned compare_spread(unsigned count, size_t all, double spread, size_t noisy,
                               size_t slowed, size_t *named)
{
    static const double quiet = 0.0003; /* noise of the other rows, which the intervals include */
    static struct bl_row rows[2][ROWS];
    unsigned alarms = 0;
    *named = 0;
    for (unsigned i = 0; i < count; i++) {
        struct bl_run_rows runs[2] = {{.rows = rows[0], .count = all},
                                      {.rows = rows[1], .count = all}};
        for (size_t r = 0; r < all; r++)
            for (unsigned k = 0; k < 2; k++) {
                char name[16];
                snprintf(name, sizeof name, "%c/%03zu", (char)('a' + r / OF_SUITE), r);
                rows[k][r] = row_of(name, exp((r < noisy ? spread : quiet) * normal()) *
                                              (k == 1 && r < slowed ? 0.95 : 1));
            }
        struct bl_comparison comparison = {
            .before = &runs[0], .after = &runs[1], .comparing = {.threshold = 0.02}};
        cr_assert_eq(bl_compare(&comparison, NULL), BL_OK);
        alarms += comparison.counts[BL_CHANGE_SLOWER] > 0;
        for (size_t r = 0; r < slowed; r++)
            *named += comparison.rows[r].change == BL_CHANGE_SLOWER;
        bl_comparison_free(&comparison);
    }
    return alarms;
}

static void expect_few_alarms(unsigned count, double spread, size_t noisy)
{
    size_t named;
    const unsigned alarms = compare_spread(count, ROWS, spread, noisy, 0, &named);
    cr_expect_leq(100 * alarms, 3 * count, "spread %g: %u alarms in %u runs", spread, alarms,
                  count);
}

Test(compare, the_spread_between_runs_is_learnt_from_all_rows)
{
    static const double spreads[] = {0, 0.002, 0.005, 0.01, 0.02};
    const unsigned count = sample_count(100, 30);
    size_t named;
    printf("seed 5\n");
    srand48(5);
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        expect_few_alarms(count, spreads[i], ROWS);
    compare_spread(count, ROWS, 0.002, ROWS, 1, &named);
    cr_expect_geq(100 * named, 95 * count, "%zu of %u rows are found", named, count);
    compare_spread(count, ROWS, 0.002, ROWS, 12,
                   &named); /* slower rows must not be taken for noise that hides the others */
    cr_expect_geq(100 * named, 12 * 85 * count, "%zu of %u rows are found", named, 12 * count);
}

/* Four rows are enough to learn that rows vary more between runs than is assumed. */
Test(compare, the_spread_between_runs_is_learnt_from_few_rows)
{
    const unsigned count = sample_count(1000, 300);
    size_t named;
    printf("seed 8\n");
    srand48(8);
    for (size_t rows = 4; rows <= 11; rows++) {
        const unsigned alarms = compare_spread(count, rows, 0.005, rows, 0, &named);
        cr_expect_leq(100 * alarms, 5 * count, "%zu rows: %u alarms", rows, alarms);
        compare_spread(count, rows, 0.0005, rows, 1, &named);
        cr_expect_geq(100 * named, 90 * count, "%zu rows: %zu found", rows, named);
    }
}

/* The rows of only one suite differ between unchanged runs. */
Test(compare, the_spread_of_a_single_suite_is_learnt)
{
    static const double spreads[] = {0.005, 0.01, 0.02};
    const unsigned count = sample_count(100, 30);
    printf("seed 6\n");
    srand48(6);
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        expect_few_alarms(count, spreads[i], OF_SUITE);
}
