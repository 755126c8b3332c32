/* Measuring on a device, compared with predictions by the trace's machine. */
#ifndef BANKLINE_CLI_TRACE_DEVICE_H
#define BANKLINE_CLI_TRACE_DEVICE_H

#include "base/status.h"
#include "trace/trace.h"

/* Whether --device names a device, before the program runs for a minute. Errors as of
 * bl_devices_choose. */
enum bl_status bl_trace_device_check(const char *selector, struct bl_error *error);

/* The machine of the first GPU that has a rule; nvidia-hopper's if there is none. */
enum bl_status bl_trace_default_machine(const struct bl_machine **machine, struct bl_error *error);

/* Measures the worst rows on the device of this selector (NULL: the default one). Errors: those of
 * bl_run_open and bl_trace_replay. */
enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error);

/* Compares the kernels' times with the minimum by the model on the device that they ran on, if
 * the machine describes it. */
enum bl_status bl_trace_bound_on_device(struct bl_trace *trace, struct bl_error *error);

#endif
