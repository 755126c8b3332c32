/* Inside the library that tells times: its layer, for the part of it that is preloaded. */
#ifndef BANKLINE_TRACE_TIMES_LAYER_H
#define BANKLINE_TRACE_TIMES_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdbool.h>

/* Whether the OpenCL loader has taken this as a layer. */
bool bl_times_is_layer(void);

/* Puts the functions that tell times into a table; those that are not in it stay away. */
void bl_times_fill(struct _cl_icd_dispatch *dispatch);

/* What those functions stand before, which must stay. false: nobody listens. */
bool bl_times_stand_before(const struct _cl_icd_dispatch *target);

#endif
