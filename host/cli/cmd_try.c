/* `bankline try`: predicts and measures access patterns that a person types. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"
#include "model/explain.h"
#include "model/machine_file.h"
#include "report/layout.h"
#include "report/picture.h"
#include "report/row.h"
#include "run/trials.h"

/* A paragraph that begins with `indent` blanks and goes on with two more. */
__attribute__((format(printf, 3, 4))) static void print(FILE *file, unsigned indent,
                                                        const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(file, "%*s", (int)indent, "");
    bl_put_wrapped(file, text, indent, indent ? indent + 2 : 0, bl_line_width(file));
    fputs(indent ? "\n" : "\n\n", file); /* a paragraph of its own has a blank line after it */
}

/* The rules are those of the compute unit's cache. Writes go through it: what limits them there is
 * printed, and only that where the levels beyond have rules of their own. */
static void print_explanation(FILE *file, const struct bl_machine *machine,
                              const struct bl_mean_cost *cost, enum bl_memory memory,
                              const struct bl_pattern_explanation *explained, const char *index)
{
    const bool is_cached = memory == BL_MEMORY_GLOBAL && *machine->cache_name;
    const char *in = is_cached ? " in " : "", *cache = is_cached ? machine->cache_name : "";
    if (explained->first_item > 0)
        print(file, 2, "the costliest request, of work-items %zu to %zu", explained->first_item,
              explained->first_item + explained->lanes - 1);
    print(file, 2, "limited by  %s", explained->limit);
    if (!isfinite(cost->clocks)) { /* the levels beyond decide, as they are predicted below */
        in = " on the way out of ";
        cache = "the compute unit";
    }
    for (unsigned i = 0; i < explained->fixes.count; i++) {
        const struct bl_fix *fix = &explained->fixes.all[i];
        char changed[BL_LONGEST_EXPRESSION + 1];
        print(file, 2, "%s  %s: %.3g times as fast%s%s, by the model",
              i == 0 ? "would help" : "or, better", fix->words, fix->gain, in, cache);
        if (bl_fix_index(fix, index, changed, sizeof changed))
            print(file, 2, "   index  %s", changed);
    }
    if (*explained->why_no_fix)
        print(file, 2, "no advice  %s", explained->why_no_fix);
}

/* Draws the costliest request of the expression's groups, and prints what limits it and the fix. */
static enum bl_status draw(FILE *file, const struct bl_machine *machine,
                           const struct bl_trial *trial, const struct bl_plan_item *item,
                           struct bl_error *error)
{
    struct bl_launch launch = item->own.launch;
    launch.groups = item->own.replicas.start_count / bl_launch_group_items(&launch);
    struct bl_pattern_explanation explained;
    const enum bl_status status =
        bl_explain_pattern(machine, &launch, trial->try.starts, &explained, error);
    if (status != BL_OK)
        return status;
    bl_print(file, "%s\n", bl_trial_name(trial));
    if (strcmp(bl_trial_name(trial), trial->try.expression.text) != 0)
        bl_print(file, "  %s\n", trial->try.expression.text);
    uint64_t addresses_bytes[BL_MAX_LANES];
    for (unsigned lane = 0; lane < explained.lanes; lane++)
        addresses_bytes[lane] = launch.base_bytes + trial->try.starts[explained.first_item + lane] *
                                                        launch.type->element_bytes;
    struct bl_part parts[BL_MAX_PARTS];
    bl_parts_of(machine, launch.memory, launch.is_write, launch.type, parts);
    const struct bl_request request = {launch.memory,   launch.is_write, parts[0].bytes,
                                       explained.lanes, addresses_bytes, false};
    bl_picture(file, machine, &request);
    print_explanation(file, machine, &item->own.cost, launch.memory, &explained,
                      trial->try.expression.text);
    fputc('\n', file);
    return BL_OK;
}

enum { MEANS = 5, COLUMNS = MEANS + 2 };

