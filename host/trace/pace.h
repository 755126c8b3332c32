/* Reduces tracing as a time budget is used up: first all groups that the user requested are traced,
 * then fewer groups, then fewer launches. The Oclgrind plugin (C++) does this before launches and
 * groups, and receives the budget in an environment variable. */
#ifndef BANKLINE_TRACE_PACE_H
#define BANKLINE_TRACE_PACE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* The pace in each quarter of the budget. */
enum bl_pace {
    BL_PACE_WHOLE,
    BL_PACE_FEWER_GROUPS, /* between the first and the last group, a quarter of the requested number
                             of groups; 14 groups if all were requested */
    BL_PACE_ENDS,         /* only the first and the last group */
    BL_PACE_FEWER_LAUNCHES /* only the first and the last group run, and they are traced only in the
                              kernel's first launch */
};

enum { BL_PACE_DESCRIPTION = 48 };

struct bl_budget {
    uint64_t began_ns,
        length_ns; /* began_ns: by CLOCK_MONOTONIC; length_ns: 0 if there is no budget */
};

static inline uint64_t bl_pace_time_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t bl_pace_now_ns(void) { return bl_pace_time_of(CLOCK_MONOTONIC); }

/* Converts a budget to the text of an environment variable. */
static inline void bl_budget_describe(const struct bl_budget *budget,
                                      char text[BL_PACE_DESCRIPTION])
{
    snprintf(text, BL_PACE_DESCRIPTION, "%" PRIu64 ":%" PRIu64, budget->began_ns,
             budget->length_ns);
}

/* The budget that a text describes. NULL or an invalid text means no budget. */
static inline struct bl_budget bl_budget_of(const char *description)
{
    const struct bl_budget none = {0, 0};
    struct bl_budget budget = none;
    const bool is_valid = description && sscanf(description, "%" SCNu64 ":%" SCNu64,
                                                &budget.began_ns, &budget.length_ns) == 2;
    return is_valid ? budget : none;
}

static inline enum bl_pace bl_pace_at(const struct bl_budget *budget, uint64_t now_ns)
{
    const uint64_t quarter_ns = budget->length_ns / (BL_PACE_FEWER_LAUNCHES + 1);
    if (quarter_ns == 0 || now_ns <= budget->began_ns)
        return BL_PACE_WHOLE;
    const uint64_t quarters = (now_ns - budget->began_ns) / quarter_ns;
    return quarters < BL_PACE_FEWER_LAUNCHES ? (enum bl_pace)quarters : BL_PACE_FEWER_LAUNCHES;
}

/* How many groups between the first and the last are traced at this pace. requested: the number
 * that the user requested; wants_all: the user requested all groups, and `requested` is ignored. At
 * BL_PACE_WHOLE with wants_all, the result has no meaning. */
static inline uint64_t bl_pace_between(enum bl_pace pace, uint64_t requested, bool wants_all)
{
    enum { FEWER_THAN_ALL = 14 };
    if (pace == BL_PACE_WHOLE)
        return requested;
    if (pace != BL_PACE_FEWER_GROUPS)
        return 0;
    return wants_all ? (uint64_t)FEWER_THAN_ALL : requested / 4;
}

#endif
