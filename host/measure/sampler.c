#include "measure/sampler.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s)
{
    if (samples >= rule->min_samples && noise <= rule->precision)
        return BL_SETTLED;
    /* Where half as many again do not hold as many good ones, a third are bad, and there will be no
     * number. */
    const bool is_enough = samples >= rule->min_samples || taken >= (rule->min_samples * 3 + 1) / 2;
    return taken >= rule->max_samples || (spent_s >= rule->budget_s && is_enough) ? BL_BUDGET_SPENT
                                                                                  : BL_SAMPLE_MORE;
}

/* How slow the device's clock may be against the host's. Timers that drivers got wrong were off by
 * more (12.5 and 19.2 MHz taken for each other); an honest one is within a percent. */
static const double MIN_CLOCK_RATE = 0.75;

struct step {
    struct bl_side *side;
    bool longer;
};

static enum bl_status add_launch(const struct step *step, unsigned placement, unsigned half,
                                 const struct bl_sampler_settings *settings, struct bl_error *error)
{
    struct bl_timing timing;
    struct bl_side *side = step->side;
    const bool longer = step->longer;
    const enum bl_status status =
        bl_timed_launch(side->subject, settings, placement,
                        longer ? side->rounds.longer : side->rounds.shorter, &timing, error);
    if (status != BL_OK)
        return status;
    const double event_ns = (double)(timing.end_ns - timing.start_ns);
    const double host_ns = (double)timing.host_ns;
    if (side->host_ns[longer] <= 0 ||
        event_ns / host_ns > side->event_ns[longer] / side->host_ns[longer]) {
        side->host_ns[longer] = host_ns;
        side->event_ns[longer] = event_ns;
    }
    if (!longer && (side->shortest_ns <= 0 || host_ns < side->shortest_ns))
        side->shortest_ns = host_ns;
    side->difference_ns[half] += longer ? event_ns : -event_ns;
    return BL_OK;
}

/* Takes one sample at a placement: fills in both sides' differences. As bl_timed_launch. */
static enum bl_status side_sample(struct bl_side *baseline, struct bl_side *subject,
                                  unsigned placement, const struct bl_sampler_settings *settings,
                                  struct bl_error *error)
{
    const struct step order[] = {
        {baseline, false}, {baseline, true}, {subject, false}, {subject, true},
        {subject, true},   {subject, false}, {baseline, true}, {baseline, false},
    };
    enum { STEPS = sizeof order / sizeof order[0] };
    for (unsigned half = 0; half < 2; half++)
        baseline->difference_ns[half] = subject->difference_ns[half] = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        const enum bl_status status =
            add_launch(&order[i], placement, i >= STEPS / 2, settings, error);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

/* What lies in the caches after the last placement is not of this one; what a launch reads must be
 * there before it is timed: of a side that settles slowly, what the longer one does. */
static enum bl_status side_warm_up(const struct bl_side *baseline, const struct bl_side *subject,
                                   unsigned placement, const struct bl_sampler_settings *settings,
                                   struct bl_error *error)
{
    struct bl_timing timing;
    const struct bl_side *const sides[] = {baseline, subject};
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < 2 && status == BL_OK; i++)
        status = bl_timed_launch(sides[i]->subject, settings, placement,
                                 sides[i]->subject->settles_slowly ? sides[i]->rounds.longer
                                                                   : sides[i]->rounds.shorter,
                                 &timing, error);
    return status;
}

/* The device's clock does not run slower than the host's: what more rounds took, by both.
 * Overhead is in neither; and of many launches there are some in which the host had nothing else to
 * do. That it runs faster, each launch would tell (clock.h). BL_BAD_CLOCK under 3/4 of the rate. */
