/* How much of a program is traced as a budget of time is used up: first all that was asked for,
 * then fewer groups, then fewer launches. Compiled into the plugin of Oclgrind too (C++). */
#ifndef BANKLINE_TRACE_PACE_H
#define BANKLINE_TRACE_PACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* One for each quarter of the budget. */
enum bl_pace {
    BL_PACE_WHOLE,
    BL_PACE_FEWER_GROUPS,  /* a quarter of those between the first and the last */
    BL_PACE_ENDS,          /* the first and the last group alone */
    BL_PACE_FEWER_LAUNCHES /* these, which alone are run, and only of kernels of which no launch was
                              traced */
};

enum { BL_PACE_DESCRIPTION = 48 };

struct bl_budget {
    uint64_t began_ns, length_ns; /* of CLOCK_MONOTONIC; length 0: there is no budget */
};

uint64_t bl_pace_now_ns(void);

/* For a variable of the environment, and back; NULL, and what is none, is no budget. */
void bl_budget_describe(const struct bl_budget *budget, char text[BL_PACE_DESCRIPTION]);
struct bl_budget bl_budget_of(const char *description);

enum bl_pace bl_pace_at(const struct bl_budget *budget, uint64_t now_ns);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
