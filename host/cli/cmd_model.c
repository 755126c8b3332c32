#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cases.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/requests.h"
#include "model/machine_file.h"
#include "report/layout.h"
#include "report/words.h"
#include "run/measure_case.h"
#include "suites.h"

struct model_settings {
    const char *machine;      /* name or file, or NULL: the guides' */
    const char *show_machine; /* name or file, or NULL */
    const char *requests;     /* a file, or NULL */
    struct bl_plan_settings plan;
    struct bl_output_settings output; /* csv alone */
};

enum column { CASE, SHAPE, CLAIM, LINES, PASSES, PREDICTED, INDEX, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [CASE] = {.name = "case", .width = 24},
    [SHAPE] = {.name = "shape", .width = 7},
    [CLAIM] = {.name = "claim", .width = 6},
    [LINES] = {.name = "lines", .width = 6, .rank = 1, .is_right = true},
    [PASSES] = {.name = "passes", .width = 6, .rank = 2, .is_right = true},
    [PREDICTED] = {.name = "predicted", .width = 9},
    [INDEX] = {.name = "index", .width = 56, .min_width = 24, .rank = 3},
};

static const char *mean(double value, char text[16])
{
    snprintf(text, 16, isfinite(value) ? "%.2f" : "-", value);
    return text;
}

static void print_row(const struct bl_layout *layout, FILE *file, const struct bl_row *row,
                      const struct bl_case *test_case)
{
    char claim[16], predicted[16], lines[16], passes[16], index[128] = "";
    /* Only an index pattern has an index; the other kernels say in bench/ what they do. */
    if (test_case->lay_out == bl_lay_out_pattern && test_case->n)
        snprintf(index, sizeof index, "%s, n = %u", bl_pattern_expression(test_case->pattern),
                 test_case->n);
    else if (test_case->lay_out == bl_lay_out_pattern)
        snprintf(index, sizeof index, "%s", bl_pattern_expression(test_case->pattern));
    const char *const cells[COLUMN_COUNT] = {row->key.case_id,
                                             row->key.shape,
                                             bl_format_ratio(row->claim, claim),
                                             mean(row->lines, lines),
                                             mean(row->bank_passes, passes),
                                             bl_format_prediction(row, predicted),
                                             index};
    bl_layout_row(layout, file, cells);
}

static void print_paragraph(FILE *file, const char *text)
{
    bl_put_wrapped(file, text, 0, 0, bl_line_width(file));
    fputc('\n', file);
}

static enum bl_status predict(const struct model_settings *settings,
                              const struct bl_machine *machine, const struct bl_plan_item items[],
                              size_t count, struct bl_error *error)
{
    FILE *file = bl_output_words(&settings->output);
    const struct bl_layout layout = bl_layout_for(columns, COLUMN_COUNT, bl_line_width(file));
    struct bl_output output = {.view = {.machine = machine}};
    enum bl_status status = bl_output_open_run(&settings->output, NULL, false, &output, error);
    if (status != BL_OK)
        return status;
    char text[512];
    snprintf(text, sizeof text, "machine %s: %s%s%s", machine->name, machine->title,
             machine->has_rule ? "" : "\nno predictions: ", machine->why_no_rule);
    print_paragraph(file, text);
    if (machine->has_rule) {
        fputc('\n', file);
        bl_layout_heading(&layout, file);
    }
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        const struct bl_row row = bl_predicted_row(&items[i], machine);
        if (machine->has_rule)
            print_row(&layout, file, &row, items[i].test_case);
        status = bl_sinks_row(output.sinks, &row, error);
    }
    if (status == BL_OK && machine->has_rule)
        print_paragraph(file, "\nlines, passes: cache lines touched, and words from the busiest "
                              "bank, by a request (means over a launch).");
    const enum bl_status closed =
        bl_output_close(&output, status == BL_OK, status == BL_OK ? error : NULL);
    return status == BL_OK ? closed : status;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *cases,
                          struct bl_error *error)
{
    const struct model_settings *settings = settings_;
    const struct bl_machine *machine;
    struct bl_machine capacity;
    const char *name = settings->show_machine ? settings->show_machine : settings->machine;
    enum bl_status status = bl_output_check(&settings->output, "--machine", name, error);
    if (status == BL_OK)
        status = bl_machine_named(name, &capacity, &machine, error);
    if (status != BL_OK)
        return status;
    if (settings->show_machine) {
        bl_machine_print(stdout, machine);
        return BL_OK;
    }
    if (settings->requests && (cases->count > 0 || bl_output_is_wanted(&settings->output)))
        return bl_fail(error, BL_USAGE,
                       "--requests prints counts of requests: no cases, and no files of rows");
    if (settings->requests)
        return bl_print_requests(settings->requests, machine, error);
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_item *items;
    size_t count;
    status =
        bl_plan_cases(&catalogue, &settings->plan, cases, machine, NULL, &items, &count, error);
    if (status == BL_OK)
        status = predict(settings, machine, items, count, error);
    free(items);
    return status;
}

static const struct bl_option options[] = {
    {"machine", "NAME", "predict for this machine, a name or a file (default: intel-gen9)",
     BL_TEXT(struct model_settings, machine), .completes = BL_COMPLETE_MACHINES},
    {"show-machine", "NAME", "print a machine as a file, every field explained, and nothing else",
     BL_TEXT(struct model_settings, show_machine), .completes = BL_COMPLETE_MACHINES},
    {"requests", "FILE",
     "what single requests cost: lines 'name = MEMORY OP BYTES ADDRESS...', as 'a = local read 4 0 "
     "128', a byte address for each lane",
     BL_TEXT(struct model_settings, requests), .completes = BL_COMPLETE_FILES},
    {0},
};

static const struct model_settings defaults = {.machine = "intel-gen9"};

const struct bl_command bl_command_model = {
    .name = "model",
    .arguments = "[CASE...]",
    .summary = "predictions only; opens no device",
    .description =
        "Prints what the model predicts for each case on a machine: the cache lines and the bank "
        "passes of a request, and the ratio to the baseline. A CASE is an id (local/5), a suite "
        "(local) or a glob ('local/*'); without one, all cases.",
    .examples = {"bankline model local --machine nvidia-hopper --shape 32x1",
                 "bankline model --show-machine nvidia-hopper"},
    .max_arguments = SIZE_MAX,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = options},
                {.options = bl_plan_options, .offset = offsetof(struct model_settings, plan)},
                {.options = bl_csv_options, .offset = offsetof(struct model_settings, output)}},
    .settings_bytes = sizeof(struct model_settings),
    .defaults = &defaults,
    .run = run,
};