static const struct bl_layout_column columns[COLUMNS] = {
    {.name = "means over all requests", .width = 36, .min_width = 24},
    {.name = "lines", .width = 7, .is_right = true},
    {.name = "sectors", .width = 7, .rank = 1, .is_right = true},
    {.name = "tags", .width = 6, .is_right = true},
    {.name = "banks", .width = 6, .is_right = true},
    {.name = "clocks", .width = 6, .is_right = true},
    {.name = "predicted", .width = 9},
};

static void print_means(FILE *file, const struct bl_layout *layout, const char *name,
                        const struct bl_mean_cost *cost, double predicted)
{
    const double means[MEANS] = {cost->lines, cost->sectors, cost->tag_passes, cost->bank_passes,
                                 cost->clocks};
    char texts[1 + MEANS][16];
    const char *cells[COLUMNS] = {name};
    for (unsigned i = 0; i < MEANS; i++) {
        snprintf(texts[i], 16, isfinite(means[i]) ? "%.2f" : "-", means[i]);
        cells[1 + i] = texts[i];
    }
    cells[1 + MEANS] = bl_format_ratio(predicted, texts[MEANS]);
    bl_layout_row(layout, file, cells);
}

/* The device to predict for where none is opened. Its memory and groups limit nothing that the
 * model takes, except local memory, of which most GPUs give a group no more than this. */
static const struct bl_device any_device = {
    .name = "any device",
    .type = BL_DEVICE_GPU,
    .compute_units = 1,
    .bank_arrays = 1,
    .has_double = true,
    .local_bytes = 64u << 10,
    .memory_bytes = UINT64_MAX / 2,
    .max_buffer_bytes = UINT64_MAX / 2,
    .max_group_items = BL_MAX_GROUP_ITEMS,
    .max_items = {BL_MAX_GROUP_ITEMS, BL_MAX_GROUP_ITEMS},
};

/* Says so where the machine does not describe the device. false: the machine has no rule. */
static bool print_machine(FILE *file, const struct bl_bench *bench)
{
    const struct bl_machine *machine = bench->machine;
    const struct bl_device *device = bench->device;
    if (!machine->has_rule)
        print(file, 0,
              "Machine %s has no predictions: %s. --machine nvidia-hopper, or another, shows what "
              "the rule of that machine says of the pattern.",
              machine->name, machine->why_no_rule);
    else if (device != &any_device && strcmp(machine->name, bl_device_machine(device)->name) != 0)
        print(file, 0, "Predictions are for machine %s; this device, %s, is machine %s.",
              machine->name, device->name, bl_device_machine(device)->name);
    return machine->has_rule;
}

/* Draws every expression that can run (the run's items are those of the trials). BL_OK,
 * BL_NO_MEMORY, or BL_BAD_MACHINE: there is no rule, and that has been printed. */
static enum bl_status draw_all(FILE *file, const struct bl_trying *trying, struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    const struct bl_machine *machine = run->bench.machine;
    const enum bl_memory memory = trying->setup.memory;
    for (size_t i = 0; i < run->count; i++) {
        if (run->items[i].status != BL_ROW_OK)
            continue;
        const enum bl_status status =
            draw(file, machine, &trying->trials.all[i], &run->items[i], error);
        if (status == BL_BAD_MACHINE) {
            const char *why = bl_why_no_cost(machine, memory, false);
            const bool is_told = why == bl_banks_are_unknown || why == machine->why_no_global_rule;
            print(file, 0, "Machine %s has no rule for such accesses of %s memory%s%s.",
                  machine->name, bl_memory_name(memory), is_told ? ": " : "", is_told ? why : "");
        }
        if (status != BL_OK)
            return status;
    }
    bl_picture_legend(file, machine, memory, bl_line_width(file));
    return BL_OK;
}

/* The GPUs of all vendors that machines describe take no larger groups: CUDA's guide has 1024
 * threads of a block, ROCm's and Intel's OpenCL report 1024 and less. */
enum { MAX_GROUP_ITEMS_OF_GPUS = 1024 };

