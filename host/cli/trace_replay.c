#include "cli/trace_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/measure.h"
#include "run/trials.h"
#include "trace/recorded.h"

/* The level that an access is held against: a write to global memory the first that has a rule of
 * writes, all else the cache of the compute unit. */
static const char *level_of(const struct bl_bench *bench, const struct bl_trace_row *row)
{
    if (row->memory != BL_MEMORY_GLOBAL || row->operation != BL_OPERATION_WRITE)
        return "cache";
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (bl_level_bytes(bench->machine, bench->device, i) &&
            !bl_why_no_rule_of_level(bench->machine, i, true))
            return bench->machine->levels[i].name;
    return "cache";
}

static enum bl_status open_trial(struct bl_trying *trying, const struct bl_trace_row *row,
                                 const struct bl_recorded *recorded, struct bl_error *error)
{
    const unsigned lanes = trying->run->bench.machine->lanes;
    char name[400];
    snprintf(name, sizeof name, "%.300s:%u %s %s", basename(row->name), row->line,
             bl_memory_name(row->memory), bl_operation_name(row->operation));
    trying->setup = (struct bl_try_setup){
        .memory = row->memory,
        .is_write = row->operation == BL_OPERATION_WRITE,
        .type = recorded->type,
        .shape = {lanes, 1},
        .groups = {recorded->requests, 1},
    };
    trying->level = level_of(&trying->run->bench, row);
    trying->trials.all = calloc(1, sizeof *trying->trials.all);
    if (!trying->trials.all)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a replay");
    trying->trials.count = 1;
    struct bl_try *try = &trying->trials.all[0].try;
    const enum bl_status status = bl_try_open_recorded(try, name, recorded->starts,
                                                       (size_t)lanes * recorded->requests, error);
    try->test_case.id = try->id;
    return status;
}

/* Plans and measures the trial; the run's items are its own meanwhile. */
static enum bl_status measure(struct bl_trying *trying, struct bl_row *measured,
                              struct bl_error *error)
{
    struct bl_run *run = trying->run;
    enum bl_status status = bl_trying_plan(trying, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(trying, error);
    if (status == BL_OK && run->count == 0)
        status = bl_fail(error, BL_USAGE, "the machine has no such level");
    if (status == BL_OK && run->bench.device->type == BL_DEVICE_GPU)
        status = bl_warm_up(&run->bench, &run->items[0], error);
    if (status == BL_OK && run->prepare)
        status = run->prepare(run, 0, error);
    if (status == BL_OK) {
        *measured = bl_planned_row(&run->items[0], run->bench.machine);
        if (measured->status == BL_ROW_OK)
            status = bl_measure_case(&run->bench, &run->items[0], measured, error);
        else
            status = bl_fail(error, BL_USAGE, "%s", measured->reason);
    }
    free(measured->sample_ratios);
    measured->sample_ratios = NULL;
    free(run->items);
    run->items = NULL;
    run->count = 0;
    run->prepare = NULL;
    run->levels = NULL;
    run->bench.baseline = (struct bl_known_baseline){0};
    return status;
}

static void replay(struct bl_run *run, const struct bl_trace *trace, struct bl_trace_row *row)
{
    struct bl_replayed *replayed = &row->replayed;
    struct bl_recorded recorded;
    struct bl_trying trying = {.run = run};
    struct bl_row measured = bl_row_empty();
    struct bl_error failure = {0};
    replayed->is_tried = true;
    bl_trace_record(trace, row, &recorded);
    replayed->requests = recorded.requests;
    snprintf(replayed->why_not, sizeof replayed->why_not, "%s", recorded.why_not);
    if (!recorded.requests)
        return;
    enum bl_status status = open_trial(&trying, row, &recorded, &failure);
    if (status == BL_OK)
        status = measure(&trying, &measured, &failure);
    if (status != BL_OK)
        snprintf(replayed->why_not, sizeof replayed->why_not, "%.255s",
                 *failure.sentence ? failure.sentence : bl_status_words(status));
    snprintf(replayed->level, sizeof replayed->level, "%s",
             strcmp(trying.level, "cache") != 0 ? trying.level
             : row->memory == BL_MEMORY_LOCAL   ? "local"
                                                : trace->machine->cache_name);
    replayed->predicted = measured.predicted;
    if (status == BL_OK && measured.verdict == BL_NO_RULE)
        snprintf(replayed->why_not, sizeof replayed->why_not, "%.255s", measured.note);
    if (status == BL_OK && bl_row_has_number(&measured)) {
        replayed->measured = measured.measured;
        replayed->low = measured.measured_lo;
        replayed->high = measured.measured_hi;
        replayed->verdict = measured.verdict;
    }
    bl_trying_close(&trying);
}

static enum bl_status replay_worst(struct bl_run *run, struct bl_trace *trace,
                                   struct bl_error *error)
{
    size_t count;
    struct bl_trace_row **worst = bl_trace_worst(trace, &count);
    if (!worst)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a replay");
    struct bl_progress progress = bl_progress_begin(false);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && i < BL_REPLAYED_LINES && status == BL_OK; i++) {
        bl_progress_show(&progress, "replaying %.40s:%u on %.60s", basename(worst[i]->name),
                         worst[i]->line, run->bench.device->name);
        replay(run, trace, worst[i]);
        if (*bl_interrupt())
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    }
    bl_progress_clear(&progress);
    free(worst);
    return status;
}

enum bl_status bl_trace_replay(struct bl_trace *trace, const char *device, struct bl_error *error)
{
    const struct bl_run_settings settings = {
        .device = device, .tolerance = 0.05, .interrupted = bl_interrupt()};
    struct bl_run run;
    enum bl_status status = bl_run_open(&settings, &run, error);
    if (status == BL_OK) {
        run.bench.machine = trace->machine;
        snprintf(trace->replayed_on, sizeof trace->replayed_on, "%.200s (driver %.60s)",
                 run.bench.device->name, run.bench.device->driver);
        snprintf(trace->replayed_as, sizeof trace->replayed_as, "%s",
                 bl_device_machine(run.bench.device)->name);
        status = replay_worst(&run, trace, error);
    }
    bl_end_run(&run);
    return status;
}
