/* The clock, calibration and sampling. sampler.h explains why a sample is the difference of two
 * launches in mirrored order. Samples are taken at one placement after another, so that slow drift
 * of the device's clock affects all placements alike. */
#include "measure/sampler.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s)
{
    if (samples >= rule->min_samples && noise <= rule->precision)
        return BL_SETTLED;
    /* When 1.5 * min_samples samples were taken but fewer than min_samples were kept, more than a
     * third were discarded. Getting min_samples could then take far longer than the budget. */
    const bool is_enough = samples >= rule->min_samples || taken >= (rule->min_samples * 3 + 1) / 2;
    return taken >= rule->max_samples || (spent_s >= rule->budget_s && is_enough) ? BL_BUDGET_SPENT
                                                                                  : BL_SAMPLE_MORE;
}

double bl_launch_length_ns(double resolution_ns, double min_ns)
{
    return fmax(min_ns, 1050 * resolution_ns / (BL_TIMES - 1));
}

/* A launch's time by the device's clock and by the host's. */
struct times {
    double event_ns, host_ns;
};

/* State of the baseline or of the case during a measurement. */
struct side {
    const struct bl_subject *subject;
    const struct bl_sampler_settings *settings;
    struct bl_error *error;
    struct bl_lengths rounds;
    double difference_ns[2]; /* time of the longer launches minus time of the shorter launches, for
                                each half of the sample */
    struct times best[2];    /* the times of that shorter ([0]) and that longer ([1]) launch for
                                which the clocks of device and host agree best; 0 before the first
                                launch */
    double shortest_ns;      /* shortest time of a shorter launch by the host's clock; 0 before the
                                first launch */
};

/* The target time of this side's shorter launch. */
static double wanted_launch_ns(const struct side *side)
{
    const double times = side->subject->settles_slowly ? BL_TIMES : 1;
    return fmin(times * side->settings->launch_ns, side->settings->longest_ns / 2);
}

/* Runs one launch and checks its timing. Fails with BL_BAD_CLOCK if the timing cannot be trusted,
 * or with the status of a launch that fails. */
static enum bl_status timed_launch(const struct side *side, unsigned placement, uint32_t rounds,
                                   struct times *times)
{
    const struct bl_subject *subject = side->subject;
    struct bl_timing timing;
    enum bl_status status =
        subject->launch(subject->context, placement, rounds, &timing, side->error);
    if (status == BL_OK)
        status = bl_timing_check(&timing, side->settings->resolution_ns, side->error);
    if (status == BL_OK)
        *times = (struct times){(double)(timing.end_ns - timing.start_ns), (double)timing.host_ns};
    return status;
}

enum { LAUNCHES_OF_A_STEP = 3, MAX_GROWTH = 64 };

/* Runs up to LAUNCHES_OF_A_STEP launches and finds the shortest time. A single launch may have
 * waited for another process's time slice, so that it seems long enough when it is not. A launch
 * that takes more than half the time limit is not repeated. */
static enum bl_status shortest_launch(const struct side *side, uint32_t rounds,
                                      struct times *shortest)
{
    enum bl_status status = timed_launch(side, 0, rounds, shortest);
    struct times times = {0, 0};
    for (int i = 1; i < LAUNCHES_OF_A_STEP && status == BL_OK &&
                    shortest->host_ns <= side->settings->longest_ns / 2;
         i++) {
        status = timed_launch(side, 0, rounds, &times);
        shortest->event_ns = fmin(shortest->event_ns, times.event_ns);
        shortest->host_ns = fmin(shortest->host_ns, times.host_ns);
    }
    return status;
}

/* Finds the rounds of the shorter and the longer launch: lengthens the shorter until it takes the
 * target time or reaches a limit. */