static void print_means_of_all(FILE *file, const struct bl_trying *trying)
{
    const struct bl_run *run = trying->run;
    const struct bl_try_setup *setup = &trying->setup;
    const struct bl_machine *machine = run->bench.machine;
    const struct bl_plan_item *items = run->items;
    print(file, 0, "machine %s: %s of %s in %s memory, groups of %ux%u, ids over %ux%u groups",
          machine->name, setup->is_write ? "writes" : "reads", setup->type.name,
          bl_memory_name(setup->memory), setup->shape.x, setup->shape.y, setup->groups.x,
          setup->groups.y);
    if (machine->vendors[0] && machine->device_type != BL_FOR_CPU &&
        (uint64_t)setup->shape.x * setup->shape.y > MAX_GROUP_ITEMS_OF_GPUS)
        print(file, 0,
              "A group of %ux%u is a prediction only: the devices that machine %s describes take "
              "groups of at most %d work-items.",
              setup->shape.x, setup->shape.y, machine->name, (int)MAX_GROUP_ITEMS_OF_GPUS);
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < run->count; i++)
        if (items[i].status == BL_ROW_OK)
            print_means(file, &layout, bl_trial_name(&trying->trials.all[i]), &items[i].own.cost,
                        bl_planned_row(&items[i], machine).predicted);
    print_means(file, &layout, "contiguous", &items[0].baseline.cost, 1);
}

/* Prints, of every expression that can run, its costliest request as a picture, what limits it and
 * what would help, and the means over all requests; with is_brief those alone. BL_OK or
 * BL_NO_MEMORY. */
static enum bl_status print_trials(FILE *file, const struct bl_trying *trying, bool is_brief,
                                   struct bl_error *error)
{
    if (!print_machine(file, &trying->run->bench))
        return BL_OK;
    const enum bl_status status = is_brief ? BL_OK : draw_all(file, trying, error);
    if (status != BL_OK)
        return status == BL_BAD_MACHINE ? BL_OK : status;
    print_means_of_all(file, trying);
    if (is_brief)
        return BL_OK;
    fputc('\n', file);
    print(file, 0,
          "tags: lines that the busiest tag bank looks up; banks: words that the busiest bank "
          "delivers; clocks: the largest of these and, for writes, of the time that sectors "
          "take; predicted: clocks of the contiguous access over these.");
    return BL_OK;
}

enum { MAX_GROUPS = 1 << 24 };

/* Settings of the array that is indexed, and of the ids that range over it. */
struct try_settings {
    struct bl_measure_settings measure;
    const char *patterns; /* file, or NULL */
    unsigned memory;      /* enum bl_memory */
    struct bl_type type;
    unsigned array_elements; /* 0 if not given */
    struct bl_shape groups;  /* x is 0 if not given */
    bool write, model_only;
    const char *level; /* or NULL: all */
};

struct trying {
    const struct try_settings *settings;
    struct bl_measuring measuring;
    struct bl_trying plan;
};

static void take_failure(void *context, const char *name, const struct bl_error *failure)
{
    struct bl_measuring *measuring = context;
    bl_measuring_tell(measuring, name, failure);
    measuring->worst = measuring->worst == BL_OK ? failure->status : measuring->worst;
}

/* Rows of what was predicted alone, for the CSV. */
static enum bl_status write_predictions(struct trying *trying, struct bl_error *error)
{
    struct bl_measuring *measuring = &trying->measuring;
    struct bl_output *output = &measuring->output;
    const struct bl_run *run = &measuring->run;
    output->view.machine = run->bench.machine;
    const struct bl_device *device = run->bench.device;
    enum bl_status status = bl_output_open_run(
        &measuring->settings->output, device == &any_device ? NULL : device, false, output, error);
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        const struct bl_row row = bl_predicted_row(&run->items[i], run->bench.machine);
        status = bl_sinks_row(output->sinks, &row, error);
    }
    const enum bl_status closed =
        bl_output_close(output, status == BL_OK, status == BL_OK ? error : NULL);
    status = status == BL_OK ? closed : status;
    if (status == BL_OK && measuring->worst != BL_OK)
        status =
            bl_fail(error, measuring->worst, "some expressions failed; the messages above say why");
    return status;
}

