/* How long the kernels of a trace take on a real device, beside the least that they can: the
 * program runs once more, without Oclgrind, under a layer of the OpenCL loader (times_layer.c) that
 * reports what events say; and the device's levels are measured, for the bounds. */
#ifndef BANKLINE_TRACE_TIMES_H
#define BANKLINE_TRACE_TIMES_H

#include "trace/trace.h"

struct bl_bench;

/* Runs the program of `words`, ended by NULL, on the device that it chooses, and adds up the times
 * of the trace's kernels. environment is as in struct bl_traced_settings; is_interrupted may be
 * NULL. `note` is a sentence where the program did not end well, or empty. As bl_traced_start and
 * bl_times_read; BL_USAGE where the layer is missing. */
enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[],
                             char *const environment[], bool (*is_interrupted)(void *context),
                             char note[128], struct bl_error *error);

/* Reads the layer's lines until the descriptor ends, and adds up the launches of each of the
 * trace's kernels, by name; others are only counted. is_interrupted may be NULL.
 * BL_OPENCL_FAILED where no layer was loaded, or no launch was reported; BL_BAD_FORMAT;
 * BL_FILE_FAILED; BL_NO_MEMORY; BL_INTERRUPTED. */
enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error);

struct bl_delivery bl_delivery_unknown(void);

/* What contiguous accesses of ints get from each level of the bench's machine on its device; writes
 * only where the clock is known from reads. What bl_level_calibrate returns: delivery has what was
 * measured before. */
enum bl_status bl_delivery_measure(struct bl_bench *bench, struct bl_delivery *delivery,
                                   struct bl_error *error);

#endif
