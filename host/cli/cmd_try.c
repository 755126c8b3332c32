#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"
#include "cli/option_values.h"
#include "cli/trials_view.h"
#include "cli/trying.h"

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
    struct bl_trying plan;
};

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
    struct bl_run *run = &trying->run;
    enum bl_status status = bl_trying_plan(&trying->plan, error);
    if (status != BL_OK)
        return status;
    bool any = false;
    for (size_t i = 0; i < run->count; i++)
        any |= run->items[i].status == BL_ROW_OK;
    if (!any && !bl_output_is_wanted(&measure->output))
        return bl_fail(error, run->worst != BL_OK ? run->worst : BL_OPENCL_FAILED,
                       "there is nothing left to measure");
    if (any && !measure->quiet)
        status = bl_print_trials(run, &trying->plan.trials, &trying->plan.setup, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(&trying->plan, error);
    if (status != BL_OK)
        return status;
    return trying->settings->model_only ? write_predictions(trying, error)
                                        : bl_run_items(run, error);
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
    trying->plan.run = &trying->run;
    trying->plan.level = settings->level;
    trying->plan.model_only = settings->model_only;
    trying->plan.setup = (struct bl_try_setup){
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
        status = bl_trials_read(settings->patterns, expressions, &trying->plan.trials, error);
    if (status == BL_OK)
        status = bl_run_open(&settings->measure, &trying->run, error);
    if (status == BL_OK)
        status = try_all(trying, error);
    bl_run_close(&trying->run);
    bl_trying_close(&trying->plan);
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
