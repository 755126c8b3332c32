#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/option_values.h"
#include "cli/trials.h"
#include "cli/trials_view.h"
#include "cli/try_levels.h"
#include "run/prepare.h"

enum { MAX_GROUPS = 1 << 24 };

/* Of the array that is indexed, and of the ids that range over it. */
struct try_settings {
    struct bl_measure_settings measure;
    const char *patterns; /* file, or NULL */
    unsigned memory;      /* enum bl_memory */
    struct bl_type type;
    unsigned array_elements; /* 0 when not given */
    struct bl_shape groups;  /* x is 0 when none is given */
    bool write, model_only;
    const char *level; /* or NULL: all */
};

struct trying {
    const struct try_settings *settings;
    struct bl_run run;
    struct bl_try_setup setup;
    struct bl_try contiguous;
    struct bl_trials trials;
    struct bl_try_levels levels;
};

static const char *name_of(const struct bl_trial *trial) { return trial->try.id + strlen("try/"); }

/* Finds the indices of every expression. One that cannot be tried is reported, and costs the others
 * nothing. */
static enum bl_status probe_all(struct trying *trying, struct bl_error *error)
{
    struct bl_run *run = &trying->run;
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
static enum bl_status place(struct trying *trying, uint64_t bases[BL_MAX_PLACEMENTS],
                            unsigned *count, struct bl_error *error)
{
    const struct bl_run *run = &trying->run;
    size_t data_bytes = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->items[i].status == BL_ROW_OK && run->items[i].own.buffers.data_bytes > data_bytes)
            data_bytes = run->items[i].own.buffers.data_bytes;
    struct bl_bench *bench = &trying->run.bench;
    const struct bl_device *device = bench->device;
    const bool is_own_machine = bench->machine == &run->own_machine ||
                                strcmp(bl_device_machine(device)->name, bench->machine->name) == 0;
    enum bl_status status = BL_OK;
    if (!trying->settings->model_only)
        status = bl_place(bench, run->items, run->count, &bench->arrays, error);
    if (bench->arrays.placements)
        *count = bench->arrays.placements;
    for (unsigned i = 0; i < *count && is_own_machine && status == BL_OK; i++)
        status = bl_try_address(&trying->setup, bench, data_bytes, i, &bases[i], error);
    return status;
}

static enum bl_status plan_all(struct trying *trying, struct bl_error *error)
{
    struct bl_run *run = &trying->run;
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

/* Rows of what was predicted alone, for the CSV. */
static enum bl_status write_predictions(struct trying *trying, struct bl_error *error)
{
    struct bl_run *run = &trying->run;
    run->output.view.machine = run->bench.machine;
    enum bl_status status =
        bl_output_open_run(&run->settings->output, run->bench.device, false, &run->output, error);
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        const struct bl_row row = bl_predicted_row(&run->items[i], run->bench.machine);
        status = bl_sinks_row(run->output.sinks, &row, error);
    }
    const enum bl_status closed =
        bl_output_close(&run->output, status == BL_OK, status == BL_OK ? error : NULL);
    if (status == BL_OK)
        status = closed;
    if (status == BL_OK && run->worst != BL_OK)
        status = bl_fail(error, run->worst, "some expressions failed; the messages above say why");
    return status;
}

static enum bl_status try_all(struct trying *trying, struct bl_error *error)
{
    const struct bl_measure_settings *measure = &trying->settings->measure;
    enum bl_status status =
        bl_try_levels_choose(trying->settings->level, trying->settings->model_only,
                             &trying->run.bench, &trying->setup, &trying->levels, error);
    trying->levels.contiguous = &trying->contiguous;
    if (status == BL_OK)
        status = probe_all(trying, error);
    if (status == BL_OK)
        status = plan_all(trying, error);
    if (status != BL_OK)
        return status;
    bool any = false;
    for (size_t i = 0; i < trying->run.count; i++)
        any |= trying->run.items[i].status == BL_ROW_OK;
    if (!any && !bl_output_is_wanted(&measure->output))
        return bl_fail(error, trying->run.worst != BL_OK ? trying->run.worst : BL_OPENCL_FAILED,
                       "there is nothing left to measure");
    if (any && !measure->quiet)
        status = bl_print_trials(&trying->run, &trying->trials, &trying->setup, error);
    if (status == BL_OK)
        status = bl_try_levels_add(&trying->levels, &trying->trials, &trying->run, error);
    if (status != BL_OK)
        return status;
    return trying->settings->model_only ? write_predictions(trying, error)
                                        : bl_run_items(&trying->run, error);
}

