/* An array for each work-item, shared by the suites private and spill. The case's n is the number
 * of elements; its variant is how many operations beyond the first two each element gets; it
 * defines one of STATIC, UNIFORM, NONUNIFORM and IN_LOCAL, as kernels/private.cl says. */
#ifndef BANKLINE_RUN_PRIVATE_WORKLOAD_H
#define BANKLINE_RUN_PRIVATE_WORKLOAD_H

#include "run/case.h"

/* Work is counted in elements changed. */
void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload);

#endif