static enum bl_status find_lengths(struct side *side)
{
    const double longest_ns = side->settings->longest_ns, wanted_ns = wanted_launch_ns(side);
    struct times times;
    /* The time of the first launch is ignored: some drivers finish building a kernel when it is
     * first launched. */
    enum bl_status status = timed_launch(side, 0, 1, &times);
    uint32_t n = 1;
    while (status == BL_OK) {
        status = shortest_launch(side, n, &times);
        if (status != BL_OK)
            break;
        const double wanted = wanted_ns / times.event_ns;
        /* The host's clock limits the growth, too: if the device's clock nearly stands still,
         * launches must not become longer and longer. */
        const double headroom = longest_ns / 2 / times.host_ns;
        if (wanted < 1.1 || headroom < 2 || n >= BL_MAX_ROUNDS) {
            const double enough = fmin(BL_TIMES, BL_TIMES * wanted);
            const double factor = fmax(2, fmin(enough, longest_ns / times.host_ns));
            side->rounds = (struct bl_lengths){n, (uint32_t)(n * factor)};
            break;
        }
        /* Grow in steps, because estimates from short launches are poor: overhead makes the
         * estimate too low, and a clock that reports too short a time makes it far too high. */
        const double next = ceil(n * fmin(fmin(wanted, MAX_GROWTH), headroom));
        n = next < BL_MAX_ROUNDS ? (uint32_t)next : BL_MAX_ROUNDS;
    }
    return status;
}

static enum bl_status calibrate(struct side *side)
{
    struct times times;
    side->rounds = side->subject->known;
    if (side->rounds.longer == 0)
        return find_lengths(side);
    const enum bl_status status = timed_launch(side, 0, side->rounds.shorter, &times);
    return status == BL_OK ? timed_launch(side, 0, side->rounds.longer, &times) : status;
}

enum bl_status bl_calibrate(const struct bl_subject *subject,
                            const struct bl_sampler_settings *settings, struct bl_lengths *rounds,
                            struct bl_error *error)
{
    struct side side = {subject, settings, error, .shortest_ns = 0};
    const enum bl_status status = calibrate(&side);
    *rounds = side.rounds;
    return status;
}

static enum bl_status add_launch(struct side *side, bool longer, unsigned placement, unsigned half)
{
    struct times times, *best = &side->best[longer];
    const enum bl_status status =
        timed_launch(side, placement, longer ? side->rounds.longer : side->rounds.shorter, &times);
    if (status != BL_OK)
        return status;
    if (best->host_ns <= 0 || times.event_ns / times.host_ns > best->event_ns / best->host_ns)
        *best = times;
    if (!longer && (side->shortest_ns <= 0 || times.host_ns < side->shortest_ns))
        side->shortest_ns = times.host_ns;
    side->difference_ns[half] += longer ? times.event_ns : -times.event_ns;
    return BL_OK;
}

/* Takes one sample at a placement and fills in both sides' differences. Fails like timed_launch. */
static enum bl_status take_sample(struct side sides[2], unsigned placement)
{
    enum bl_status status = BL_OK;
    for (unsigned half = 0; half < 2; half++)
        sides[0].difference_ns[half] = sides[1].difference_ns[half] = 0;
    for (unsigned i = 0; i < 8 && status == BL_OK; i++) {
        const unsigned step = i < 4 ? i : 7 - i; /* 0 1 2 3 3 2 1 0 */
        status = add_launch(&sides[step / 2], step % 2, placement, i / 4);
    }
    return status;
}

/* After a change of placement, runs launches whose times do not count, because the caches still
 * hold the previous placement's arrays. Runs the longer launches if the time of a round settles
 * slowly, else the shorter launches. */
static enum bl_status warm_up(const struct side sides[2], unsigned placement)
{
    struct times times;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < 2 && status == BL_OK; i++)
        status = timed_launch(&sides[i], placement,
                              sides[i].subject->settles_slowly ? sides[i].rounds.longer
                                                               : sides[i].rounds.shorter,
                              &times);
    return status;
}

/* The slowest accepted rate of the device's clock relative to the host's. A correct clock is within
 * 1 %. A driver that assumes the wrong timer frequency, 12.5 MHz instead of 19.2 MHz or the
 * reverse, is off by more than this limit. */
static const double MIN_CLOCK_RATE = 0.75;

/* Checks that the device's clock does not run too slowly. Compares both clocks' measurements of the
 * difference between the longer and the shorter launch, in which launch overhead cancels. Uses the
 * launches during which the host was least disturbed. A clock that is too fast is detected at each
 * launch (bl_timing_check). */
