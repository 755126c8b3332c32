/* Intel's offline compiler as a part of a trace: when it is used, and what becomes of its failures.
 */
#ifndef BANKLINE_CLI_TRACE_INTEL_H
#define BANKLINE_CLI_TRACE_INTEL_H

#include "trace/trace.h"

struct bl_trace_intel {
    const char *device; /* of --ocloc; NULL: Gen9, where there is a compiler, for Intel's machine */
    bool is_left_out;   /* the compiler cannot run, and a note has said so */
};

/* Tries the compiler before the traced program runs for a minute. BL_NO_DEVICE or BL_BUILD_FAILED
 * if the requested device cannot be compiled for. Without a folder for temporary files the trace
 * lacks the compiler's results alone. */
enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error);

/* Compiles the kernels of the trace. A failure is an error only if a device was requested. */
enum bl_status bl_trace_intel_compile(const struct bl_trace_intel *intel, struct bl_trace *trace,
                                      struct bl_error *error);

#endif
