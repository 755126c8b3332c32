/* Two runs against each other: a changed baseline is told from a changed case. */
#include "run_files.h"

TestSuite(baselines, .init = make_files, .fini = remove_files);

/* Rows of another suite, which show that the clock is what it was. */
static size_t add_steady_rows(struct bl_row old[], struct bl_row new[], size_t count)
{
    for (size_t i = 0; i < 5; i++, count++) {
        char name[16];
        snprintf(name, sizeof name, "steady/%zu", i);
        old[count] = new[count] = timed(name, 2, 1);
    }
    return count;
}

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

Test(baselines, a_changed_baseline_is_told_from_a_changed_case)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("a/one", 2, 1), timed("a/two", 4, 1),
                             timed("a/both", 4, 1), timed("b/one", 4, 1)};
    struct bl_row new[16] = {timed("a/base", 1.05, 1.05), timed("a/one", 2.002, 1.05),
                             timed("a/two", 4.4, 1.05), timed("a/both", 4.2, 1.05),
                             timed("b/one", 4.2, 1)};
    const size_t count = add_steady_rows(old, new, 5);
    compare_and_check(old, new, count, "a/one", BL_CHANGE_BASELINE, 4);
    compare_and_check(old, new, count, "a/base", BL_CHANGE_SLOWER, 4); /* it says what happened */
    compare_and_check(old, new, count, "a/both", BL_CHANGE_SLOWER, 4); /* by as much */
    compare_and_check(old, new, count, "a/two", BL_CHANGE_SLOWER, 4);
    compare_and_check(old, new, count, "b/one", BL_CHANGE_SLOWER, 4); /* of another suite */
    compare_and_check(old, new, count, "steady/0", BL_CHANGE_SAME, 4);
}

Test(baselines, a_baseline_of_another_suite_says_what_happened_too)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("c/one", 2, 1)};
    struct bl_row new[16] = {timed("a/base", 1.05, 1.05), timed("c/one", 2, 1.05)};
    const size_t count = add_steady_rows(old, new, 2);
    compare_and_check(old, new, count, "c/one", BL_CHANGE_BASELINE, 1);
    compare_and_check(old, new, count, "a/base", BL_CHANGE_SLOWER, 1);
}

Test(baselines, only_a_baseline_that_moved_by_as_much_excuses_a_ratio)
{
    struct bl_row old = timed("case", 2, 1), new = old;
    new.measured *= 0.8; /* and no time says why */
    new.measured_lo *= 0.8;
    new.measured_hi *= 0.8;
    compare_and_check(&old, &new, 1, "case", BL_CHANGE_SLOWER, 1);
    new = timed("case", 2.16, 0.91); /* slower itself, though its time alone is too noisy to tell */
    new.case_ns_lo = 2.05;
    new.case_ns_hi = 2.27;
    compare_and_check(&old, &new, 1, "case", BL_CHANGE_SLOWER, 1);
}

/* One row that got better is no evidence against all others, where nothing tells the clock. */
Test(baselines, in_one_suite_alone_most_rows_must_say_that_the_baseline_moved)
{
    struct bl_row old[8], new[8];
    for (size_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "a/%zu", i);
        old[i] = timed(name, i ? 2 : 1, 1);
        new[i] = timed(name, i ? 2.2 : 1.1, 1.1); /* a lower clock */
    }
    new[7] = timed("a/7", 2, 1.1);
    compare_and_check(old, new, 8, "a/7", BL_CHANGE_BASELINE, 0);
    compare_and_check(old, new, 8, "a/0", BL_CHANGE_SAME, 0);
}

Test(baselines, rows_that_are_not_asked_for_are_judged_all_the_same)
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
                                       .comparing = {0.02, false},
                                       .selectors = selectors,
                                       .selector_count = 1};
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    cr_assert_eq(comparison.count, 1);
    cr_assert_eq(comparison.rows[0].change, BL_CHANGE_SLOWER);
    cr_assert_eq(bl_comparison_bad(&comparison), 1);
    free_all(&(struct bl_comparison){.before = &before, .after = &after});
    bl_comparison_free(&comparison);
}

Test(baselines, a_faster_baseline_is_no_slower_case)
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

/* A clock that is 5 % lower makes all rows slower but those of memory: their ratios move, and
 * nothing is wrong. */
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

/* What ratios do not see is told beside them. */
Test(baselines, a_device_that_is_slower_as_a_whole_is_told)
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
            cr_assert(isnan(comparison.own_times), "too few of them");
        else
            cr_assert_float_eq(comparison.own_times, 0.1, 1e-6);
        cr_assert_eq(bl_comparison_bad(&comparison), 0);
        free_all(&comparison);
    }
}
