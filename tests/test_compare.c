/* Two runs against each other: what counts as a change, and that runs of the same thing raise no
 * alarm. Made-up samples, with seeds. */
#include "report/compare.h"
#include "rows.h"

static struct bl_error error;

static enum bl_change change(double before, double half_before, double after, double half_after)
{
    const struct bl_interval a = {before, before * (1 - half_before), before * (1 + half_before),
                                  true};
    const struct bl_interval b = {after, after * (1 - half_after), after * (1 + half_after), true};
    return bl_change_of(&a, &b, 0.02);
}

Test(change, quiet_measurements_tell_two_percent)
{
    cr_assert_eq(change(1, 0.001, 1, 0.001), BL_CHANGE_SAME);
    cr_assert_eq(change(1, 0.001, 0.98, 0.001), BL_CHANGE_SLOWER);
    cr_assert_eq(change(0.01, 0.001, 0.0098, 0.001), BL_CHANGE_SLOWER, "at any scale");
    cr_assert_eq(change(1, 0.001, 1.03, 0.001), BL_CHANGE_FASTER);
    cr_assert_eq(change(1, 0.001, 0.992, 0.001), BL_CHANGE_SAME, "less than half of it");
    cr_assert_eq(change(1, 0, 1, 0), BL_CHANGE_SAME, "no noise at all");
    cr_assert_eq(change(1, 0, 0.9, 0), BL_CHANGE_SLOWER);
}

