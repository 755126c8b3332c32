#include "measure/side.h"

#include <inttypes.h>

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

enum bl_status bl_side_sample(struct bl_side *baseline, struct bl_side *subject, unsigned placement,
                              const struct bl_sampler_settings *settings, struct bl_error *error)
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

enum bl_status bl_side_warm_up(const struct bl_side *baseline, const struct bl_side *subject,
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

enum bl_status bl_side_check_rate(const struct bl_side *side, struct bl_error *error)
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