static enum bl_status side_check_rate(const struct bl_side *side, struct bl_error *error)
{
    const double host_ns = side->host_ns[1] - side->host_ns[0];
    const double event_ns = side->event_ns[1] - side->event_ns[0];
    const bool agrees = side->event_ns[1] >= side->host_ns[1] * MIN_CLOCK_RATE;
    if (agrees || host_ns <= 0 || event_ns >= host_ns * MIN_CLOCK_RATE)
        return BL_OK;
    return bl_fail(error, BL_BAD_CLOCK,
                   "%" PRIu32 " rounds more took %.0f ns by the device's clock and %.0f ns by the "
                   "host's",
                   side->rounds.longer - side->rounds.shorter, event_ns, host_ns);
}

struct samples {
    struct bl_placed ratio[BL_MAX_SAMPLES];
    struct bl_placed baseline_ns[BL_MAX_SAMPLES]; /* of a round */
    struct bl_placed case_ns[BL_MAX_SAMPLES];
    size_t count;
    size_t discarded;  /* more rounds did not lengthen them: noise as large as the launch */
    size_t clock_fell; /* discarded too, and no reason to distrust the others */
};

/* By so much a clock falls that is not what clocks do from one moment to the next. */
static const double CLOCK_FALL = 0.03;

static double clock_of(const struct bl_sampler_settings *settings)
{
    return settings->watch_clock && settings->clock_mhz
               ? settings->clock_mhz(settings->clock_context)
               : 0;
}

/* Whether the second half took longer than the first by more than clocks do from one moment to the
 * next, and by more than this side's samples usually tell. */
static bool is_slowed(const struct bl_placed *sample, const struct bl_placed earlier[],
                      size_t count)
{
    enum { ENOUGH = 5 }; /* to know what is usual */
    return count >= ENOUGH && sample->half_change > CLOCK_FALL / 2 &&
           sample->half_change > bl_placed_usual_change(earlier, count);
}

/* sides: the new sample's baseline and case. */
static bool clock_fell(const struct bl_sampler_settings *settings, double before_mhz,
                       double after_mhz, const struct bl_placed sides[2],
                       const struct samples *samples)
{
    if (!settings->watch_clock)
        return false;
    if (before_mhz > 0 && after_mhz > 0)
        return after_mhz < before_mhz * (1 - CLOCK_FALL);
    return is_slowed(&sides[0], samples->baseline_ns, samples->count) &&
           is_slowed(&sides[1], samples->case_ns, samples->count);
}

static void keep_sample(struct samples *samples, unsigned placement, const struct bl_side *baseline,
                        const struct bl_side *subject, const struct bl_sampler_settings *settings,
                        double before_mhz)
{
    const struct bl_side *const sides[] = {baseline, subject};
    struct bl_placed placed[2];
    for (unsigned i = 0; i < 2; i++) {
        const double *halves = sides[i]->difference_ns, both = halves[0] + halves[1];
        const double more = sides[i]->rounds.longer - sides[i]->rounds.shorter;
        placed[i] = (struct bl_placed){both / 2 / more, (halves[1] - halves[0]) / both, placement};
    }
    if (!(placed[0].value > 0 && placed[1].value > 0)) {
        samples->discarded++;
        return;
    }
    if (clock_fell(settings, before_mhz, clock_of(settings), placed, samples)) {
        samples->clock_fell++;
        return;
    }
    const size_t i = samples->count++;
    samples->baseline_ns[i] = placed[0];
    samples->case_ns[i] = placed[1];
    samples->ratio[i] =
        (struct bl_placed){placed[0].value / placed[1].value,
                           placed[0].half_change - placed[1].half_change, placement};
}

/* Whether every third sample or more was discarded: more than are left out for nothing. What stays
 * is too long in the mean. */
static bool too_many_are_discarded(const struct samples *samples)
{
    return 3 * samples->discarded >= samples->count + samples->discarded;
}

/* Whether there will be no number, as far as these samples tell. */
static bool is_hopeless(const struct samples *samples, const struct bl_side *baseline,
                        const struct bl_side *subject)
{
    return too_many_are_discarded(samples) || side_check_rate(baseline, NULL) != BL_OK ||
           side_check_rate(subject, NULL) != BL_OK;
}

