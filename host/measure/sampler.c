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
    /* If half as many again do not contain enough good samples, a third are bad: no number then. */
    const bool is_enough = samples >= rule->min_samples || taken >= (rule->min_samples * 3 + 1) / 2;
    return taken >= rule->max_samples || (spent_s >= rule->budget_s && is_enough) ? BL_BUDGET_SPENT
                                                                                  : BL_SAMPLE_MORE;
}

double bl_launch_length_ns(double resolution_ns, double min_ns)
{
    return fmax(min_ns, 1050 * resolution_ns / (BL_TIMES - 1));
}

/* How long the shorter of this subject's launches is to take, about. */
static double wanted_launch_ns(const struct bl_subject *subject,
                               const struct bl_sampler_settings *settings)
{
    const double times = subject->settles_slowly ? BL_TIMES : 1;
    return fmin(times * settings->launch_ns, settings->longest_ns / 2);
}

/* One launch, timed, and its timing believed (clock.h); else BL_BAD_CLOCK, or what the subject's
 * launch returns. */
static enum bl_status timed_launch(const struct bl_subject *subject,
                                   const struct bl_sampler_settings *settings, unsigned placement,
                                   uint32_t rounds, struct bl_timing *timing,
                                   struct bl_error *error)
{
    enum bl_status status = subject->launch(subject->context, placement, rounds, timing, error);
    if (status == BL_OK)
        status = bl_timing_check(timing, settings->resolution_ns, error);
    return status;
}

enum { LAUNCHES_OF_A_STEP = 3, MAX_GROWTH = 64 };

/* The shortest of a few launches: a single one may have waited for another process's time slice to
 * end, and would seem long enough when it is not. */
static enum bl_status shortest_launch(const struct bl_subject *subject,
                                      const struct bl_sampler_settings *settings, uint32_t rounds,
                                      double *event_ns, double *host_ns, struct bl_error *error)
{
    *event_ns = *host_ns = INFINITY;
    for (int i = 0; i < LAUNCHES_OF_A_STEP; i++) {
        struct bl_timing timing;
        const enum bl_status status = timed_launch(subject, settings, 0, rounds, &timing, error);
        if (status != BL_OK)
            return status;
        *event_ns = fmin(*event_ns, (double)(timing.end_ns - timing.start_ns));
        *host_ns = fmin(*host_ns, (double)timing.host_ns);
        if (*host_ns > settings->longest_ns / 2)
            break; /* long ones are not repeated */
    }
    return BL_OK;
}

/* The factor from the shorter launch's rounds to the longer one's, from the shorter one's times: no
 * more than it needs to take as long as BL_TIMES launches of the wanted length. */
static double times_for(const struct bl_sampler_settings *settings, double wanted_ns,
                        double event_ns, double host_ns)
{
    const double enough = fmin(BL_TIMES, BL_TIMES * wanted_ns / event_ns);
    return fmax(2, fmin(enough, settings->longest_ns / host_ns));
}

static enum bl_status find_lengths(const struct bl_subject *subject,
                                   const struct bl_sampler_settings *settings,
                                   struct bl_lengths *rounds, struct bl_error *error)
{
    /* The first launch says nothing about time: some drivers finish building a kernel in it. */
    struct bl_timing timing;
    enum bl_status status = timed_launch(subject, settings, 0, 1, &timing, error);
    if (status != BL_OK)
        return status;
    const double wanted_ns = wanted_launch_ns(subject, settings);
    uint32_t n = 1;
    double event_ns, host_ns;
    for (;;) {
        status = shortest_launch(subject, settings, n, &event_ns, &host_ns, error);
        if (status != BL_OK)
            return status;
        const double wanted = wanted_ns / event_ns;
        /* The host's clock bounds the growth too: a device's clock that stands nearly still must
         * not make launches ever longer. */
        const double capacity = settings->longest_ns / 2 / host_ns;
        if (wanted < 1.1 || capacity < 2 || n >= BL_MAX_ROUNDS)
            break;
        /* The first launches are mostly overhead, so the estimate is low; where a clock reports too
         * short a time it would be far too high: so grow in steps. */
        const double next = ceil(n * fmin(fmin(wanted, MAX_GROWTH), capacity));
        n = next < BL_MAX_ROUNDS ? (uint32_t)next : BL_MAX_ROUNDS;
    }
    *rounds =
        (struct bl_lengths){n, (uint32_t)(n * times_for(settings, wanted_ns, event_ns, host_ns))};
    return BL_OK;
}

enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error)
{
    if (subject->known.longer == 0)
        return find_lengths(subject, settings, rounds, error);
    *rounds = subject->known;
    struct bl_timing timing;
    const enum bl_status status =
        timed_launch(subject, settings, 0, rounds->shorter, &timing, error);
    return status == BL_OK ? timed_launch(subject, settings, 0, rounds->longer, &timing, error)
                           : status;
}

/* The baseline's or the case's half of a paired sample. */
struct bl_paired_sample {
    const struct bl_subject *subject;
    struct bl_lengths rounds;
    double
        difference_ns[2]; /* longer launch minus shorter: first half of the sample, second half */
    /* Of the shorter and of the longer launch, the one whose two clocks agree best. */
    double host_ns[2], event_ns[2];
    double shortest_ns; /* of the shorter launches, by the host's clock; 0: none yet */
};

/* How slow the device's clock may be against the host's. Timers that drivers got wrong were off by
 * more (12.5 and 19.2 MHz taken for each other); an honest one is within a percent. */
static const double MIN_CLOCK_RATE = 0.75;

struct step {
    struct bl_paired_sample *side;
    bool longer;
};