static enum bl_status check_rate(const struct side *side, struct bl_error *error)
{
    const struct times *best = side->best;
    const double host_ns = best[1].host_ns - best[0].host_ns;
    const double event_ns = best[1].event_ns - best[0].event_ns;
    const bool agrees = best[1].event_ns >= best[1].host_ns * MIN_CLOCK_RATE;
    if (agrees || host_ns <= 0 || event_ns >= host_ns * MIN_CLOCK_RATE)
        return BL_OK;
    return bl_fail(
        error, BL_BAD_CLOCK,
        "%" PRIu32
        " more rounds took %.0f ns by the device's clock and %.0f ns by the host's clock",
        side->rounds.longer - side->rounds.shorter, event_ns, host_ns);
}

struct samples {
    struct side sides[2]; /* the baseline, the case */
    struct bl_placed ratio[BL_MAX_SAMPLES];
    struct bl_placed round_ns[2][BL_MAX_SAMPLES];
    size_t count;
    size_t discarded;  /* samples whose difference of launch times was not positive, because noise
                          is as large as a launch */
    size_t clock_fell; /* samples during which the clock fell; they are discarded, too */
};

/* The smallest fall of the clock that counts, as a fraction; normal fluctuations are smaller. */
static const double CLOCK_FALL = 0.03;

static double clock_of(const struct bl_sampler_settings *settings)
{
    return settings->watch_clock && settings->clock_mhz
               ? settings->clock_mhz(settings->clock_context)
               : 0;
}

/* Whether the device's clock fell during the latest sample, which is stored after the kept samples.
 * If the clock cannot be read, the times decide: the clock counts as fallen if both the case and
 * the baseline took longer in the second half than in the first, by more than clocks fluctuate and
 * by more than is usual in the kept samples. */
static bool clock_fell(const struct samples *samples, double before_mhz)
{
    enum { ENOUGH = 5 }; /* min number of samples to know what is usual */
    const struct bl_sampler_settings *settings = samples->sides[0].settings;
    const double after_mhz = clock_of(settings);
    const size_t count = samples->count;
    if (before_mhz > 0 && after_mhz > 0)
        return after_mhz < before_mhz * (1 - CLOCK_FALL);
    bool is_slowed = settings->watch_clock && count >= ENOUGH;
    for (unsigned i = 0; i < 2 && is_slowed; i++) {
        const double change = samples->round_ns[i][count].half_change;
        is_slowed =
            change > CLOCK_FALL / 2 && change > bl_placed_usual_change(samples->round_ns[i], count);
    }
    return is_slowed;
}

static void keep_sample(struct samples *samples, unsigned placement, double before_mhz)
{
    struct bl_placed *placed[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct side *side = &samples->sides[i];
        const double *halves = side->difference_ns, both = halves[0] + halves[1];
        const double more = side->rounds.longer - side->rounds.shorter;
        placed[i] = &samples->round_ns[i][samples->count];
        *placed[i] = (struct bl_placed){both / 2 / more, (halves[1] - halves[0]) / both, placement};
    }
    if (!(placed[0]->value > 0 && placed[1]->value > 0))
        samples->discarded++;
    else if (clock_fell(samples, before_mhz))
        samples->clock_fell++;
    else
        samples->ratio[samples->count++] =
            (struct bl_placed){placed[0]->value / placed[1]->value,
                               placed[0]->half_change - placed[1]->half_change, placement};
}

/* Whether at least a third of the samples had no positive difference, which is more than chance
 * explains. Without these samples, the others would show too long a time. */
static bool too_many_are_discarded(const struct samples *samples)
{
    return 3 * samples->discarded >= samples->count + samples->discarded;
}

/* Whether the samples and the clock can be trusted. */
static enum bl_status check_samples(const struct samples *samples, struct bl_error *error)
{
    if (samples->count == 0 && samples->clock_fell > 0)
        return bl_fail(error, BL_BAD_CLOCK, "the device's clock fell during each of %zu samples",
                       samples->clock_fell);
    if (too_many_are_discarded(samples))
        return bl_fail(
            error, BL_BAD_CLOCK,
            "in %zu of %zu samples the longer launch took no longer than the shorter; the "
            "clock or the kernel cannot be trusted",
            samples->discarded, samples->count + samples->discarded);
    const enum bl_status status = check_rate(&samples->sides[0], error);
    return status == BL_OK ? check_rate(&samples->sides[1], error) : status;
}