enum { LONGER = 4, MAX_LENGTHENED = 3 }; /* launches */
enum { GIVE_UP_BUDGETS = 4 };            /* budgets */

/* By how much this side's launches should be longer: LONGER times where too many samples were
 * discarded, for where others have the processor too, differences drown in their slices of time;
 * and to their length where calibration was misled, by a launch that waited for something. */
static double growth_of(const struct bl_side *side, bool drowns,
                        const struct bl_sampler_settings *settings)
{
    enum { FAR_TOO_SHORT = 2 };
    const double wanted = bl_wanted_ns(side->subject, settings) / side->shortest_ns;
    const double growth = fmax(drowns ? LONGER : 1, wanted > FAR_TOO_SHORT ? wanted : 1);
    const double times = (double)side->rounds.longer / side->rounds.shorter;
    const double longer_ns = drowns ? side->host_ns[1] : times * side->shortest_ns;
    const double capacity =
        fmin(settings->longest_ns / longer_ns, (double)BL_MAX_ROUNDS / side->rounds.shorter);
    return growth > capacity ? 1 : growth;
}

/* Lengthens the launches of both sides where that is called for; then their samples so far are
 * none. */
static bool lengthen(struct samples *samples, struct bl_side *a, struct bl_side *b,
                     const struct bl_sampler_settings *settings)
{
    const bool drowns = samples->discarded >= 3 && too_many_are_discarded(samples);
    struct bl_side *const sides[] = {a, b};
    double growth[2];
    for (unsigned i = 0; i < 2; i++)
        growth[i] = growth_of(sides[i], drowns, settings);
    if (drowns && (growth[0] <= 1 || growth[1] <= 1)) /* one alone would not help */
        return false;
    if (growth[0] <= 1 && growth[1] <= 1)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct bl_lengths rounds = sides[i]->rounds;
        rounds.shorter = (uint32_t)(rounds.shorter * growth[i]);
        rounds.longer = (uint32_t)(rounds.longer * growth[i]);
        *sides[i] = (struct bl_side){.subject = sides[i]->subject, .rounds = rounds};
    }
    samples->count = samples->discarded = samples->clock_fell = 0;
    return true;
}

/* Of the next sample, after so many that count: one that was discarded is taken again. Forwards and
 * back again, so that what drifts is not taken for a difference of placements: one sample at each
 * there and one back, then two each time. */
static unsigned placement_of(size_t sample, unsigned placements)
{
    if (placements < 2)
        return 0;
    if (sample < placements)
        return (unsigned)sample;
    if (sample < 2 * placements)
        return 2 * placements - 1 - (unsigned)sample; /* the last one first */
    const size_t visit = (sample - 2 * placements) / 2;
    const unsigned at = (unsigned)(visit % placements);
    return visit / placements % 2 ? placements - 1 - at : at;
}

