/* Adds to a trace the results of devices and their compilers: measurements on a device, compared
 * with predictions by the trace's machine, and the results of Intel's offline compiler. */
#ifndef BANKLINE_CLI_TRACE_DEVICE_H
#define BANKLINE_CLI_TRACE_DEVICE_H

#include "base/status.h"
#include "trace/trace.h"

/* Checks that --device names a device. Called before the program runs, because a run may take a
 * minute. Fails as bl_devices_choose does. */
enum bl_status bl_trace_device_check(const char *selector, struct bl_error *error);

/* Finds the first GPU whose machine has a rule, and returns that machine; nvidia-hopper if there is
 * no such GPU. */
enum bl_status bl_trace_default_machine(const struct bl_machine **machine, struct bl_error *error);

/* Measures the worst rows on the device that the selector names (NULL for the default device).
 * Fails as bl_run_open and bl_trace_replay do. */
enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error);

/* Compares the measured times of kernels with the minimum times by the model's rules, if the
 * trace's machine describes the device on which the kernels ran. */
enum bl_status bl_trace_bound_on_device(struct bl_trace *trace, struct bl_error *error);

/* Intel's offline compiler as a part of a trace: when it is used, and how its failures are
 * handled. */

struct bl_trace_intel {
    const char *device; /* the device of --ocloc. If the option is not given: Gen9, if the compiler
                           is installed and the machine is Intel's; else NULL */
    bool is_left_out;   /* whether the compiler cannot run; a note has reported this */
};

/* Tries the compiler. Called before the traced program runs, because a run may take a minute. Fails
 * with BL_NO_DEVICE or BL_BUILD_FAILED if the compiler cannot compile for the requested device. If
 * there is no folder for temporary files, BL_OK is returned, and the trace lacks the compiler's
 * results. */
enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error);

/* Compiles the kernels of the trace. A failure is an error only if a device was requested. */
enum bl_status bl_trace_intel_compile(const struct bl_trace_intel *intel, struct bl_trace *trace,
                                      struct bl_error *error);

#endif
