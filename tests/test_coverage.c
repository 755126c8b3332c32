/* Counts how often the sampler's 95 % intervals contain the true ratio, on simulated devices whose
 * noise and differences between placements the test chooses. The seed is fixed, and is printed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/sample.h"
#include "measure/sampler.h"

enum { PLACEMENTS = 6 };
enum kind { NORMAL, LOGNORMAL, BIMODAL, AUTOCORRELATED, KINDS };
static const char *const names[] = {"normal", "lognormal", "bimodal", "autocorrelated"};

static uint64_t state;
static enum kind kind;
static double scatter;   /* size of the noise, as a fraction of a launch's time */
static double resembles; /* noise of the previous launch, for autocorrelated noise */

static double uniform(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return ((double)((state * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

/* The factor by which noise changes a launch's time. */
static double noise(void)
{
    switch (kind) {
    case NORMAL:
        return 1 + scatter * normal();
    case LOGNORMAL:
        return exp(2 * scatter * normal());
    case BIMODAL:
        return 1 + scatter * (uniform() < 0.5 ? 2 : 0) + scatter / 5 * normal();
    default: /* consecutive launches, of the case and of the baseline, have similar noise */
        resembles = 0.9 * resembles + sqrt(1 - 0.81) * normal();
        return 1 + scatter * resembles;
    }
}

struct device {
    double round_ns, factor[PLACEMENTS];
};

static enum bl_status launch(void *context, unsigned placement, uint32_t rounds,
                             struct bl_timing *timing, struct bl_error *error)
{
    (void)error;
    const struct device *device = context;
    const double ns = (5000 + rounds * device->round_ns) * device->factor[placement] * noise();
    const uint64_t start = 1000000, took = (uint64_t)(ns + 0.5);
    *timing = (struct bl_timing){start, start + took, took + 500};
    return BL_OK;
}

struct counts {
    unsigned runs, covered, settled, settled_covered;
};

/* Measures once. The placements of the case differ by noise with the standard deviation `effect`,
 * and all placements share noise of the size that the sampler assumes between processes. The true
 * ratio is 1/2. */
static void run_once(double effect, struct counts *counts)
{
    struct device a = {.round_ns = 100}, b = {.round_ns = 200};
    const double process = BL_BETWEEN_PROCESSES * normal();
    for (unsigned i = 0; i < PLACEMENTS; i++) {
        a.factor[i] = 1;
        b.factor[i] = exp(process + effect * normal());
    }
    const struct bl_subject baseline = {.context = &a, .launch = launch},
                            subject = {.context = &b, .launch = launch};
    const struct bl_sampler_settings settings = {
        .launch_ns = 1e6,
        .longest_ns = 100e6,
        .resolution_ns = 1,
        .placements = PLACEMENTS,
        .stopping = {PLACEMENTS, .max_samples = 48, .precision = 0.005, .budget_s = 60},
    };
    struct bl_measurement got;
    cr_assert_eq(bl_measure(&baseline, &subject, &settings, &got, NULL), BL_OK);
    const bool covers = got.ratio.lo <= 0.5 && 0.5 <= got.ratio.hi;
    counts->runs++;
    counts->covered += covers;
    counts->settled += got.settled;
    counts->settled_covered += got.settled && covers;
    free(got.ratios);
}

/* Checks that the intervals contain the true ratio in 95 +- 2 % of the measurements, or +- 3 % in a
 * short test, for each size of noise and of the placements' differences. */
static void holds(enum kind which)
{
    static const double scatters[] = {0.0005, 0.002, 0.01}, effects[] = {0, 0.001, 0.005};
    enum { MIN_SETTLED = 1000 }; /* with fewer settled runs, chance moves the result too much */
    const unsigned runs = sample_count(4000, 1200);
    kind = which;
    state = 20261121;
    resembles = normal();
    for (int s = 0; s < 3; s++)
        for (int e = 0; e < 3; e++) {
            struct counts counts = {0};
            scatter = scatters[s];
            while (counts.runs < runs)
                run_once(effects[e], &counts);
            const double covered = 100.0 * counts.covered / runs;
            const double settled = 100.0 * counts.settled_covered / counts.settled;
            fprintf(stderr,
                    "seed 20261121, %s noise of %g %%, placements differ by %g %%: %.1f %% cover, "
                    "of %u settled %.1f %%\n",
                    names[kind], 100 * scatter, 100 * effects[e], covered, counts.settled, settled);
            const double margin = runs < 4000 ? 3 : 2; /* with fewer runs, chance moves the result
                                                          more */
            cr_expect(fabs(covered - 95) <= margin, "%g %% of intervals cover the ratio", covered);
            if (counts.settled >= MIN_SETTLED)
                cr_expect(fabs(settled - 95) <= margin,
                          "%g %% of the settled intervals cover the ratio", settled);
        }
}

Test(coverage, intervals_cover_the_ratio_with_normal_noise) { holds(NORMAL); }
Test(coverage, intervals_cover_the_ratio_with_lognormal_noise) { holds(LOGNORMAL); }
Test(coverage, intervals_cover_the_ratio_with_bimodal_noise) { holds(BIMODAL); }
Test(coverage, intervals_cover_the_ratio_with_autocorrelated_noise) { holds(AUTOCORRELATED); }
