/* The host's clock. It must be one that no time service adjusts, because devices' clocks are
 * checked against it. */
#include "measure/clock.h"

#include <inttypes.h>
#include <time.h>

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
