/* How long the kernels of a trace take on a real device, beside the least that they can. */
#ifndef BANKLINE_CLI_TRACE_TIME_H
#define BANKLINE_CLI_TRACE_TIME_H

#include "trace/trace.h"

/* Runs the program of `words`, ended by NULL, once more, without Oclgrind, on the device that it
 * chooses, and measures what that device's levels do with contiguous accesses; fills in the times
 * and bounds of the trace's kernels. environment is as in struct
 * bl_traced_settings. has_times is false: only the bounds in clocks and bytes. As
 * bl_times_read; BL_USAGE where the layer is missing. */
enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[], bool has_times,
                             char *const environment[], struct bl_error *error);

#endif
