/* What Intel's offline compiler, ocloc, makes of traced kernels: how many instructions, and how
 * many of them send to memory, may differ from what Oclgrind's compiler left to trace. */
#ifndef BANKLINE_TRACE_INTEL_H
#define BANKLINE_TRACE_INTEL_H

#include "trace/trace.h"

/* Compiles every program of a trace for the device, a name that ocloc knows as skl or dg2, and
 * fills in its kernels' counts. BL_NO_DEVICE where there is no ocloc or no library to disassemble
 * with (packages intel-ocloc and libigc2; of Debian 12 intel-opencl-icd and libigc1),
 * BL_BUILD_FAILED with ocloc's words in the error's log, BL_FILE_FAILED, BL_NO_MEMORY,
 * BL_INTERRUPTED. is_interrupted is called with NULL, and may be NULL. */
enum bl_status bl_trace_compile_for_intel(struct bl_trace *trace, const char *device,
                                          bool (*is_interrupted)(void *context),
                                          struct bl_error *error);

/* As the above, for an empty kernel: whether the device is one that ocloc knows. */
enum bl_status bl_intel_check(const char *device, struct bl_error *error);

/* Counts an assembly's instructions, as ocloc writes it, into `intel`. */
void bl_intel_count(const char *assembly, struct bl_intel *intel);

#endif