static enum bl_status run(const void *settings_, const struct bl_arguments *expressions,
                          struct bl_error *error)
{
    const struct try_settings *settings = settings_;
    if (expressions->count == 0 && !settings->patterns)
        return bl_fail(error, BL_USAGE,
                       "usage: bankline try EXPR..., or bankline try --patterns FILE; EXPR is an "
                       "index expression, such as 'get_global_id(0) * 3 + 5'");
    struct trying *trying = calloc(1, sizeof *trying);
    if (!trying)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run");
    trying->settings = settings;
    trying->setup = (struct bl_try_setup){
        .memory = (enum bl_memory)settings->memory,
        .is_write = settings->write,
        .type = settings->type,
        .shape = settings->measure.plan.shape,
        .groups = settings->groups,
        .array_elements = settings->array_elements,
    };
    enum bl_status status =
        bl_output_check(&settings->measure.output, "--patterns", settings->patterns, error);
    if (status == BL_OK)
        status = bl_trials_read(settings->patterns, expressions, &trying->trials, error);
    if (status == BL_OK)
        status = bl_run_open(&settings->measure, &trying->run, error);
    if (status == BL_OK)
        status = try_all(trying, error);
    bl_run_close(&trying->run);
    bl_try_close(&trying->contiguous);
    bl_trials_free(&trying->trials);
    free(trying);
    return status;
}

static const char *const memories[] = {"global", "local", "constant", NULL}; /* enum bl_memory */

static const struct bl_option options[] = {
    {"patterns", "FILE", "try the 'name = expression' lines of FILE",
     BL_TEXT(struct try_settings, patterns), .completes = BL_COMPLETE_FILES},
    {"memory", "SPACE", "the array lies in global (default), local or constant memory",
     BL_CHOICE(struct try_settings, memory, memories)},
    {"type", "TYPE", "type of the array's elements: uchar to double, and vectors (default int)",
     BL_TYPE(struct try_settings, type)},
    {"array-elements", "N", "indices must be below N (default: as many as fit)",
     BL_COUNT(struct try_settings, array_elements, INT32_MAX)},
    {"groups", "N", "ids range over N or NxM work-groups (default 8; local memory 1)",
     BL_EXTENT(struct try_settings, groups, MAX_GROUPS)},
    {"level", "NAME",
     "rows of one level alone: cache (the compute unit's), L2, memory, ... (default: all "
     "that a machine for such a device has)",
     BL_TEXT(struct try_settings, level)},
    {"write", NULL, "write to the array instead of reading it",
     BL_FLAG(struct try_settings, write)},
    {"model-only", NULL, "predict only: find the indices, access nothing",
     BL_FLAG(struct try_settings, model_only)},
    {0},
};

static const struct try_settings defaults = {
    .measure = BL_MEASURE_DEFAULTS,
    .type = {"int", 4, 1, 4, 4, "int"},
};

const struct bl_command bl_command_try = {
    .name = "try",
    .arguments = "EXPR...",
    .summary = "predict and measure an access pattern that you type",
    .description =
        "EXPR is OpenCL C over the ids and sizes of a work-item; its value is the element of an "
        "array that the work-item accesses. The device computes every index first: one that lies "
        "outside the array is reported, and then nothing is accessed. A picture shows which lanes "
        "share a line or a bank, the model says what each request costs, and the pattern is "
        "measured against the contiguous access of the same type and shape.",
    .examples = {"bankline try 'get_global_id(0) * 3 + 5' 'get_global_id(0) * 4'",
                 "bankline try 'get_local_id(0) * 33 % 1024' --memory local --type float4"},
    .max_arguments = SIZE_MAX,
    .options = {{.options = options}, BL_MEASURE_PARTS(offsetof(struct try_settings, measure))},
    .settings_bytes = sizeof(struct try_settings),
    .defaults = &defaults,
    .run = run,
};