static enum bl_status add_launch(const struct step *step, unsigned placement, unsigned half,
                                 const struct bl_sampler_settings *settings, struct bl_error *error)
{
    struct bl_timing timing;
    struct bl_paired_sample *side = step->side;
    const bool longer = step->longer;
    const enum bl_status status =
        timed_launch(side->subject, settings, placement,
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

/* Takes one sample at a placement: fills in both sides' differences. As timed_launch. */
static enum bl_status side_sample(struct bl_paired_sample *baseline,
                                  struct bl_paired_sample *subject, unsigned placement,
                                  const struct bl_sampler_settings *settings,
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

/* The caches still hold the data of the last placement; what a launch reads must be there before it
 * is timed. A subject that settles slowly needs the longer launch for that. */
static enum bl_status side_warm_up(const struct bl_paired_sample *baseline,
                                   const struct bl_paired_sample *subject, unsigned placement,
                                   const struct bl_sampler_settings *settings,
                                   struct bl_error *error)
{
    struct bl_timing timing;
    const struct bl_paired_sample *const sides[] = {baseline, subject};
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < 2 && status == BL_OK; i++)
        status = timed_launch(sides[i]->subject, settings, placement,
                              sides[i]->subject->settles_slowly ? sides[i]->rounds.longer
                                                                : sides[i]->rounds.shorter,
                              &timing, error);
    return status;
}

/* Checks that the device's clock is not slower than the host's, by the additional rounds of the
 * longer launch: overhead cancels, and in some of many launches the host was not busy otherwise. A
 * clock that is too fast is found in each launch (clock.h). BL_BAD_CLOCK under 3/4 of the rate. */
static enum bl_status side_check_rate(const struct bl_paired_sample *side, struct bl_error *error)
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

/* A clock that falls by more is not just fluctuating from one moment to the next. */
static const double CLOCK_FALL = 0.03;

static double clock_of(const struct bl_sampler_settings *settings)
{
    return settings->watch_clock && settings->clock_mhz
               ? settings->clock_mhz(settings->clock_context)
               : 0;
}

/* Whether the second half took longer than the first, by more than clocks fluctuate and by more
 * than is usual among this side's samples. */
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

static void keep_sample(struct samples *samples, unsigned placement,
                        const struct bl_paired_sample *baseline,
                        const struct bl_paired_sample *subject,
                        const struct bl_sampler_settings *settings, double before_mhz)
{
    const struct bl_paired_sample *const sides[] = {baseline, subject};
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

/* Whether a third of the samples or more was discarded: too many for chance, and the mean of the
 * rest is too long. */
static bool too_many_are_discarded(const struct samples *samples)
{
    return 3 * samples->discarded >= samples->count + samples->discarded;
}

/* Whether, by these samples, the measurement will be refused in the end. */
static bool is_hopeless(const struct samples *samples, const struct bl_paired_sample *baseline,
                        const struct bl_paired_sample *subject)
{
    return too_many_are_discarded(samples) || side_check_rate(baseline, NULL) != BL_OK ||
           side_check_rate(subject, NULL) != BL_OK;
}

enum { LONGER = 4, MAX_LENGTHENED = 3 }; /* launches */
enum { GIVE_UP_BUDGETS = 4 };            /* budgets */

/* The factor by which this side's launches should grow: LONGER where too many samples were
 * discarded (on a busy processor differences drown in other processes' time slices); up to the
 * wanted length where calibration was misled by a launch that waited for something. */
static double growth_of(const struct bl_paired_sample *side, bool drowns,
                        const struct bl_sampler_settings *settings)
{
    enum { FAR_TOO_SHORT = 2 };
    const double wanted = wanted_launch_ns(side->subject, settings) / side->shortest_ns;
    const double growth = fmax(drowns ? LONGER : 1, wanted > FAR_TOO_SHORT ? wanted : 1);
    const double times = (double)side->rounds.longer / side->rounds.shorter;
    const double longer_ns = drowns ? side->host_ns[1] : times * side->shortest_ns;
    const double capacity =
        fmin(settings->longest_ns / longer_ns, (double)BL_MAX_ROUNDS / side->rounds.shorter);
    return growth > capacity ? 1 : growth;
}

/* Lengthens the launches of both sides where needed; then the samples so far are dropped. */
static bool lengthen(struct samples *samples, struct bl_paired_sample *a,
                     struct bl_paired_sample *b, const struct bl_sampler_settings *settings)
{
    const bool drowns = samples->discarded >= 3 && too_many_are_discarded(samples);
    struct bl_paired_sample *const sides[] = {a, b};
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
        *sides[i] = (struct bl_paired_sample){.subject = sides[i]->subject, .rounds = rounds};
    }
    samples->count = samples->discarded = samples->clock_fell = 0;
    return true;
}

/* The placement of the next sample, after `sample` kept ones: a discarded sample is taken again.
 * Forwards and back again, so that drift is not taken for a difference of placements: one sample at
 * each on the way there and one back, then two each time. */
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
static enum bl_status sample(struct samples *samples, struct bl_paired_sample *a,
                             struct bl_paired_sample *b, const struct bl_sampler_settings *settings,
                             enum bl_decision *decision, struct bl_error *error)
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
        /* Long launches are not worth their time for one more sample that will not count. */
        if (spent_s >= GIVE_UP_BUDGETS * rule.budget_s && is_hopeless(samples, a, b))
            *decision = BL_BUDGET_SPENT;
    }
    return BL_OK;
}

/* Whether the samples, and the clock, can be trusted. */
static enum bl_status check_samples(const struct samples *samples, const struct bl_paired_sample *a,
                                    const struct bl_paired_sample *b, struct bl_error *error)
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
    struct bl_paired_sample a = {.subject = baseline}, b = {.subject = subject};
    enum bl_decision decision;
    /* The subject first, so that a failure is reported of it and not of its baseline. */
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
