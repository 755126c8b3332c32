#include "cli/trying.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "run/prepare.h"

static const char *name_of(const struct bl_trial *trial) { return trial->try.id + strlen("try/"); }

/* Finds the indices of every expression. One that cannot be tried is reported, and costs the others
 * nothing. */
static enum bl_status probe_all(struct bl_trying *trying, struct bl_error *error)
{
    struct bl_run *run = trying->run;
    struct bl_try_setup unbounded = trying->setup; /* the contiguous access fits by itself */
    unbounded.array_elements = 0;
    enum bl_status status = bl_try_settle(&unbounded, &run->bench, error);
    if (status == BL_OK)
        status = bl_try_settle(&trying->setup, &run->bench, error);
    if (status == BL_OK)
        status = bl_try_open_contiguous(&trying->contiguous, trying->setup.memory, error);
    if (status != BL_OK)
        return status;
    status = bl_try_probe(&trying->contiguous, &unbounded, &run->bench, error);
    if (status != BL_OK) {
        bl_error_context(error, "the contiguous access to compare with");
        return status;
    }
    for (size_t i = 0; i < trying->trials.count; i++) {
        struct bl_trial *trial = &trying->trials.all[i];
        struct bl_error failure = {0};
        trial->status = bl_try_probe(&trial->try, &trying->setup, &run->bench, &failure);
        if (*bl_interrupt())
            return bl_fail(error, BL_INTERRUPTED, "interrupted");
        if (trial->status == BL_OK)
            continue;
        if (trying->trials.count == 1 && !bl_output_is_wanted(&run->settings->output)) {
            *error = failure;
            return trial->status;
        }
        snprintf(trial->reason, sizeof trial->reason, "%s", failure.sentence);
        bl_run_tell(run, name_of(trial), &failure);
        run->worst = run->worst == BL_OK ? trial->status : run->worst;
    }
    return BL_OK;
}

/* Makes the arrays in which every expression is measured, and finds out where they lie. Where an
 * array lies decides which tag bank looks up a line; on a device that is another built-in machine
 * no address says anything, and the arrays begin at 0. */
static enum bl_status place(struct bl_trying *trying, uint64_t bases[BL_MAX_PLACEMENTS],
                            unsigned *count, struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    size_t data_bytes = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->items[i].status == BL_ROW_OK && run->items[i].own.buffers.data_bytes > data_bytes)
            data_bytes = run->items[i].own.buffers.data_bytes;
    struct bl_bench *bench = &trying->run->bench;
    const bool is_described = bl_device_is_described(bench->device, bench->machine);
    enum bl_status status = BL_OK;
    if (!trying->model_only)
        status = bl_place(bench, run->items, run->count, &bench->arrays, error);
    if (bench->arrays.placements)
        *count = bench->arrays.placements;
    for (unsigned i = 0; i < *count && is_described && status == BL_OK; i++)
        status = bl_try_address(&trying->setup, bench, data_bytes, i, &bases[i], error);
    return status;
}

static enum bl_status plan_all(struct bl_trying *trying, struct bl_error *error)
{
    struct bl_run *run = trying->run;
    run->items = calloc(trying->trials.count, sizeof *run->items);
    if (!run->items)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the plan");
    run->count = trying->trials.count;
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_trial *trial = &trying->trials.all[i];
        struct bl_plan_item *item = &run->items[i];
        bl_try_plan(&trial->try, &trying->contiguous, &trying->setup, &run->bench, item);
        if (trial->status != BL_OK)
            snprintf(item->reason, sizeof item->reason, "%s", trial->reason);
        if (strcmp(name_of(trial), trial->try.expression.text) != 0 && !item->own.note[0])
            snprintf(item->own.note, sizeof item->own.note, "%s", trial->try.expression.text);
        any |= item->status == BL_ROW_OK;
    }
    uint64_t bases[BL_MAX_PLACEMENTS] = {0};
    unsigned count = 1;
    const enum bl_status status = any ? place(trying, bases, &count, error) : BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        bl_try_predict(&run->bench, bases, count, &run->items[i]);
        bl_try_refuse_writes(run->bench.machine, &run->items[i]);
    }
    return status;
}

enum bl_status bl_trying_plan(struct bl_trying *trying, struct bl_error *error)
{
    enum bl_status status =
        bl_try_levels_choose(trying->level, trying->model_only, &trying->run->bench, &trying->setup,
                             &trying->levels, error);
    trying->levels.contiguous = &trying->contiguous;
    if (status == BL_OK)
        status = probe_all(trying, error);
    return status == BL_OK ? plan_all(trying, error) : status;
}

enum bl_status bl_trying_add_levels(struct bl_trying *trying, struct bl_error *error)
{
    return bl_try_levels_add(&trying->levels, &trying->trials, trying->run, error);
}

void bl_trying_close(struct bl_trying *trying)
{
    bl_try_close(&trying->contiguous);
    bl_trials_free(&trying->trials);
}
