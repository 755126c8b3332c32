/* Adds to a trace the results of devices and their compilers: measurements on a device, compared
 * with predictions by the trace's machine, and the results of Intel's offline compiler. */
#ifndef BANKLINE_CLI_TRACE_DEVICE_H
#define BANKLINE_CLI_TRACE_DEVICE_H

#include "base/status.h"
#include "trace/trace.h"

/* Checks that --device names a device; called before the program runs, because that may take a
 * minute. Fails as bl_devices_choose does. */
enum bl_status bl_trace_device_check(const char *selector, struct bl_error *error);

/* Finds the machine of the first GPU whose machine has a rule; nvidia-hopper if there is none. */
enum bl_status bl_trace_default_machine(const struct bl_machine **machine, struct bl_error *error);

/* Measures the worst rows on the device of this selector (NULL: the default device). Fails as
 * bl_run_open and bl_trace_replay do. */
enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error);

/* Compares the kernels' times with their minimum by the model, for the device that they ran on, if
 * the machine describes it. */
enum bl_status bl_trace_bound_on_device(struct bl_trace *trace, struct bl_error *error);

/* Intel's offline compiler as a part of a trace: when it is used, and how its failures are treated.
 */

struct bl_trace_intel {
    const char *device; /* device given to --ocloc; NULL: Gen9, if the compiler is installed and the
                           machine is Intel's */
    bool is_left_out;   /* the compiler cannot run, and a note has said so */
};

/* Tries the compiler; called before the traced program runs, because that may take a minute.
 * Fails with BL_NO_DEVICE or BL_BUILD_FAILED if the compiler cannot compile for the requested
 * device. If there is no folder for temporary files, the trace lacks only the compiler's results.
 */
enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error);

/* Compiles the kernels of the trace. A failure is an error only if a device was requested. */
enum bl_status bl_trace_intel_compile(const struct bl_trace_intel *intel, struct bl_trace *trace,
                                      struct bl_error *error);

#endif