/* LONGER: the minimum factor by which launches are lengthened if noise exceeds the differences.
 * MAX_LENGTHENED: how many times launches may be lengthened. GIVE_UP_BUDGETS: sampling gives up
 * after this many times the budget if the samples cannot be trusted. */
enum { LONGER = 4, MAX_LENGTHENED = 3 };
enum { GIVE_UP_BUDGETS = 4 };

/* The factor by which this side's launches should be lengthened; 1 if they are long enough, or if a
 * limit forbids longer launches. drowns: whether too many samples were discarded, because noise,
 * such as other processes' time slices, exceeds the differences; the factor is then at least
 * LONGER. Launches may also be far too short because calibration timed a launch that had to wait;
 * the factor then makes them reach the target time. */
static double growth_of(const struct side *side, bool drowns)
{
    enum { FAR_TOO_SHORT = 2 };
    const double wanted = wanted_launch_ns(side) / side->shortest_ns;
    const double growth = fmax(drowns ? LONGER : 1, wanted > FAR_TOO_SHORT ? wanted : 1);
    const double times = (double)side->rounds.longer / side->rounds.shorter;
    const double longer_ns = drowns ? side->best[1].host_ns : times * side->shortest_ns;
    const double headroom =
        fmin(side->settings->longest_ns / longer_ns, (double)BL_MAX_ROUNDS / side->rounds.shorter);
    return growth > headroom ? 1 : growth;
}

/* Lengthens the launches of each side that needs it. If any were lengthened, drops the samples so
 * far and returns true. */
static bool lengthen(struct samples *samples)
{
    const bool drowns = samples->discarded >= 3 && too_many_are_discarded(samples);
    double growth[2];
    for (unsigned i = 0; i < 2; i++)
        growth[i] = growth_of(&samples->sides[i], drowns);
    /* if noise exceeds the differences, the launches of both sides must be lengthened */
    if (drowns ? growth[0] <= 1 || growth[1] <= 1 : growth[0] <= 1 && growth[1] <= 1)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &samples->sides[i];
        const struct bl_lengths rounds = {(uint32_t)(side->rounds.shorter * growth[i]),
                                          (uint32_t)(side->rounds.longer * growth[i])};
        *side = (struct side){side->subject, side->settings, side->error, .rounds = rounds};
    }
    samples->count = samples->discarded = samples->clock_fell = 0;
    return true;
}

/* The placement of the next sample; `sample` is the number of samples kept so far, so a discarded
 * sample is repeated at the same placement. Placements are visited forwards and then backwards, so
 * that drift does not look like a difference between placements. The first round trip takes one
 * sample per placement and direction; later round trips take two. */
static unsigned placement_of(size_t sample, unsigned placements)
{
    const size_t visit = sample < 2 * placements ? sample : (sample - 2 * placements) / 2;
    const unsigned at = (unsigned)(visit % placements);
    return visit / placements % 2 ? placements - 1 - at : at;
}

/* Takes samples until the stopping rule says to stop. *is_settled receives whether noise is small
 * enough and no placement needs a second sample. */
