/* Chooses the default machine of a trace, and measures the trace's lines and kernels on a real
 * device. Each measurement is a separate run (run/run.h) with its own settings. */
#include "cli/trace_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/output.h"
#include "run/trials.h"
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
    const struct bl_run *run; /* all trials use this run's session */
    struct bl_progress progress;
};

/* A run of one trial, which results in one row. */
struct measuring_trial {
    struct bl_row *measured;
    struct bl_error failure; /* status BL_OK if the row was measured; else the reason why not */
};

static void begin_trial(void *context, size_t i) { (void)context, (void)i; }

static enum bl_status take_trial(void *context, const struct bl_row *row,
                                 const struct bl_error *failure, struct bl_error *error)
{
    struct measuring_trial *measuring = context;
    (void)error;
    *measuring->measured = *row;
    measuring->measured->sample_ratios = NULL; /* the samples belong to the run, not to this copy */
    if (failure)
        measuring->failure = *failure;
    else
        bl_fail(&measuring->failure, BL_USAGE, "%s", row->reason);
    measuring->failure.status = failure ? failure->status : BL_USAGE;
    return BL_OK;
}

/* Ignores a failed warm-up: a measurement on the same device will fail, too, and be reported. */
static void fail_warm_up(void *context, const char *subject, const struct bl_error *failure)
{
    (void)context, (void)subject, (void)failure;
}

static enum bl_status measure_trial(void *context, const struct bl_replay_trial *replayed,
                                    struct bl_row *measured, struct bl_error *error)
{
    struct replaying *replaying = context;
    struct bl_run run = {.bench = replaying->run->bench,
                         .interrupted = replaying->run->interrupted};
    struct bl_trying trying = {.run = &run, .level = replayed->level, .setup = replayed->setup};
    bl_progress_show(&replaying->progress, "replaying %.60s on %.60s", replayed->name,
                     run.bench.device->name);
    trying.trials.all = calloc(1, sizeof *trying.trials.all);
    if (!trying.trials.all)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting a replay");
    trying.trials.count = 1;
    struct bl_try *try = &trying.trials.all[0].try;
    enum bl_status status =
        bl_try_open_recorded(try, replayed->name, replayed->starts,
                             (size_t)replayed->setup.shape.x * replayed->setup.groups.x, error);
    try->test_case.id = try->id;
    if (status == BL_OK)
        status = bl_trying_plan(&trying, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(&trying, error);
    if (status == BL_OK && run.count == 0)
        status = bl_fail(error, BL_USAGE, "the machine has no such level");
    struct measuring_trial measuring = {.measured = measured};
    const struct bl_run_callbacks callbacks = {&measuring, begin_trial, take_trial, fail_warm_up};
    if (status == BL_OK)
        status = bl_run_measure(&run, &callbacks, error);
    if (status == BL_OK && measuring.failure.status != BL_OK) {
        *error = measuring.failure;
        status = measuring.failure.status;
    }
    free(run.items);
    bl_trying_close(&trying);
    return status;
}

enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error)
{
    struct bl_run run;
    struct replaying replaying = {&run, bl_progress_begin(false)};
    enum bl_status status = open_device(trace, device, &replaying.progress, &run, error);
    if (status == BL_OK) {
        const struct bl_replay how = {&run.bench, measure_trial, bl_is_interrupted, &replaying};
        status = bl_trace_replay(trace, &how, error);
        bl_progress_clear(&replaying.progress);
    }
    bl_end_run(&run);
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
    if (i < count && bl_device_is_described(&devices[i], trace->machine)) {
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
