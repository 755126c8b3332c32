/* Compiles traced kernels with Intel's offline compiler, ocloc, and counts their instructions and
 * their messages to memory. These counts may differ from the traced accesses, because Oclgrind uses
 * another compiler. */
#ifndef BANKLINE_TRACE_INTEL_H
#define BANKLINE_TRACE_INTEL_H

#include "trace/trace.h"

/* Compiles every program of a trace for a device that ocloc knows, such as skl or dg2, and fills in
 * the counts of the trace's kernels. Fails with BL_NO_DEVICE if ocloc or the library that
 * disassembles its output is missing (packages intel-ocloc and libigc2; on Debian 12
 * intel-opencl-icd and libigc1), BL_BUILD_FAILED (with ocloc's output in the error's log if it
 * cannot compile a program), BL_FILE_FAILED, BL_NO_MEMORY or BL_INTERRUPTED. is_interrupted may be
 * NULL; if not, it is called with a NULL context. */
enum bl_status bl_trace_compile_for_intel(struct bl_trace *trace, const char *device,
                                          bool (*is_interrupted)(void *context),
                                          struct bl_error *error);

/* Compiles an empty kernel to check that ocloc works and knows the device. Fails like
 * bl_trace_compile_for_intel. */
enum bl_status bl_intel_check(const char *device, struct bl_error *error);

/* Adds the instructions and messages in a disassembly by ocloc to intel->instructions and
 * intel->messages. */
void bl_intel_count(const char *assembly, struct bl_intel *intel);

#endif
