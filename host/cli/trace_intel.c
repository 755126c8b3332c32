#include "cli/trace_intel.h"

#include <stdio.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/output.h"
#include "trace/intel.h"

enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error)
{
    if (!intel->device)
        return BL_OK;
    const enum bl_status status = bl_intel_check(intel->device, error);
    intel->is_left_out = status == BL_FILE_FAILED;
    if (!intel->is_left_out)
        return status;
    fprintf(stderr, "note: Intel's compiler is left out: %s\n", error->sentence);
    return BL_OK;
}

enum bl_status bl_trace_intel_compile(const struct bl_trace_intel *intel, struct bl_trace *trace,
                                      struct bl_error *error)
{
    if (intel->is_left_out || (!intel->device && strcmp(trace->machine->name, "intel-gen9") != 0))
        return BL_OK;
    struct bl_progress progress = bl_progress_begin(false);
    bl_progress_show(&progress, "compiling for Intel");
    const enum bl_status status = bl_trace_compile_for_intel(
        trace, intel->device ? intel->device : "skl", bl_is_interrupted, error);
    bl_progress_clear(&progress);
    if (intel->device)
        return status;
    if (status != BL_OK && status != BL_NO_DEVICE && status != BL_INTERRUPTED)
        fprintf(stderr, "note: %s\n", error->sentence);
    return BL_OK;
}
