#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/measure.h"
#include "cli/trials.h"
#include "report/picture.h"

struct trying {
    struct bl_run run;
    struct bl_try_setup setup;
    struct bl_try contiguous;
    struct bl_trials trials;
};

static const char *name_of(const struct bl_trial *trial) { return trial->try.id + strlen("try/"); }

/* Finds the indices of every expression. One that cannot be tried is told, and costs the others
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
        if (trial->status == BL_OK)
            continue;
        if (trying->trials.count == 1 && !bl_output_is_wanted(run->options)) {
            *error = failure;
            return trial->status;
        }
        snprintf(trial->reason, sizeof trial->reason, "%s", failure.sentence);
        bl_run_tell(run, name_of(trial), &failure);
        run->worst = run->worst == BL_OK ? trial->status : run->worst;
    }
    return BL_OK;
}

static enum bl_status plan_all(struct trying *trying, struct bl_error *error)
{
    struct bl_run *run = &trying->run;
    run->items = calloc(trying->trials.count, sizeof *run->items);
    if (!run->items)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the plan");
    run->count = trying->trials.count;
    uint64_t data_bytes = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_trial *trial = &trying->trials.all[i];
        struct bl_plan_item *item = &run->items[i];
        bl_try_plan(&trial->try, &trying->contiguous, &trying->setup, &run->bench, item);
        if (trial->status != BL_OK)
            snprintf(item->reason, sizeof item->reason, "%s", trial->reason);
        if (strcmp(name_of(trial), trial->try.expression.text) != 0 && !item->own.note[0])
            snprintf(item->own.note, sizeof item->own.note, "%s", trial->try.expression.text);
        if (item->status == BL_ROW_OK && item->own.data_bytes > data_bytes)
            data_bytes = item->own.data_bytes;
    }
    uint64_t base_bytes = 0;
    enum bl_status status =
        data_bytes ? bl_try_address(&trying->setup, &run->bench, data_bytes, &base_bytes, error)
                   : BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++)
        status = bl_try_predict(&run->bench, base_bytes, &run->items[i], error);
    return status;
}

/* The first request of the launch. */
static void draw(const struct trying *trying, const struct bl_trial *trial,
                 const struct bl_plan_item *item)
{
    const struct bl_machine *machine = trying->run.bench.machine;
    const struct bl_launch *launch = &item->own.launch;
    printf("%s\n", name_of(trial));
    if (strcmp(name_of(trial), trial->try.expression.text) != 0)
        printf("  %s\n", trial->try.expression.text);
    uint64_t addresses_bytes[BL_MAX_LANES];
    for (unsigned lane = 0; lane < launch->lanes; lane++)
        addresses_bytes[lane] =
            launch->base_bytes + trial->try.starts[lane] * launch->type->element_bytes;
    struct bl_part parts[BL_MAX_PARTS];
    bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    const struct bl_request request = {launch->memory, launch->is_write, parts[0].bytes,
                                       launch->lanes, addresses_bytes};
    bl_picture(stdout, machine, &request);
    putchar('\n');
}

static void print_mean(double mean)
{
    if (isfinite(mean))
        printf(" %8.2f", mean);
    else
        printf(" %8s", "-");
}

static void print_means(const char *name, const struct bl_workload *workload, double predicted)
{
    char ratio[16];
    if (strlen(name) > 36) {
        puts(name);
        name = "";
    }
    printf("%-36s", name);
    print_mean(workload->lines);
    print_mean(workload->sectors);
    print_mean(workload->tag_passes);
    print_mean(workload->bank_passes);
    print_mean(workload->clocks / workload->requests);
    printf("  %s\n", bl_format_ratio(predicted, ratio));
}

static void print_model(const struct trying *trying)
{
    static const char *const directions[] = {"reads", "writes"};
    const struct bl_machine *machine = trying->run.bench.machine;
    const struct bl_try_setup *setup = &trying->setup;
    if (!machine->has_rule) {
        printf("machine %s has no predictions: %s.\n'--machine nvidia', or a file, predicts for "
               "another machine.\n\n",
               machine->name, machine->why_no_rule);
        return;
    }
    const struct bl_plan_item *items = trying->run.items;
    for (size_t i = 0; i < trying->run.count; i++)
        if (items[i].status == BL_ROW_OK)
            draw(trying, &trying->trials.all[i], &items[i]);
    printf("machine %s: %s of %s in %s memory, groups of %ux%u, ids over %ux%u groups\n\n",
           machine->name, directions[setup->is_write], setup->type.name,
           bl_memory_name(setup->memory), setup->shape.x, setup->shape.y, setup->groups.x,
           setup->groups.y);
    printf("%-36s %8s %8s %8s %8s %8s  %s\n", "means over the launch's requests", "lines",
           "sectors", "tags", "banks", "clocks", "predicted");
    for (size_t i = 0; i < trying->run.count; i++)
        if (items[i].status == BL_ROW_OK)
            print_means(name_of(&trying->trials.all[i]), &items[i].own,
                        bl_planned_row(&items[i], machine).predicted);
    print_means("contiguous", &items[0].baseline, 1);
    printf(
        "\ntags, banks: lines that the busiest tag bank looks up, and words that the busiest bank "
        "delivers; a\nrequest takes the larger of them in clocks. predicted: clocks of the "
        "contiguous access over these.\n\n");
}

/* Rows of what was predicted alone, for the CSV. */
static enum bl_status write_predictions(struct trying *trying, struct bl_error *error)
{
    struct bl_run *run = &trying->run;
    enum bl_status status = bl_output_open(run->options, run->bench.device, &run->output, error);
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        struct bl_row row = bl_planned_row(&run->items[i], run->bench.machine);
        if (row.status == BL_ROW_OK) {
            row.status = BL_ROW_SKIPPED;
            snprintf(row.reason, sizeof row.reason, "predicted, not measured");
        }
        status = bl_output_row(&run->output, &row, error);
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
    const struct bl_options *options = trying->run.options;
    enum bl_status status = probe_all(trying, error);
    if (status == BL_OK)
        status = plan_all(trying, error);
    if (status != BL_OK)
        return status;
    bool any = false;
    for (size_t i = 0; i < trying->run.count; i++)
        any |= trying->run.items[i].status == BL_ROW_OK;
    if (!any && !bl_output_is_wanted(options))
        return bl_fail(error, trying->run.worst != BL_OK ? trying->run.worst : BL_OPENCL_FAILED,
                       "there is nothing left to measure");
    if (any && !options->quiet)
        print_model(trying);
    return options->model_only ? write_predictions(trying, error)
                               : bl_run_items(&trying->run, error);
}

enum bl_status bl_command_try(const struct bl_options *options, struct bl_error *error)
{
    struct trying *trying = calloc(1, sizeof *trying);
    if (!trying)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run");
    trying->setup = (struct bl_try_setup){
        .memory = options->memory,
        .is_write = options->write,
        .type = options->type,
        .shape = options->shape,
        .groups = options->groups,
        .array_elements = options->array_elements,
    };
    enum bl_status status = bl_trials_read(options, &trying->trials, error);
    if (status == BL_OK)
        status = bl_run_open(options, &trying->run, error);
    if (status == BL_OK)
        status = try_all(trying, error);
    bl_run_close(&trying->run);
    bl_try_close(&trying->contiguous);
    bl_trials_free(&trying->trials);
    free(trying);
    return status;
}
