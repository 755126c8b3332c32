/* Tests that a comparison of two runs distinguishes a changed baseline from a changed case. */
#include "run_files.h"

TestSuite(baselines, .init = make_files, .fini = remove_files);

/* Adds rows of another suite whose times are equal in both runs, which shows that the clock did not
 * change. */
static size_t add_steady_rows(struct bl_row old[], struct bl_row new[], size_t count)
{
    for (size_t i = 0; i < 5; i++, count++) {
        char name[16];
        snprintf(name, sizeof name, "steady/%zu", i);
        old[count] = new[count] = timed(name, 2, 1);
    }
    return count;
}

/* Compares the rows, and checks the change of one case and the number of bad rows. */
static void compare_and_check(const struct bl_row old[], const struct bl_row new[], size_t count,
                              const char *case_id, enum bl_change change, size_t bad)
{
    write_run(old_path, old, count);
    write_run(new_path, new, count);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(change_of(&comparison, case_id), change, "%s: %s", case_id,
                 bl_change_name(change_of(&comparison, case_id)));
    cr_assert_eq(bl_comparison_bad(&comparison), bad, "%s", case_id);
    free_all(&comparison);
}

Test(baselines, a_changed_baseline_is_distinguished_from_a_changed_case)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("a/one", 2, 1), timed("a/two", 4, 1),
                             timed("a/both", 4, 1), timed("b/one", 4, 1)};
    struct bl_row new[16] = {timed("a/base", 1.05, 1.05), timed("a/one", 2.002, 1.05),
                             timed("a/two", 4.4, 1.05), timed("a/both", 4.2, 1.05),
                             timed("b/one", 4.2, 1)};
    const size_t count = add_steady_rows(old, new, 5);
    compare_and_check(old, new, count, "a/one", BL_CHANGE_BASELINE, 4);
    compare_and_check(old, new, count, "a/base", BL_CHANGE_SLOWER,
                      4); /* the row of the baseline itself is slower */
    compare_and_check(old, new, count, "a/both", BL_CHANGE_SLOWER,
                      4); /* case and baseline are slower by the same factor */
    compare_and_check(old, new, count, "a/two", BL_CHANGE_SLOWER, 4);
    compare_and_check(old, new, count, "b/one", BL_CHANGE_SLOWER,
                      4); /* the baseline of this row's suite did not change */
    compare_and_check(old, new, count, "steady/0", BL_CHANGE_SAME, 4);
}

Test(baselines, a_slower_baseline_does_not_hide_a_slower_case)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("a/one", 2, 1), timed("a/two", 4, 1)};
    struct bl_row new[16] = {timed("a/base", 1.5, 1.5), timed("a/one", 2, 1.5),
                             timed("a/two", 4.5, 1.5)};
    const size_t count = add_steady_rows(old, new, 3);
    compare_and_check(old, new, count, "a/one", BL_CHANGE_BASELINE, 2);
    compare_and_check(old, new, count, "a/two", BL_CHANGE_SLOWER, 2); /* the row's ratio rose */
}

Test(baselines, a_changed_baseline_explains_rows_of_another_suite_too)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("c/one", 2, 1)};
    struct bl_row new[16] = {timed("a/base", 1.05, 1.05), timed("c/one", 2, 1.05)};
    const size_t count = add_steady_rows(old, new, 2);
    compare_and_check(old, new, count, "c/one", BL_CHANGE_BASELINE, 1);
    compare_and_check(old, new, count, "a/base", BL_CHANGE_SLOWER, 1);
}

Test(baselines, a_baseline_explains_a_ratio_only_if_both_changed_by_the_same_factor)
{
    struct bl_row old = timed("case", 2, 1), new = old;
    new.measured *= 0.8; /* the ratio changed, although the times of case and baseline did not */
    new.measured_lo *= 0.8;
    new.measured_hi *= 0.8;
    compare_and_check(&old, &new, 1, "case", BL_CHANGE_SLOWER, 1);
    new = timed("case", 2.16,
                0.91); /* the case is slower, although its time is too noisy to show this */
    new.case_ns_lo = 2.05;
    new.case_ns_hi = 2.27;
    compare_and_check(&old, &new, 1, "case", BL_CHANGE_SLOWER, 1);
}

/* In all rows but one of a suite, the times are longer by the same factor. No other suite shows
 * whether the clock changed. The one row does not outweigh the others, so the clock is assumed to
 * have changed. */
