/* Chooses the default machine of a trace, and measures the trace's lines and kernels on a real
 * device. Each measurement is a separate run (run/run.h) with its own settings. */
#include "cli/trace_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "trace/intel.h"
#include "trace/replay.h"
#include "trace/times.h"

enum bl_status bl_trace_device_check(const char *selector, struct bl_error *error)
{
    struct bl_device *devices;
    const struct bl_device *chosen;
    size_t count;
    const enum bl_status status = bl_devices_choose(selector, &devices, &count, &chosen, error);
    free(devices);
    return status;
}

enum bl_status bl_trace_default_machine(const struct bl_machine **machine, struct bl_error *error)
{
    struct bl_device *devices;
    size_t count;
    *machine = NULL;
    if (bl_devices_list(&devices, &count, NULL) == BL_OK) {
        for (size_t i = 0; i < count && !*machine; i++)
            if (devices[i].type == BL_DEVICE_GPU && bl_device_machine(&devices[i])->has_rule)
                *machine = bl_device_machine(&devices[i]);
        free(devices);
    }
    return *machine ? BL_OK : bl_machine_find("nvidia-hopper", machine, error);
}

/* Opens a run on the device, with the trace's machine. The caller ends the run by bl_end_run, even
 * after a failure. */
static enum bl_status open_device(const struct bl_trace *trace, const char *device,
                                  struct bl_progress *progress, struct bl_run *run,
                                  struct bl_error *error)
{
    const struct bl_run_settings settings = {.device = device,
                                             .tolerance = 0.05,
                                             .interrupted = bl_interrupt(),
                                             .building = bl_progress_make_way,
                                             .context = progress};
    const enum bl_status status = bl_run_open(&settings, run, error);
    if (status == BL_OK)
        run->bench.machine = trace->machine;
    return status;
}

struct replaying {
    struct bl_run run;
    struct bl_progress progress;
};

static void show_row(void *context, const char *name)
{
    struct replaying *replaying = context;
    bl_progress_show(&replaying->progress, "replaying %.60s on %.60s", name,
                     replaying->run.bench.device->name);
}

enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error)
{
    struct replaying replaying = {.progress = bl_progress_begin(false)};
    enum bl_status status = open_device(trace, device, &replaying.progress, &replaying.run, error);
    if (status == BL_OK) {
        const struct bl_replay replay = {&replaying.run, show_row, &replaying};
        status = bl_trace_replay(trace, &replay, error);
        bl_progress_clear(&replaying.progress);
    }
    bl_end_run(&replaying.run);
    return status;
}

enum bl_status bl_trace_bound_on_device(struct bl_trace *trace, struct bl_error *error)
{
    struct bl_delivery delivery = bl_delivery_unknown();
    struct bl_device *devices;
    size_t count;
    enum bl_status status = bl_devices_list(&devices, &count, error);
    if (status != BL_OK)
        return status;
    size_t i = 0; /* finds the first device with the name of the device that the program used */
    while (i < count &&
           strncmp(devices[i].name, trace->timed_on.name, sizeof devices[i].name - 1) != 0)
        i++;
    struct bl_error failure = {0};
    trace->timed_on.is_described = i < count && bl_device_is_described(&devices[i], trace->machine);
    trace->timed_on.is_other = i < count && !trace->timed_on.is_described;
    if (trace->timed_on.is_described) {
        char selector[32];
        struct bl_run run;
        struct bl_progress progress = {0}; /* never shown */
        snprintf(selector, sizeof selector, "%u:%u", devices[i].platform_index,
                 devices[i].device_index);
        status = open_device(trace, selector, &progress, &run, &failure);
        if (status == BL_OK)
            status = bl_delivery_measure(&run.bench, &delivery, &failure);
        bl_end_run(&run);
        bl_trace_bound_times(trace, &delivery);
    }
    free(devices);
    if (status == BL_INTERRUPTED)
        *error = failure;
    else if (status != BL_OK) /* without the device's bandwidths, the minimum time of the compute
                                 units is still valid */
        fprintf(stderr, "note: levels beyond the compute units have no bounds: %s\n",
                failure.sentence);
    return status == BL_INTERRUPTED ? status : BL_OK;
}

enum bl_status bl_trace_intel_check(struct bl_trace_intel *intel, struct bl_error *error)
{
    if (!intel->device)
        return BL_OK;
    const enum bl_status status = bl_intel_check(intel->device, error);
    intel->is_left_out = status == BL_FILE_FAILED;
    if (!intel->is_left_out)
        return status;
    fprintf(stderr, "note: the results of Intel's compiler are left out: %s\n", error->sentence);
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
