/* How long the kernels of a trace take on a real device, beside the least that they can. */
#ifndef BANKLINE_CLI_TRACE_TIME_H
#define BANKLINE_CLI_TRACE_TIME_H

#include "trace/trace.h"

/* Runs the program of `words`, ended by NULL, once more, without Oclgrind, on the device that it
 * chooses; fills in the times of the trace's kernels and, where the trace's machine describes that
 * device, their bounds (bl_trace_bound comes first), for which it measures what the device's levels
 * do with contiguous accesses. environment is as in struct bl_traced_settings. As bl_times_read;
 * BL_USAGE where the layer is missing. */
enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[],
                             char *const environment[], struct bl_error *error);

#endif
