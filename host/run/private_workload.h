/* An array for each work-item, shared by the suites private and spill. The case's n is the number
 * of elements; its variant is BL_PRIVATE(kind, operations beyond the first two on each element). */
#ifndef BANKLINE_RUN_PRIVATE_WORKLOAD_H
#define BANKLINE_RUN_PRIVATE_WORKLOAD_H

#include "run/case.h"

enum bl_private_kind {
    BL_PRIVATE_STATIC,     /* indices known to the compiler */
    BL_PRIVATE_UNIFORM,    /* known at run time, the same in all work-items */
    BL_PRIVATE_NONUNIFORM, /* another in each work-item */
    BL_PRIVATE_IN_LOCAL    /* as before, in local memory with a bank for each work-item */
};

#define BL_PRIVATE(kind, math) ((unsigned)(kind) | (unsigned)(math) << 8)
#define BL_PRIVATE_KIND(variant) ((variant)&0xffu)
#define BL_PRIVATE_MATH(variant) ((variant) >> 8)

/* Work is counted in elements changed. */
void bl_lay_out_private(const struct bl_case *test_case, const struct bl_setting *setting,
                        struct bl_workload *workload);

#endif
