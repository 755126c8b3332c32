/* The host's clock, and whether the device's can be trusted. */
#ifndef BANKLINE_MEASURE_CLOCK_H
#define BANKLINE_MEASURE_CLOCK_H

#include <stdint.h>

#include "base/status.h"

/* One launch as the device's event and as the host saw it, all in nanoseconds. */
struct bl_timing {
    uint64_t start_ns, end_ns; /* CL_PROFILING_COMMAND_START and _END, the device's clock */
    uint64_t host_ns;          /* from before the enqueue to after the wait */
};

/* CLOCK_MONOTONIC_RAW: no slewing, arbitrary origin. */
uint64_t bl_host_now_ns(void);

/* The time of day, as 2026-11-22T17:34:36Z. */
void bl_time_utc(char text[32]);

/* BL_BAD_CLOCK when the event took no time, ended before it started, or took longer than the host
 * saw (beyond one tick of resolution_ns and 0.1 %, the drift allowed between two clocks). */
enum bl_status bl_timing_check(const struct bl_timing *timing, double resolution_ns,
                               struct bl_error *error);

#endif
