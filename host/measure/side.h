/* Inside host/measure only: the launches of one sample, of the baseline and of the case. */
#ifndef BANKLINE_MEASURE_SIDE_H
#define BANKLINE_MEASURE_SIDE_H

#include "measure/sampler.h"

/* One side of a sample: time for the rounds that its longer launches have more, in ns. */
struct bl_side {
    const struct bl_subject *subject;
    struct bl_lengths rounds;
    double difference_ns[2]; /* of the sample's first half and of its second */
    /* The shorter and the longer launch of which the two clocks agree best. */
    double host_ns[2], event_ns[2];
    double shortest_ns; /* of the shorter launches, by the host's clock; 0: none yet */
};

/* Takes one sample at a placement: fills in both sides' differences. As bl_timed_launch. */
enum bl_status bl_side_sample(struct bl_side *baseline, struct bl_side *subject, unsigned placement,
                              const struct bl_sampler_settings *settings, struct bl_error *error);

/* What lies in the caches after the last placement is not of this one; what a launch reads must be
 * there before it is timed: of a side that settles slowly, what the longer one does. */
enum bl_status bl_side_warm_up(const struct bl_side *baseline, const struct bl_side *subject,
                               unsigned placement, const struct bl_sampler_settings *settings,
                               struct bl_error *error);

/* The device's clock does not run slower than the host's: what more rounds took, by both.
 * Overhead is in neither; and of many launches there are some in which the host had nothing else to
 * do. That it runs faster, each launch would tell (clock.h). BL_BAD_CLOCK under 3/4 of the rate. */
enum bl_status bl_side_check_rate(const struct bl_side *side, struct bl_error *error);

#endif
