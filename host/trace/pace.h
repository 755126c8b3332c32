/* Reduces tracing as a time budget is used up: first all groups that the user requested are traced,
 * then fewer groups, then fewer launches. Also compiled into the Oclgrind plugin (C++). */
#ifndef BANKLINE_TRACE_PACE_H
#define BANKLINE_TRACE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

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

uint64_t bl_pace_now_ns(void);

/* The CPU time of this process, which does not depend on what else the host does. */
uint64_t bl_pace_computed_ns(void);

/* Convert a budget to the text of an environment variable, and back. NULL or an invalid text means
 * no budget. */
void bl_budget_describe(const struct bl_budget *budget, char text[BL_PACE_DESCRIPTION]);
struct bl_budget bl_budget_of(const char *description);

enum bl_pace bl_pace_at(const struct bl_budget *budget, uint64_t now_ns);

/* How many groups between the first and the last are traced at this pace. requested: the number
 * that the user requested; wants_all: the user requested all groups, and `requested` is ignored. At
 * BL_PACE_WHOLE with wants_all, the result has no meaning. */
uint64_t bl_pace_between(enum bl_pace pace, uint64_t requested, bool wants_all);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
