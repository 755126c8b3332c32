/* The host's clock, and a check of the device's clock against it. */
#ifndef BANKLINE_MEASURE_CLOCK_H
#define BANKLINE_MEASURE_CLOCK_H

#include <stdint.h>

#include "base/status.h"

/* The times of one launch by the device's clock and by the host's, in nanoseconds. */
struct bl_timing {
    uint64_t start_ns, end_ns; /* CL_PROFILING_COMMAND_START and _END, the device's clock */
    uint64_t host_ns;          /* from before the enqueue to after the wait */
};

/* The host's time in ns (CLOCK_MONOTONIC_RAW: never adjusted, arbitrary origin). */
uint64_t bl_host_now_ns(void);

/* Writes the current date and time as 2026-11-22T17:34:36Z. */
void bl_time_utc(char text[32]);

/* BL_BAD_CLOCK when the event took no time, ended before it started, or took longer than by the
 * host's clock. One tick of the timer (resolution_ns) and 0.1 % are tolerated, because two clocks
 * never agree exactly. */
enum bl_status bl_timing_check(const struct bl_timing *timing, double resolution_ns,
                               struct bl_error *error);

#endif