/* Takes samples until the rule says that it is enough, of the sides whose rounds are calibrated. */
static enum bl_status sample(struct samples *samples, struct bl_side *a, struct bl_side *b,
                             const struct bl_sampler_settings *settings, enum bl_decision *decision,
                             struct bl_error *error)
{
    uint64_t began_ns = bl_host_now_ns();
    unsigned lengthened = 0;
    struct bl_stopping_rule rule = settings->stopping;
    if (rule.max_samples > BL_MAX_SAMPLES)
        rule.max_samples = BL_MAX_SAMPLES;
    *decision = BL_SAMPLE_MORE;
    unsigned last = 0; /* where calibration left the caches */
    while (*decision == BL_SAMPLE_MORE) {
        const unsigned placement = placement_of(samples->count, settings->placements);
        enum bl_status status = BL_OK;
        if (placement != last)
            status = side_warm_up(a, b, placement, settings, error);
        last = placement;
        const double before_mhz = clock_of(settings);
        if (status == BL_OK)
            status = side_sample(a, b, placement, settings, error);
        if (status != BL_OK)
            return status;
        keep_sample(samples, placement, a, b, settings, before_mhz);
        if (lengthened < MAX_LENGTHENED && lengthen(samples, a, b, settings)) {
            lengthened++;
            began_ns = bl_host_now_ns();
            continue;
        }
        const double spent_s = (double)(bl_host_now_ns() - began_ns) * 1e-9;
        const double noise =
            samples->count ? bl_placed_noise(samples->ratio, samples->count) : (double)INFINITY;
        *decision = bl_decide(&rule, noise, samples->count,
                              samples->count + samples->discarded + samples->clock_fell, spent_s);
        if (*decision == BL_SETTLED && bl_placed_is_ambiguous(samples->ratio, samples->count))
            *decision = BL_SAMPLE_MORE;
        /* Long launches are not worth their time for a sample more that will not count. */
        if (spent_s >= GIVE_UP_BUDGETS * rule.budget_s && is_hopeless(samples, a, b))
            *decision = BL_BUDGET_SPENT;
    }
    return BL_OK;
}

/* Whether the samples, and the clock, can be trusted. */
static enum bl_status check_samples(const struct samples *samples, const struct bl_side *a,
                                    const struct bl_side *b, struct bl_error *error)
{
    if (samples->count == 0 && samples->clock_fell > 0)
        return bl_fail(error, BL_BAD_CLOCK, "the device's clock fell during each of %zu samples",
                       samples->clock_fell);
    if (too_many_are_discarded(samples))
        return bl_fail(error, BL_BAD_CLOCK,
                       "in %zu of %zu samples more rounds did not lengthen the launch; the "
                       "clock or the kernel cannot be trusted",
                       samples->discarded, samples->count + samples->discarded);
    const enum bl_status status = side_check_rate(a, error);
    return status == BL_OK ? side_check_rate(b, error) : status;
}

static enum bl_status conclude(const struct samples *samples, enum bl_decision decision,
                               const struct bl_sampler_settings *settings,
                               struct bl_measurement *measurement, struct bl_error *error)
{
    const size_t count = samples->count;
    double *ratios = malloc((count + 1) * sizeof *ratios);
    if (!ratios)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the samples");
    unsigned at = 0;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = samples->ratio[i].value;
        at |= 1u << samples->ratio[i].placement;
    }
    *measurement = (struct bl_measurement){
        .ratios = ratios,
        .ratio = bl_placed_interval(samples->ratio, count),
        .baseline_round_ns = bl_placed_interval(samples->baseline_ns, count),
        .case_round_ns = bl_placed_interval(samples->case_ns, count),
        .findings = bl_placed_findings(samples->ratio, count, 2 * settings->stopping.precision),
        .samples = count,
        .placements = (unsigned)__builtin_popcount(at),
        .clock_fell = samples->clock_fell,
        .settled = decision == BL_SETTLED,
    };
    return BL_OK;
}

enum bl_status bl_measure(const struct bl_subject *baseline, const struct bl_subject *subject,
                          const struct bl_sampler_settings *settings,
                          struct bl_measurement *measurement, struct bl_error *error)
{
    struct samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the samples");
    struct bl_side a = {.subject = baseline}, b = {.subject = subject};
    enum bl_decision decision;
    /* The subject first: what cannot be measured is found out of it and not of its baseline. */
    enum bl_status status = bl_calibrate(subject, settings, &b.rounds, error);
    if (status == BL_OK)
        status = bl_calibrate(baseline, settings, &a.rounds, error);
    if (status == BL_OK)
        status = sample(samples, &a, &b, settings, &decision, error);
    if (status == BL_OK)
        status = check_samples(samples, &a, &b, error);
    if (status == BL_OK)
        status = conclude(samples, decision, settings, measurement, error);
    if (status == BL_OK)
        measurement->baseline_rounds = a.rounds;
    free(samples);
    return status;
}
