/* Tests which differences between two runs count as changes, and that repeated measurements of an
 * unchanged device show no change. The samples are random, with fixed seeds. */
#include "judged.h"
#include "rows.h"

/* Judges a change from `before` to `after`; the intervals extend by the fractions half_before and
 * half_after in both directions. */
static enum bl_change change(double before, double half_before, double after, double half_after)
{
    const struct bl_interval a = {before, before * (1 - half_before), before * (1 + half_before),
                                  true};
    const struct bl_interval b = {after, after * (1 - half_after), after * (1 + half_after), true};
    return change_between(&a, &b, 16, 0.02);
}

Test(change, a_change_of_two_percent_is_found_if_intervals_are_narrow)
{
    cr_assert_eq(change(1, 0.001, 1, 0.001), BL_CHANGE_SAME);
    cr_assert_eq(change(1, 0.001, 0.98, 0.001), BL_CHANGE_SLOWER);
    cr_assert_eq(change(0.01, 0.001, 0.0098, 0.001), BL_CHANGE_SLOWER, "a small ratio");
    cr_assert_eq(change(1, 0.001, 1.03, 0.001), BL_CHANGE_FASTER);
    cr_assert_eq(change(1, 0.001, 0.992, 0.001), BL_CHANGE_SAME, "less than half of the threshold");
    cr_assert_eq(change(1, 0, 1, 0), BL_CHANGE_SAME, "there is no noise");
    cr_assert_eq(change(1, 0, 0.9, 0), BL_CHANGE_SLOWER);
}

Test(change, rows_with_too_few_samples_are_unclear)
{
    const struct bl_interval good = {1, 1, 1, true}, few = {0.5, 0.5, 0.5, false};
    cr_assert_eq(change_between(&good, &few, 16, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change_between(&few, &good, 16, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change_between(&few, &few, 16, 0.02), BL_CHANGE_UNCLEAR);
}

Test(change, small_changes_of_noisy_rows_are_unclear)
{
    cr_assert_eq(change(1, 0.02, 1, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change(1, 0.02, 0.97, 0.02), BL_CHANGE_UNCLEAR);
    cr_assert_eq(change(1, 0.02, 0.9, 0.02), BL_CHANGE_SLOWER);
    cr_assert_eq(change(1, 0.0, 0.9, 0.06), BL_CHANGE_UNCLEAR, "one interval is wide");
    cr_assert_eq(change(1, 0.06, 0.9, 0.0), BL_CHANGE_UNCLEAR);
}

/* A pseudo-random number between 0 and 1. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)((*state * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992.0;
}

/* Simulates a measurement of n samples. The noise is normal; in addition, about 5 % of the samples
 * are disturbed, which makes them slower. */
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

/* Compares 16 rows 1000 times; `truth` is the real ratio of after to before. Returns the number of
 * comparisons in which at least one row is judged slower. *found: the number of rows judged slower,
 * added up over all comparisons. */
static size_t alarms(double truth, double noise, size_t n, uint64_t seed, size_t *found)
{
    size_t raised = 0;
    *found = 0;
    for (int comparison = 0; comparison < 1000; comparison++) {
        bool any = false;
        for (int row = 0; row < 16; row++) {
            const struct bl_interval before = measured(1, noise, n, &seed);
            const struct bl_interval after = measured(truth, noise, n, &seed);
            const bool slower = change_between(&before, &after, 16, 0.02) == BL_CHANGE_SLOWER;
            *found += slower;
            any |= slower;
        }
        raised += any;
    }
    return raised;
}

Test(change, at_most_one_percent_of_unchanged_runs_raise_an_alarm)
{
    static const struct {
        double noise;
        size_t n;
    } kinds[] = {{0.0015, 6}, {0.003, 6}, {0.01, 6}, {0.01, 9}, {0.05, 8}, {0.3, 7}, {0.1, 40}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t found;
        const size_t raised = alarms(1, kinds[i].noise, kinds[i].n, 20261121 + i, &found);
        cr_assert_leq(raised, 10, "noise %g, %zu samples, seed %zu: %zu alarms in 1000 runs",
                      kinds[i].noise, kinds[i].n, 20261121 + i, raised);
    }
}

Test(change, a_change_of_two_percent_is_found_with_the_noise_of_an_h100)
{
    size_t found;
    alarms(0.98, 0.0015, 6, 7, &found); /* the rows' median half-width is 0.16 % */
    cr_assert_geq(found, 16 * 990, "found %zu of 16000, seed 7", found);
}