static enum bl_status sample(struct samples *samples, bool *is_settled)
{
    struct side *sides = samples->sides;
    const struct bl_sampler_settings *settings = sides->settings;
    uint64_t began_ns = bl_host_now_ns();
    unsigned lengthened = 0, last = 0; /* calibration ran at placement 0 */
    struct bl_stopping_rule rule = settings->stopping;
    if (rule.max_samples > BL_MAX_SAMPLES)
        rule.max_samples = BL_MAX_SAMPLES;
    for (;;) {
        const unsigned placement = placement_of(samples->count, settings->placements);
        enum bl_status status = placement == last ? BL_OK : warm_up(sides, placement);
        last = placement;
        const double before_mhz = clock_of(settings);
        if (status == BL_OK)
            status = take_sample(sides, placement);
        if (status != BL_OK)
            return status;
        keep_sample(samples, placement, before_mhz);
        if (lengthened < MAX_LENGTHENED && lengthen(samples)) {
            lengthened++;
            began_ns = bl_host_now_ns();
            continue;
        }
        const size_t count = samples->count;
        const double spent_s = (double)(bl_host_now_ns() - began_ns) * 1e-9;
        const double noise = count ? bl_placed_noise(samples->ratio, count) : (double)INFINITY;
        const enum bl_decision decision = bl_decide(
            &rule, noise, count, count + samples->discarded + samples->clock_fell, spent_s);
        *is_settled = decision == BL_SETTLED && !bl_placed_is_ambiguous(samples->ratio, count);
        /* A case gets no number if its samples cannot be trusted, so do not wait for min_samples
         * forever. */
        if (decision == BL_BUDGET_SPENT || *is_settled ||
            (spent_s >= GIVE_UP_BUDGETS * rule.budget_s && check_samples(samples, NULL) != BL_OK))
            return BL_OK;
    }
}

static enum bl_status conclude(const struct samples *samples, struct bl_measurement *measurement,
                               struct bl_error *error)
{
    const size_t count = samples->count;
    double *ratios = malloc(count * sizeof *ratios);
    if (!ratios)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while allocating the samples");
    unsigned at = 0;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = samples->ratio[i].value;
        at |= 1u << samples->ratio[i].placement;
    }
    const double precision = samples->sides[0].settings->stopping.precision;
    *measurement = (struct bl_measurement){
        .ratios = ratios,
        .ratio = bl_placed_interval(samples->ratio, count),
        .baseline_round_ns = bl_placed_interval(samples->round_ns[0], count),
        .case_round_ns = bl_placed_interval(samples->round_ns[1], count),
        .findings = bl_placed_findings(samples->ratio, count, 2 * precision),
        .samples = count,
        .placements = (unsigned)__builtin_popcount(at),
        .baseline_rounds = samples->sides[0].rounds,
        .clock_fell = samples->clock_fell,
        .settled = measurement->settled,
    };
    bl_placed_medians(samples->ratio, count, measurement->placement_ratios);
    return BL_OK;
}

enum bl_status bl_measure(const struct bl_subject *baseline, const struct bl_subject *subject,
                          const struct bl_sampler_settings *settings,
                          struct bl_measurement *measurement, struct bl_error *error)
{
    struct samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while allocating the samples");
    struct side *sides = samples->sides;
    sides[0] = (struct side){baseline, settings, error, .shortest_ns = 0};
    sides[1] = (struct side){subject, settings, error, .shortest_ns = 0};
    /* The case is calibrated before its baseline, so that a failure is reported for the case. */
    enum bl_status status = calibrate(&sides[1]);
    if (status == BL_OK)
        status = calibrate(&sides[0]);
    if (status == BL_OK)
        status = sample(samples, &measurement->settled);
    if (status == BL_OK)
        status = check_samples(samples, error);
    if (status == BL_OK)
        status = conclude(samples, measurement, error);
    free(samples);
    return status;
}

/* The host's clock. Devices' clocks are checked against it, so it is a clock that no time service
 * adjusts. */

uint64_t bl_host_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bl_time_utc(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

enum bl_status bl_timing_check(const struct bl_timing *timing, double resolution_ns,
                               struct bl_error *error)
{
    if (timing->end_ns == timing->start_ns)
        return bl_fail(error, BL_BAD_CLOCK,
                       "an event starts and ends at the same time (%" PRIu64
                       " ns): the device's clock stands still or nothing was executed",
                       timing->start_ns);
    if (timing->end_ns < timing->start_ns)
        return bl_fail(error, BL_BAD_CLOCK,
                       "an event ends %" PRIu64 " ns before it starts: the device's clock runs "
                       "backwards",
                       timing->start_ns - timing->end_ns);
    const double event_ns = (double)(timing->end_ns - timing->start_ns);
    const double host_ns = (double)timing->host_ns;
    if (event_ns > host_ns * 1.001 + resolution_ns)
        return bl_fail(error, BL_BAD_CLOCK,
                       "an event took %.0f ns by the device's clock and only %.0f ns by the "
                       "host's",
                       event_ns, host_ns);
    return BL_OK;
}