Test(change, too_few_samples_do_not_tell)
{
    const struct bl_interval good = {1, 1, 1, true}, few = {0.5, 0.5, 0.5, false};
    cr_assert_eq(bl_change_of(&good, &few, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(bl_change_of(&few, &good, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(bl_change_of(&few, &few, 0.02), BL_CHANGE_UNCLEAR);
}

Test(change, noisy_measurements_do_not_tell)
{
    cr_assert_eq(change(1, 0.02, 1, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change(1, 0.02, 0.97, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change(1, 0.02, 0.9, 0.02), BL_CHANGE_SLOWER);
    cr_assert_eq(change(1, 0.0, 0.9, 0.06), BL_CHANGE_UNCLEAR, "one of them is enough");
    cr_assert_eq(change(1, 0.06, 0.9, 0.0), BL_CHANGE_UNCLEAR);
}

/* Made-up noise: most of it normal, now and then a disturbance that only slows. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)((*state * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992.0;
}

static struct bl_interval measured(double truth, double noise, size_t n, uint64_t *state)
{
    double samples[64];
    for (size_t i = 0; i < n; i++) {
        const double normal =
            sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
        const double disturbed = uniform(state) < 0.05 ? 10 * noise * uniform(state) : 0;
        samples[i] = truth * exp(noise * normal - disturbed);
    }
    return bl_median_interval(samples, n);
}

/* Of 1000 comparisons of 16 cases: in how many anything was slower; and how many rows were, of all
 * whose truth is slower. */
static size_t alarms(double truth, double noise, size_t n, uint64_t seed, size_t *found)
{
    size_t raised = 0;
    *found = 0;
    for (int comparison = 0; comparison < 1000; comparison++) {
        bool any = false;
        for (int row = 0; row < 16; row++) {
            const struct bl_interval before = measured(1, noise, n, &seed);
            const struct bl_interval after = measured(truth, noise, n, &seed);
            const bool slower = bl_change_of(&before, &after, 0.02) == BL_CHANGE_SLOWER;
            *found += slower;
            any |= slower;
        }
        raised += any;
    }
    return raised;
}

Test(change, runs_of_the_same_thing_raise_no_alarm)
{
    static const struct {
        double noise;
        size_t n;
    } kinds[] = {{0.0015, 6}, {0.003, 6}, {0.01, 6}, {0.01, 9}, {0.05, 8}, {0.3, 7}, {0.1, 40}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t found;
        const size_t raised = alarms(1, kinds[i].noise, kinds[i].n, 20261121 + i, &found);
        cr_assert_leq(raised, 10, "noise %g, %zu samples, seed %zu: %zu of 1000", kinds[i].noise,
                      kinds[i].n, 20261121 + i, raised);
    }
}

Test(change, two_percent_are_found_where_samples_are_as_quiet_as_an_h100s)
{
    size_t found;
    alarms(0.98, 0.0015, 6, 7, &found); /* the median half-width of its rows is 0.16 % */
    cr_assert_geq(found, 16 * 990, "%zu of 16000, seed 7", found);
}

static char old_path[] = "/tmp/bankline-old-XXXXXX", new_path[] = "/tmp/bankline-new-XXXXXX";

static void make_files(void)
{
    close(mkstemp(old_path));
    close(mkstemp(new_path));
}

static void remove_files(void)
{
    unlink(old_path);
    unlink(new_path);
}

TestSuite(compare, .init = make_files, .fini = remove_files);

static struct bl_row without_number(const char *case_id)
{
    struct bl_row row = row_of(case_id, NAN);
    row.status = BL_ROW_WRONG_RESULT;
    strcpy(row.reason, "output 3 is wrong");
    row.bytes_per_clock_cu = NAN;
    return row;
}

static struct bl_run_info run;

static void write_run(const char *path, const struct bl_row rows[], size_t count)
{
    if (!run.device[0])
        run = run_on("device");
    write_rows(path, &run, rows, count);
}

/* Of the two files; what it is made of lives until the next one. */
static struct bl_comparison compare_files(double threshold, bool is_absolute)
{
    static struct bl_run_rows before, after;
    cr_assert_eq(bl_run_read(old_path, &before, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_run_read(new_path, &after, &error), BL_OK, "%s", error.sentence);
    struct bl_comparison comparison = {
        .before = &before, .after = &after, .comparing = {threshold, is_absolute}};
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    return comparison;
}

static void free_all(struct bl_comparison *comparison)
{
    bl_run_free((struct bl_run_rows *)(uintptr_t)comparison->before);
    bl_run_free((struct bl_run_rows *)(uintptr_t)comparison->after);
    bl_comparison_free(comparison);
}

static enum bl_change change_of(const struct bl_comparison *comparison, const char *case_id)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (strcmp(comparison->rows[i].key->case_id, case_id) == 0)
            return comparison->rows[i].change;
    cr_assert_fail("%s is not there", case_id);
    return BL_CHANGE_COUNT;
}

Test(compare, every_row_of_both_runs_gets_its_verdict)
{
    const struct bl_row old[] = {
        row_of("same", 1),   row_of("slower", 1),    row_of("faster", 1),     row_of("missing", 1),
        row_of("broken", 1), without_number("none"), without_number("mended")};
    const struct bl_row new[] = {
        without_number("broken"), row_of("faster", 1.1),  row_of("new", 1),   row_of("same", 1.001),
        row_of("slower", 0.95),   without_number("none"), row_of("mended", 1)};
    write_run(old_path, old, 7);
    write_run(new_path, new, 7);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(comparison.count, 8);
    static const struct {
        const char *case_id;
        enum bl_change change;
    } expected[] = {{"same", BL_CHANGE_SAME},     {"slower", BL_CHANGE_SLOWER},
                    {"faster", BL_CHANGE_FASTER}, {"missing", BL_CHANGE_MISSING},
                    {"broken", BL_CHANGE_BROKEN}, {"new", BL_CHANGE_NEW},
                    {"none", BL_CHANGE_SAME},     {"mended", BL_CHANGE_NEW}};
    size_t counts[BL_CHANGE_COUNT] = {0};
    for (size_t i = 0; i < 8; i++) {
        const enum bl_change change = change_of(&comparison, expected[i].case_id);
        cr_assert_eq(change, expected[i].change, "%s: %s", expected[i].case_id,
                     bl_change_name(change));
        counts[change]++;
    }
    cr_assert_eq(memcmp(counts, comparison.counts, sizeof counts), 0);
    cr_assert_eq(bl_comparison_bad(&comparison), 3);
    free_all(&comparison);
}

Test(compare, what_was_sampled_too_seldom_is_unclear)
{
    struct bl_row old = row_of("case", 1), new = row_of("case", 0.5);
    write_run(old_path, &old, 1);
    static const uint64_t samples[] = {0, 1, 5, 6}; /* 0: the file does not say */
    for (size_t i = 0; i < 4; i++) {
        new.samples = samples[i];
        write_run(new_path, &new, 1);
        struct bl_comparison comparison = compare_files(0.02, false);
        cr_assert_eq(comparison.rows[0].change,
                     i == 1 || i == 2 ? BL_CHANGE_UNCLEAR : BL_CHANGE_SLOWER, "%zu", i);
        free_all(&comparison);
    }
}

Test(compare, clocks_count_only_when_asked_for)
{
    struct bl_row old = row_of("case", 1), new = row_of("case", 1);
    new.bytes_per_clock_cu *= 0.9; /* the baseline got slower as well */
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

Test(compare, clocks_are_compared_where_both_runs_have_them)
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
        old[i].bytes_per_clock_cu = 100; /* far from any of them */
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
            cr_assert_eq(comparison.rows[i].change, BL_CHANGE_SAME, "%zu: the ratio alone", i);
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

/* A row that took `own` ns beside a baseline of `baseline` ns, each +-0.1 %. */
static struct bl_row timed(const char *case_id, double own, double baseline)
{
    struct bl_row row = row_of(case_id, baseline / own);
    row.case_ns = own;
    row.case_ns_lo = own * 0.999;
    row.case_ns_hi = own * 1.001;
    row.baseline_ns = baseline;
    row.baseline_ns_lo = baseline * 0.999;
    row.baseline_ns_hi = baseline * 1.001;
    row.bytes_per_clock_cu = NAN;
    return row;
}

Test(compare, every_row_has_its_own_time_to_be_compared)
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
    old.case_ns_lo = 1.7; /* an interval of its own that can tell nothing */
    write_run(old_path, &old, 1);
    write_run(new_path, &new, 1);
    struct bl_comparison comparison = compare_files(0.02, true);
    cr_assert_eq(comparison.rows[0].change, BL_CHANGE_UNCLEAR);
    free_all(&comparison);
}

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

Test(compare, a_changed_baseline_is_told_from_a_changed_case)
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

Test(compare, a_baseline_of_another_suite_says_what_happened_too)
{
    struct bl_row old[16] = {timed("a/base", 1, 1), timed("c/one", 2, 1)};
    struct bl_row new[16] = {timed("a/base", 1.05, 1.05), timed("c/one", 2, 1.05)};
    const size_t count = add_steady_rows(old, new, 2);
    compare_and_check(old, new, count, "c/one", BL_CHANGE_BASELINE, 1);
    compare_and_check(old, new, count, "a/base", BL_CHANGE_SLOWER, 1);
}

Test(compare, only_a_baseline_that_moved_by_as_much_excuses_a_ratio)
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
Test(compare, in_one_suite_alone_most_rows_must_say_that_the_baseline_moved)
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

Test(compare, rows_that_are_not_asked_for_are_judged_all_the_same)
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

Test(compare, a_faster_baseline_is_no_slower_case)
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
Test(compare, a_lower_clock_raises_no_alarm)
{
    struct bl_row old[8], new[8];
    for (size_t i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "b/%zu", i);
        old[i] = timed(name, 2, 1);
        new[i] = timed(name, 2.1, 1.05);
    }
    old[6] = timed("a/cache", 1, 1), new[6] = timed("a/cache", 1.05, 1.05);
    old[7] = timed("a/memory", 8, 1), new[7] = timed("a/memory", 8, 1.05);
    write_run(old_path, old, 8);
    write_run(new_path, new, 8);
    struct bl_comparison comparison = compare_files(0.02, false);
    cr_assert_eq(change_of(&comparison, "a/memory"), BL_CHANGE_BASELINE);
    cr_assert_eq(change_of(&comparison, "a/cache"), BL_CHANGE_SAME);
    cr_assert_eq(bl_comparison_bad(&comparison), 0);
    free_all(&comparison);
}

Test(compare, rows_of_other_kernels_are_not_comparable)
{
    struct bl_row old[] = {row_of("one", 1), row_of("two", 1), row_of("three", 1)};
    struct bl_row new[] = {row_of("one", 0.5), row_of("two", 0.5), row_of("three", 0.5)};
    strcpy(old[0].kernels, "0123456789ab");
    strcpy(new[0].kernels, "0123456789ac");
    strcpy(old[1].kernels, "0123456789ab");
    strcpy(new[1].kernels, "0123456789ab");
    strcpy(new[2].kernels, "0123456789ab"); /* of the old one nothing is known */
    write_run(old_path, old, 3);
    write_run(new_path, new, 3);
    struct bl_comparison comparison = compare_files(0.02, true);
    cr_assert_eq(change_of(&comparison, "one"), BL_CHANGE_KERNEL);
    cr_assert_eq(change_of(&comparison, "two"), BL_CHANGE_SLOWER);
    cr_assert_eq(change_of(&comparison, "three"), BL_CHANGE_SLOWER);
    cr_assert_eq(comparison.counts[BL_CHANGE_KERNEL], 1);
    cr_assert_eq(bl_comparison_bad(&comparison), 2);
    free_all(&comparison);
}

Test(compare, the_clocks_of_all_rows_are_known)
{
    struct bl_row rows[] = {row_of("one", 1), row_of("two", 1), row_of("three", 1)};
    double lowest, highest;
    struct bl_run_rows made = {.rows = rows, .count = 3};
    bl_run_device_mhz(&made, &lowest, &highest);
    cr_assert(isnan(lowest) && isnan(highest));
    rows[1].device_mhz = 1150;
    rows[2].device_mhz = 900;
    bl_run_device_mhz(&made, &lowest, &highest);
    cr_assert_float_eq(lowest, 900, 0);
    cr_assert_float_eq(highest, 1150, 0);
}

static void refused(const char *sentence_part)
{
    struct bl_run_rows read;
    cr_assert_eq(bl_run_read(old_path, &read, &error), BL_BAD_FORMAT);
    has(error.sentence, old_path);
    has(error.sentence, sentence_part);
    bl_run_free(&read);
}

Test(compare, a_file_that_is_no_run_is_refused_with_its_line)
{
    struct bl_row rows[] = {row_of("one", 1), row_of("two", 1), row_of("one", 1)};
    write_run(old_path, rows, 3);
    refused("line 4: the same row of one as in line 2");
    write_run(old_path, rows, 0);
    refused("line 1: a header and no rows");
    static const double intervals[][3] = {{0, 1, 2}, {1, 1.5, 2}, {1, 0.2, 0.5}, {1, -1, 2}};
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        struct bl_row odd = row_of("one", intervals[i][0]);
        odd.measured_lo = intervals[i][1];
        odd.measured_hi = intervals[i][2];
        write_run(old_path, &odd, 1);
        refused("line 2: measured ");
    }
    fclose(fopen(old_path, "w"));
    refused("line 1");
    write_run(old_path, rows, 1);
    cr_assert_eq(truncate(old_path, (off_t)strlen(text_of_file(old_path)) - 30), 0);
    refused("line 2: ");
    struct bl_run_rows read;
    cr_assert_eq(bl_run_read("/no/such", &read, &error), BL_FILE_FAILED);
    bl_run_free(&read);
}

/* Two runs in one file, of different devices or of one. */
Test(compare, a_file_of_two_runs_is_refused)
{
    const struct bl_row one = row_of("one", 1), two = row_of("two", 1);
    struct bl_run_info other = run_on("device");
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(old_path, "w");
        run = run_on("device");
        strcpy(run.run_id, "a");
        other = run;
        strcpy(i ? other.run_id : other.device, "b");
        bl_csv_header(file);
        bl_csv_row(file, &run, &one);
        bl_csv_row(file, &other, &two);
        fclose(file);
        refused(i ? "line 3: run_id 'b' in a run with 'a'"
                  : "line 3: device 'b' in a run with 'device'");
    }
}
