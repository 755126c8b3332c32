/* Counts the false alarms and misses of comparisons of simulated runs. The runs are made from
 * recorded samples of 16 cases (results/samples/). The samples were recorded on PoCL, during a busy
 * and during a quiet hour of a shared host, and on an H100. Each case was recorded for several
 * seconds, longer than the usual precision requires.
 *
 * A simulated run consists of stretches of a recording. They begin at random positions, and are as
 * long as the stopping rule requires, as if placements did not differ. Stretches keep the
 * correlation of neighbouring samples, which drawing single samples would lose. The difference
 * between the two halves of a sample was not recorded. The simulation uses the difference between
 * two neighbouring samples instead, scaled to half the length. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "device/sample.h"
#include "judged.h"
#include "measure/placements.h"
#include "measure/sampler.h"
#include "measure/stats.h"

enum { MAX_ROWS = 64, MAX_SAMPLES = 1000 };

struct recording {
    double ratios[MAX_SAMPLES];
    size_t count;
    double sample_s; /* seconds that a sample takes */
};

static struct recording recordings[MAX_ROWS];
static size_t recording_count;

static void load(const char *name)
{
    char path[4096];
    json_error_t json_error;
    snprintf(path, sizeof path, "%s/results/samples/%s", getenv("BANKLINE_SOURCE"), name);
    json_t *root = json_load_file(path, 0, &json_error), *row, *value;
    cr_assert_not_null(root, "%s: %s", path, json_error.text);
    size_t i, s;
    recording_count = 0;
    json_array_foreach(json_object_get(root, "rows"), i, row)
    {
        struct recording *recording = &recordings[recording_count++];
        recording->count = 0;
        json_array_foreach(json_object_get(row, "sample_ratios"), s, value)
            recording->ratios[recording->count++] = json_real_value(value);
        cr_assert_gt(recording->count, 100, "row %zu", i);
        recording->sample_s =
            json_real_value(json_object_get(row, "seconds")) / (double)recording->count;
    }
    cr_assert_geq(recording_count, 16);
    json_decref(root);
}

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

/* A visit to a placement takes this many times as long as the two samples taken there, because of
 * warm-up. */
static const double WARM_UP = 18.0 / 16;

/* Takes samples of the recording as the sampler does, with a run's stopping rule. Multiplies each
 * ratio by `speed`. */
static struct bl_interval measured(const struct recording *recording, double speed, double budget_s,
                                   uint64_t *state)
{
    enum { PLACEMENTS = 6, MAX = 200 };
    const struct bl_stopping_rule rule = {
        .min_samples = PLACEMENTS, .max_samples = MAX, .precision = 0.005, .budget_s = budget_s};
    const double *ratios = recording->ratios;
    size_t at = (size_t)(random_bits(state) % recording->count);
    struct bl_placed samples[MAX];
    size_t n = 0;
    enum bl_decision decision = BL_SAMPLE_MORE;
    while (decision != BL_BUDGET_SPENT && decision != BL_SETTLED) {
        const double one = ratios[at % recording->count],
                     next = ratios[(at + 1) % recording->count];
        const size_t visit = n < PLACEMENTS ? PLACEMENTS - 1 - n : (n - PLACEMENTS) / 2;
        const unsigned place = (unsigned)(visit % PLACEMENTS);
        samples[n] = (struct bl_placed){speed * one, (next - one) / (next + one) * sqrt(2),
                                        visit / PLACEMENTS % 2 ? place : PLACEMENTS - 1 - place};
        at++;
        n++;
        decision = bl_decide(&rule, bl_placed_noise(samples, n), n, n,
                             WARM_UP * (double)n * recording->sample_s);
        if (decision == BL_SETTLED && bl_placed_is_ambiguous(samples, n))
            decision = BL_SAMPLE_MORE;
    }
    return bl_placed_interval(samples, n);
}

/* Makes `count` comparisons of 16 cases, which all run at `speed` in the second run. *raised: the
 * number of comparisons in which any row is slower. *found: the number in which one row, of a
 * different case in each comparison, is slower. */
static void compare(size_t count, double speed, double budget_s, uint64_t seed, size_t *raised,
                    size_t *found)
{
    const double threshold = 0.02; /* the default of the program */
    *raised = *found = 0;
    for (size_t comparison = 0; comparison < count; comparison++) {
        bool any = false;
        for (size_t row = 0; row < 16; row++) {
            const struct recording *recording = &recordings[row * recording_count / 16];
            const struct bl_interval before = measured(recording, 1, budget_s, &seed);
            const struct bl_interval after = measured(recording, speed, budget_s, &seed);
            const bool slower = change_between(&before, &after, 16, threshold) == BL_CHANGE_SLOWER;
            any |= slower;
            *found += slower && row == comparison % 16;
        }
        *raised += any;
    }
}

/* slowdown: the change, a fraction. budget_s: the time budget of a case, in seconds. least: of 1000
 * changes, the minimum number to find. An interval over six placements is based on only six
 * numbers, so some changes are missed if samples are as noisy as PoCL's. */
static void holds(const char *name, double slowdown, double budget_s, size_t least, uint64_t seed)
{
    const size_t count = sample_count(1000, 200);
    size_t raised, found;
    load(name);
    compare(count, 1, budget_s, seed, &raised, &found);
    fprintf(stderr, "%s, seed %llu: %zu of %zu comparisons without a change raise an alarm\n", name,
            (unsigned long long)seed, raised, count);
    cr_expect_leq(100 * raised, count, "%zu alarms", raised);
    compare(count, 1 - slowdown, budget_s, seed, &raised, &found);
    fprintf(stderr, "%s, seed %llu: changes by %g %% are found in %zu of %zu\n", name,
            (unsigned long long)seed, 100 * slowdown, found, count);
    const size_t chance = count < 1000 ? 40 : 0; /* per thousand; chance may lower the rate of a
                                                    small number of comparisons by this much */
    cr_expect_geq(1000 * found, (least - chance) * count, "only %zu changes are found", found);
}

Test(recorded, changes_of_5_percent_are_found_on_pocl)
{
    holds("pocl-cpu.json", 0.05, 0.6, 930, 20261121);
}
Test(recorded, changes_of_5_percent_are_found_in_a_quiet_hour)
{
    holds("pocl-cpu-quiet.json", 0.05, 0.6, 930, 20261121);
}
Test(recorded, changes_of_2_percent_are_found_on_an_h100)
{
    holds("nvidia-h100.json", 0.02, 0.2, 990, 20261121);
}