Test(baselines, one_row_does_not_show_that_the_baseline_of_all_other_rows_changed)
{
    struct bl_row old[8], new[8];
    for (size_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "a/%zu", i);
        old[i] = timed(name, i ? 2 : 1, 1);
        new[i] = timed(name, i ? 2.2 : 1.1, 1.1); /* as with a lower clock */
    }
    new[7] = timed("a/7", 2, 1.1);
    compare_and_check(old, new, 8, "a/7", BL_CHANGE_BASELINE, 0);
    compare_and_check(old, new, 8, "a/0", BL_CHANGE_SAME, 0);
}

/* The comparison is limited to a/base by a selector. Other rows still show that the clock did not
 * change. */
Test(baselines, rows_that_are_not_compared_still_show_whether_the_clock_changed)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("a/one", 2, 1)};
    struct bl_row new[16] = {timed("a/base", 1.5, 1.5), timed("a/one", 2, 1.5)};
    const size_t count = add_steady_rows(old, new, 2);
    write_run(old_path, old, count);
    write_run(new_path, new, count);
    struct bl_run_rows before, after;
    cr_assert_eq(bl_run_read(old_path, &before, &error), BL_OK);
    cr_assert_eq(bl_run_read(new_path, &after, &error), BL_OK);
    static const char *const selectors[] = {"a/base"};
    struct bl_comparison comparison = {.before = &before,
                                       .after = &after,
                                       .comparing = {.threshold = 0.02},
                                       .selectors = selectors,
                                       .selector_count = 1};
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    cr_assert_eq(comparison.count, 1);
    cr_assert_eq(comparison.rows[0].change, BL_CHANGE_SLOWER);
    cr_assert_eq(bl_comparison_bad(&comparison), 1);
    free_all(&(struct bl_comparison){.before = &before, .after = &after});
    bl_comparison_free(&comparison);
}

Test(baselines, a_faster_baseline_does_not_count_as_a_slower_case)
{
    const struct bl_row old[] = {timed("a/base", 1, 1), timed("a/one", 2, 1)};
    const struct bl_row new[] = {timed("a/base", 0.95, 0.95), timed("a/one", 2, 0.95)};
    write_run(old_path, old, 2);
    write_run(new_path, new, 2);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(change_of(&comparison, "a/one"), BL_CHANGE_BASELINE);
    cr_assert_eq(change_of(&comparison, "a/base"), BL_CHANGE_FASTER);
    cr_assert_eq(bl_comparison_bad(&comparison), 0);
    free_all(&comparison);
}

/* A clock that is 5 % lower slows all rows except those that memory limits. So the ratio of a
 * memory-bound row to its baseline changes, although the device has no fault. */
Test(baselines, a_lower_clock_raises_no_alarm)
{
    struct bl_row old[8], new[8];
    for (size_t i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "b/%zu", i);
        old[i] = timed(name, 2, 1);
        new[i] = timed(name, 2.1, 1.05);
    }
    for (size_t i = 0; i < 6; i++)
        strcpy(new[i].level, "L1");
    old[6] = timed("a/cache", 1, 1), new[6] = timed("a/cache", 1.05, 1.05);
    old[7] = timed("a/memory", 8, 1), new[7] = timed("a/memory", 8, 1.05);
    strcpy(new[6].level, "L1");
    strcpy(new[7].level, "memory");
    write_run(old_path, old, 8);
    write_run(new_path, new, 8);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(change_of(&comparison, "a/memory"), BL_CHANGE_BASELINE);
    cr_assert_eq(change_of(&comparison, "a/cache"), BL_CHANGE_SAME);
    cr_assert_eq(bl_comparison_bad(&comparison), 0);
    free_all(&comparison);
}

/* If the times of almost all cases and baselines are 10 % longer, ratios do not show this. The
 * slowdown is reported separately, as the change of the rows' own times. */
Test(baselines, the_change_of_own_times_is_reported_if_the_whole_device_is_slower)
{
    struct bl_row old[8], new[8];
    for (size_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c/%zu", i % 2 ? 'a' : 'b', i);
        old[i] = timed(name, 2, 1);
        new[i] = timed(name, i == 7 ? 2 : 2.2, i == 7 ? 1 : 1.1);
    }
    for (size_t count = 4; count <= 8; count += 4) {
        write_run(old_path, old, count);
        write_run(new_path, new, count);
        struct bl_comparison comparison = compare_files(0.02, false);
        if (count == 4)
            cr_assert(isnan(comparison.own_times), "too few rows");
        else
            cr_assert_float_eq(comparison.own_times, 0.1, 1e-6);
        cr_assert_eq(bl_comparison_bad(&comparison), 0);
        free_all(&comparison);
    }
}

