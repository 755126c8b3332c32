/* How long the kernels of a trace take on a real device: the program runs once more, without
 * Oclgrind, under a layer of the OpenCL loader (times_layer.c) that tells what events say. */
#ifndef BANKLINE_TRACE_TIMES_H
#define BANKLINE_TRACE_TIMES_H

#define BL_TIMES_DESCRIPTOR "BANKLINE_TIMES_FD"

#include "trace/trace.h"

/* Reads the layer's lines until the descriptor ends, and adds up the launches of each of the
 * trace's kernels, by name; others are only counted. is_interrupted may be NULL.
 * BL_OPENCL_FAILED where no layer was loaded, or no launch was told; BL_BAD_FORMAT; BL_FILE_FAILED;
 * BL_NO_MEMORY; BL_INTERRUPTED. */
enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error);

#endif
