/* Chooses the default machine of a trace, and adds measurements on a device and the results of
 * Intel's offline compiler to the trace. Measurements are compared with predictions by the trace's
 * machine. */
#ifndef BANKLINE_CLI_TRACE_DEVICE_H
#define BANKLINE_CLI_TRACE_DEVICE_H

#include "base/status.h"
#include "trace/trace.h"

/* Checks that --device names a device. Called before the traced program runs, because tracing may
 * take minutes. Fails as bl_devices_choose does. */
enum bl_status bl_trace_device_check(const char *selector, struct bl_error *error);

/* Finds the first GPU whose machine has a rule, and returns that machine; nvidia-hopper if there is
 * no such GPU. */
enum bl_status bl_trace_default_machine(const struct bl_machine **machine, struct bl_error *error);

/* Measures the worst rows on the device that the selector `device` names (NULL: the default
 * device). Fails as bl_run_open and bl_trace_replay do. */
enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error);

/* Adds the minimum time of each kernel by the model, to compare with its measured time, if the
 * trace's machine describes the device on which the kernels ran. Fails only with BL_INTERRUPTED, or
 * if the devices cannot be listed. */
enum bl_status bl_trace_bound_on_device(struct bl_trace *trace, struct bl_error *error);

/* Intel's offline compiler as a part of a trace: when it is used, and how its failures are
 * handled. */

struct bl_trace_intel {
    /* The device of --ocloc, or NULL. If NULL, kernels are compiled for skl (Gen9) if the machine
     * is intel-gen9 and the compiler is installed. */
    const char *device;
    bool is_left_out; /* whether the compiler cannot run; a note has said so */
};

/* If --ocloc names a device, checks that the compiler can compile for it. Called before the traced
 * program runs, because tracing may take minutes. Fails with BL_NO_DEVICE or BL_BUILD_FAILED if the
 * compiler cannot do so. If there is no folder for temporary files, BL_OK is returned, and the
 * trace lacks the compiler's results. */
enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error);

/* Compiles the kernels of the trace. Fails only if --ocloc names a device; otherwise a failure is
 * at most a note. */
enum bl_status bl_trace_intel_compile(const struct bl_trace_intel *intel, struct bl_trace *trace,
                                      struct bl_error *error);

#endif