/* The next tests check each kind of change while the baseline of suite a changes, and while the
 * clock of the second run differs, which scales all times by the same factor. Suites a and b are in
 * L1 and suite c is in memory. Row 0 of each suite is its baseline. */
enum { OF_SUITE = 8, SUITES = 3 };

/* Fills in the rows of a run. clock: factor for all times; baseline: time of suite a's baseline. */
static size_t make_suites(struct bl_row rows[], double clock, double baseline)
{
    static const char *const suites[SUITES] = {"a", "b", "c"};
    static const char *const levels[SUITES] = {"L1", "L1", "memory"};
    size_t count = 0;
    for (size_t s = 0; s < SUITES; s++)
        for (size_t i = 0; i < OF_SUITE; i++) {
            char name[16];
            const double base = s == 0 ? baseline : 1;
            snprintf(name, sizeof name, "%s/%zu", suites[s], i);
            rows[count] = timed(name, clock * (i ? 2 + (double)i : base), clock * base);
            strcpy(rows[count++].level, levels[s]);
        }
    return count;
}

static enum bl_change changed(const struct bl_row old[], const struct bl_row new[], size_t count,
                              const char *case_id, size_t *bad)
{
    write_run(old_path, old, count);
    write_run(new_path, new, count);
    struct bl_comparison comparison = compare_files(0.02, false);
    const enum bl_change change = change_of(&comparison, case_id);
    *bad = bl_comparison_bad(&comparison);
    free_all(&comparison);
    return change;
}

static const double clocks[] = {0.7, 0.9, 0.98, 1, 1.02, 1.1, 1.4};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

Test(baselines, a_changed_baseline_is_found_at_any_clock)
{
    static const double moved[] = {0.9, 0.94, 1.06, 1.1};
    struct bl_row old[OF_SUITE * SUITES], new[OF_SUITE * SUITES];
    for (size_t c = 0; c < CLOCKS; c++)
        for (size_t m = 0; m < 4; m++) {
            size_t bad;
            const size_t count = make_suites(old, 1, 1);
            make_suites(new, clocks[c], moved[m]);
            const enum bl_change base = changed(old, new, count, "a/0", &bad),
                                 other = changed(old, new, count, "a/3", &bad),
                                 far = changed(old, new, count, "b/3", &bad);
            cr_expect_eq(base, moved[m] > 1 ? BL_CHANGE_SLOWER : BL_CHANGE_FASTER,
                         "clock %g, baseline %g: it is %s", clocks[c], moved[m],
                         bl_change_name(base));
            cr_expect_eq(other, BL_CHANGE_BASELINE, "clock %g, baseline %g: %s", clocks[c],
                         moved[m], bl_change_name(other));
            cr_expect_eq(far, BL_CHANGE_SAME);
            cr_expect_eq(bad, moved[m] > 1, "clock %g, baseline %g: %zu are bad", clocks[c],
                         moved[m], bad);
        }
}

/* Widens the interval of a number whose logarithm then has the standard deviation `sd`. */
static void widen(double middle, double sd, double *lo, double *hi)
{
    *lo = middle * exp(-1.96 * sd);
    *hi = middle * exp(1.96 * sd);
}

/* The placements of the baseline's own row differ, so its interval is too wide to tell whether its
 * ratio, which is always 1, is the same. */
Test(baselines, a_slower_baseline_is_found_even_if_its_own_row_is_unclear)
{
    struct bl_row old[OF_SUITE * SUITES], new[OF_SUITE * SUITES];
    size_t bad;
    const size_t count = make_suites(old, 1, 1);
    make_suites(new, 1.02, 1.1);
    for (unsigned i = 0; i < 2; i++) {
        struct bl_row *own = i ? &new[0] : &old[0], *other = i ? &new[9] : &old[9];
        widen(1, 0.01, &own->measured_lo, &own->measured_hi);
        widen(other->measured, 0.01, &other->measured_lo, &other->measured_hi);
    }
    cr_expect_eq(changed(old, new, count, "a/0", &bad), BL_CHANGE_SLOWER);
    cr_expect_eq(bad, 1);
    cr_expect_eq(changed(old, new, count, "b/1", &bad), BL_CHANGE_UNCLEAR);
    make_suites(new, 1.02, 1);
    widen(1, 0.01, &new[0].measured_lo, &new[0].measured_hi);
    cr_expect_eq(changed(old, new, count, "a/0", &bad), BL_CHANGE_UNCLEAR);
    cr_expect_eq(bad, 0);
}

