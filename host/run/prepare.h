/* What a plan needs before its cases are measured: arrays, and kernels in time. */
#ifndef BANKLINE_RUN_PREPARE_H
#define BANKLINE_RUN_PREPARE_H

#include "run/measure_case.h"

/* Of each case, where memory allows them: enough for an interval of Student's that is not wide for
 * want of placements. */
enum { BL_PLACEMENTS = 6, BL_QUICK_PLACEMENTS = 5 };

/* Gives the workloads of these items, of one suite, arrays at several placements
 * (bl_session_place), as large as the largest needs; items that are not BL_ROW_OK need none. */
enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error);

/* Lets the session build what the items need while others are measured, on a GPU: on a CPU the two
 * would be in each other's way. The items must live as long as the session. */
void bl_build_ahead(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count);

#endif