static enum bl_status try_all(struct trying *trying, struct bl_error *error)
{
    const struct bl_measure_settings *measure = &trying->settings->measure;
    const struct bl_run *run = &trying->measuring.run;
    enum bl_status status = bl_trying_plan(&trying->plan, error);
    if (status != BL_OK)
        return status;
    bool any = false;
    for (size_t i = 0; i < run->count; i++)
        any |= run->items[i].status == BL_ROW_OK;
    if (!any && !bl_output_is_wanted(&measure->output))
        return bl_fail(
            error, trying->measuring.worst != BL_OK ? trying->measuring.worst : BL_OPENCL_FAILED,
            "there is nothing left to measure");
    /* Without rows, and without a file for them, the means are the last lines, which --quiet
     * leaves. */
    const bool is_last =
        measure->quiet && trying->settings->model_only && !bl_output_is_wanted(&measure->output);
    /* A picture of each of many would hide the table. */
    const bool is_brief = is_last || trying->plan.trials.sweeps > 0;
    if (any && (!measure->quiet || is_last))
        status = print_trials(bl_output_words(&measure->output), &trying->plan, is_brief, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(&trying->plan, error);
    if (status != BL_OK)
        return status;
    return trying->settings->model_only ? write_predictions(trying, error)
                                        : bl_measuring_rows(&trying->measuring, error);
}

/* A run that asks OpenCL nothing: a named machine is all that the model needs. */
static enum bl_status open_model(const struct bl_measure_settings *settings,
                                 struct bl_measuring *measuring, struct bl_error *error)
{
    struct bl_bench *bench = &measuring->run.bench;
    measuring->settings = settings;
    *bench = (struct bl_bench){.device = &any_device, .tolerance = settings->run.tolerance};
    const enum bl_status status =
        bl_output_check(&settings->output, "--machine", settings->run.machine, error);
    return status == BL_OK ? bl_machine_named(settings->run.machine, &measuring->run.own_machine,
                                              &bench->machine, error)
                           : status;
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
    trying->plan.run = &trying->measuring.run;
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
        status = bl_trials_read(settings->patterns, expressions->words, expressions->count,
                                &trying->plan.trials, error);
    const bool needs_device =
        !settings->model_only || !settings->measure.run.machine || settings->measure.run.device;
    if (status == BL_OK)
        status = needs_device ? bl_measuring_open(&settings->measure, &trying->measuring, error)
                              : open_model(&settings->measure, &trying->measuring, error);
    /* If there is a single expression and no file for its row, its failure is the command's. */
    if (trying->plan.trials.count > 1 || bl_output_is_wanted(&settings->measure.output)) {
        trying->plan.failed = take_failure;
        trying->plan.context = &trying->measuring;
    }
    if (status == BL_OK)
        status = try_all(trying, error);
    bl_measuring_close(&trying->measuring);
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
    {"model-only", NULL,
     "predict only: compute the indices, access nothing; with --machine, and without --device, "
     "no device is needed",
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
        "EXPR is OpenCL C over the ids and sizes of a work-item, of integers only; its value is "
        "the element of an array that the work-item accesses. Every index is computed first, on "
        "the host: one that lies outside the array is reported, and then nothing is accessed. A "
        "picture shows which lanes share a line or a bank, the model says what each request costs, "
        "and the pattern is measured against the contiguous access of the same type and shape.",
    .examples = {"bankline try 'get_global_id(0) * 3 + 5' 'get_global_id(0) * 4'",
                 "bankline try 'get_local_id(0) * 33 % 1024' --memory local --type float4"},
    .max_arguments = SIZE_MAX,
    .options = {{.options = options}, BL_MEASURE_PARTS(offsetof(struct try_settings, measure))},
    .settings_bytes = sizeof(struct try_settings),
    .defaults = &defaults,
    .run = run,
};
