/* An array for each work-item, shared by the suites private and spill. The case's n is the number
 * of elements; its variant is how many operations beyond the first two each element gets; it
 * defines one of STATIC, UNIFORM, NONUNIFORM, UNIQUE=u and IN_LOCAL, as kernels/private.cl says;
 * its type, unsigned and of 8 to 32 bits, is that of the elements, NULL: uint. */
#ifndef BANKLINE_RUN_PRIVATE_WORKLOAD_H
#define BANKLINE_RUN_PRIVATE_WORKLOAD_H

#include "run/case.h"

/* Work is counted in elements changed, or in their bytes where the case has a type. */
void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload);

#endif
