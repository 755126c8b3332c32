/* Computes the pace from the time that has passed (pace.h). The plugin does this before launches
 * and groups, and receives the budget in an environment variable. */
#include "trace/pace.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static uint64_t time_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bl_pace_now_ns(void) { return time_of(CLOCK_MONOTONIC); }

uint64_t bl_pace_computed_ns(void) { return time_of(CLOCK_PROCESS_CPUTIME_ID); }

void bl_budget_describe(const struct bl_budget *budget, char text[BL_PACE_DESCRIPTION])
{
    snprintf(text, BL_PACE_DESCRIPTION, "%" PRIu64 ":%" PRIu64, budget->began_ns,
             budget->length_ns);
}

struct bl_budget bl_budget_of(const char *description)
{
    struct bl_budget budget = {0};
    if (!description ||
        sscanf(description, "%" SCNu64 ":%" SCNu64, &budget.began_ns, &budget.length_ns) != 2)
        budget = (struct bl_budget){0};
    return budget;
}

enum bl_pace bl_pace_at(const struct bl_budget *budget, uint64_t now_ns)
{
    const uint64_t quarter_ns = budget->length_ns / (BL_PACE_FEWER_LAUNCHES + 1);
    if (quarter_ns == 0 || now_ns <= budget->began_ns)
        return BL_PACE_WHOLE;
    const uint64_t quarters = (now_ns - budget->began_ns) / quarter_ns;
    return quarters < BL_PACE_FEWER_LAUNCHES ? (enum bl_pace)quarters : BL_PACE_FEWER_LAUNCHES;
}

uint64_t bl_pace_between(enum bl_pace pace, uint64_t requested, bool wants_all)
{
    enum { FEWER_THAN_ALL = 14 };
    if (pace == BL_PACE_WHOLE)
        return requested;
    if (pace != BL_PACE_FEWER_GROUPS)
        return 0;
    return wants_all ? FEWER_THAN_ALL : requested / 4;
}