/* A row's own time varies more between runs than its ratio. */
Test(baselines, drift_of_a_time_does_not_hide_that_only_the_baseline_is_faster)
{
    static const struct {
        double drift, sd; /* of the logarithm of the case's speed; its standard deviation */
        enum bl_change change;
    } cases[] = {{0.015, 0.005, BL_CHANGE_BASELINE},  {-0.011, 0.012, BL_CHANGE_BASELINE},
                 {-0.005, 0.005, BL_CHANGE_BASELINE}, {-0.015, 0.005, BL_CHANGE_SLOWER},
                 {-0.028, 0.02, BL_CHANGE_SLOWER},    {-0.06, 0.012, BL_CHANGE_SLOWER}};
    struct bl_row old[OF_SUITE * SUITES], new[OF_SUITE * SUITES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double drift = exp(-cases[i].drift), sd = cases[i].sd / M_SQRT2;
        const size_t count = make_suites(old, 1, 1);
        size_t bad;
        make_suites(new, 1.03, 0.94 * drift);
        new[3] = timed("a/3", old[3].case_ns * 1.03 * drift, 0.94 * 1.03 * drift);
        strcpy(new[3].level, "L1");
        for (unsigned k = 0; k < 2; k++) {
            struct bl_row *row = k ? &new[3] : &old[3];
            widen(row->case_ns, sd, &row->case_ns_lo, &row->case_ns_hi);
        }
        const enum bl_change change = changed(old, new, count, "a/3", &bad);
        cr_expect_eq(change, cases[i].change, "drift %g: %s", cases[i].drift,
                     bl_change_name(change));
    }
}

Test(baselines, all_changes_are_judged_the_same_at_any_clock)
{
    struct bl_row old[OF_SUITE * SUITES], new[OF_SUITE * SUITES];
    static const struct {
        const char *case_id;
        enum bl_change change;
    } expected[] = {
        {"b/1", BL_CHANGE_SLOWER}, {"b/2", BL_CHANGE_FASTER},   {"b/3", BL_CHANGE_KERNEL},
        {"b/4", BL_CHANGE_BROKEN}, {"b/5", BL_CHANGE_UNCLEAR},  {"b/6", BL_CHANGE_MISSING},
        {"b/x", BL_CHANGE_NEW},    {"a/1", BL_CHANGE_BASELINE}, {"a/0", BL_CHANGE_SLOWER},
        {"c/1", BL_CHANGE_SAME},   {"c/0", BL_CHANGE_SAME},     {"c/7", BL_CHANGE_NO_NUMBER}};
    for (size_t c = 0; c < CLOCKS; c++) {
        size_t bad;
        const size_t count = make_suites(old, 1, 1);
        make_suites(new, clocks[c], 1.1);
        new[9] = timed("b/1", clocks[c] * 3.3, clocks[c]);
        new[10] = timed("b/2", clocks[c] * 3.6, clocks[c]);
        strcpy(old[11].kernels, "old");
        strcpy(new[11].kernels, "new");
        new[12].measured = NAN;
        new[12].status = BL_ROW_ERROR;
        new[13].measured *= 0.98;
        new[13].measured_lo = new[13].measured * 0.95;
        new[13].measured_hi = new[13].measured * 1.05;
        strcpy(new[14].key.case_id, "b/x");
        for (unsigned i = 0; i < 2; i++) {
            struct bl_row *row = i ? &new[23] : &old[23];
            row->measured = NAN;
            row->status = BL_ROW_UNSUPPORTED;
        }
        strcpy(new[9].level, "L1");
        strcpy(new[10].level, "L1");
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            const enum bl_change change = changed(old, new, count, expected[i].case_id, &bad);
            cr_expect_eq(change, expected[i].change, "clock %g: %s is %s", clocks[c],
                         expected[i].case_id, bl_change_name(change));
        }
        cr_expect_eq(bad, 4, "clock %g: %zu are bad", clocks[c], bad);
    }
}

/* A row's key contains its working set. A row that cannot run has no working set, so its key may
 * differ between two runs. */
Test(baselines, a_row_that_could_run_in_neither_run_is_not_missing_or_new)
{
    struct bl_row old = row_of("case", NAN), new = old;
    size_t bad;
    old.status = new.status = BL_ROW_UNSUPPORTED;
    new.key.working_set_bytes = 65536;
    cr_expect_eq(changed(&old, &new, 1, "case", &bad), BL_CHANGE_NO_NUMBER);
    cr_expect_eq(bad, 0);
    new = row_of("case", 1);
    new.key.working_set_bytes = 65536;
    cr_expect_eq(changed(&old, &new, 1, "case", &bad), BL_CHANGE_NEW);
    cr_expect_eq(changed(&new, &old, 1, "case", &bad), BL_CHANGE_BROKEN);
    cr_expect_eq(bad, 1);
}
