/* What a device measures of a trace. Each requires a run of its own (run/run.h), which lives in
 * here only, so that no other run's settings change. */
#include "cli/trace_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/output.h"
#include "run/trials.h"
#include "trace/replay.h"
#include "trace/times.h"

/* End it by bl_end_run, whatever is returned. */
static enum bl_status open_device(const struct bl_trace *trace, const char *device,
                                  struct bl_run *run, struct bl_error *error)
{
    const struct bl_run_settings settings = {
        .device = device, .tolerance = 0.05, .interrupted = bl_interrupt()};
    const enum bl_status status = bl_run_open(&settings, run, error);
    if (status == BL_OK)
        run->bench.machine = trace->machine;
    return status;
}

struct replaying {
    const struct bl_run *run; /* whose session each trial uses */
    struct bl_progress progress;
};

/* A run of this trial alone. */
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for a replay");
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
    if (status == BL_OK && run.bench.device->type == BL_DEVICE_GPU)
        status = bl_warm_up(&run.bench, &run.items[0], error);
    if (status == BL_OK && run.prepare)
        status = run.prepare(&run, 0, error);
    if (status == BL_OK) {
        *measured = bl_planned_row(&run.items[0], run.bench.machine);
        status = measured->status == BL_ROW_OK
                     ? bl_measure_case(&run.bench, &run.items[0], measured, error)
                     : bl_fail(error, BL_USAGE, "%s", measured->reason);
    }
    free(measured->sample_ratios);
    measured->sample_ratios = NULL;
    free(run.items);
    bl_trying_close(&trying);
    return status;
}

enum bl_status bl_trace_replay_on_device(struct bl_trace *trace, const char *device,
                                         struct bl_error *error)
{
    struct bl_run run;
    enum bl_status status = open_device(trace, device, &run, error);
    if (status == BL_OK) {
        struct replaying replaying = {&run, bl_progress_begin(false)};
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
    size_t i = 0; /* the first device with the name of the program's device */
    while (i < count &&
           strncmp(devices[i].name, trace->timed_on.name, sizeof devices[i].name - 1) != 0)
        i++;
    struct bl_error failure = {0};
    if (i < count && bl_device_is_described(&devices[i], trace->machine)) {
        char selector[32];
        struct bl_run run;
        snprintf(selector, sizeof selector, "%u:%u", devices[i].platform_index,
                 devices[i].device_index);
        status = open_device(trace, selector, &run, &failure);
        if (status == BL_OK)
            status = bl_delivery_measure(&run.bench, &delivery, &failure);
        bl_end_run(&run);
        bl_trace_bound_times(trace, &delivery);
    }
    free(devices);
    if (status == BL_INTERRUPTED)
        *error = failure;
    else if (status != BL_OK) /* the bound of the compute units holds all the same */
        fprintf(stderr, "note: no bounds of the levels beyond the compute units: %s\n",
                failure.sentence);
    return status == BL_INTERRUPTED ? status : BL_OK;
}
