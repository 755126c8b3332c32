#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "model/machine_file.h"
#include "report/table.h"
#include "run/measure_case.h"
#include "suites.h"

static void print_mean(double mean)
{
    if (isfinite(mean))
        printf(" %6.2f", mean);
    else
        printf(" %6s", "-");
}

static void print_row(const struct bl_row *row, const struct bl_plan_item *item)
{
    char claim[16], predicted[16];
    printf("%-24s %-7s %-6s", row->case_id, row->shape, bl_format_ratio(row->claim, claim));
    print_mean(row->lines);
    print_mean(row->bank_passes);
    printf(" %-9s", bl_format_ratio(row->predicted, predicted));
    /* Only an index pattern has an index; the other kernels say in bench/ what they do. */
    if (item->test_case->lay_out == bl_lay_out_pattern) {
        printf("  %s", bl_pattern_expression(item->test_case->pattern));
        if (item->test_case->n)
            printf(", n = %u", item->test_case->n);
    }
    putchar('\n');
}

enum bl_status bl_command_model(const struct bl_options *options, struct bl_error *error)
{
    const struct bl_machine *machine;
    struct bl_machine capacity;
    const char *name = options->show_machine ? options->show_machine : options->machine;
    enum bl_status status =
        bl_machine_named(name ? name : "intel-gen9", &capacity, &machine, error);
    if (status != BL_OK)
        return status;
    if (options->show_machine) {
        bl_machine_print(stdout, machine);
        return BL_OK;
    }
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = options->cases,
                                          .selector_count = options->case_count,
                                          .quick = options->quick,
                                          .shape = options->shape};
    struct bl_plan_item *items;
    size_t count;
    status = bl_plan(&catalogue, &filter, machine, NULL, &items, &count, error);
    if (status != BL_OK)
        return status;
    struct bl_output output;
    status = bl_output_open(options, NULL, &output, error);
    if (status == BL_OK) {
        printf("machine %s: %s\n", machine->name, machine->title);
        if (machine->has_rule)
            printf("\n%-24s %-7s %-6s %6s %6s %-9s  %s\n", "case", "shape", "claim", "lines",
                   "passes", "predicted", "index");
        else
            printf("no predictions: %s\n", machine->why_no_rule);
    }
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        struct bl_row row = bl_planned_row(&items[i], machine);
        if (machine->has_rule)
            print_row(&row, &items[i]);
        if (row.status == BL_ROW_OK) {
            row.status = BL_ROW_SKIPPED;
            snprintf(row.reason, sizeof row.reason, "predicted, not measured");
        }
        status = bl_output_row(&output, &row, error);
    }
    if (status == BL_OK && machine->has_rule)
        printf(
            "\nlines, passes: cache lines touched, and words from the busiest bank, by a request "
            "(means over a launch).\n");
    const enum bl_status closed =
        bl_output_close(&output, status == BL_OK, status == BL_OK ? error : NULL);
    free(items);
    return status == BL_OK ? closed : status;
}
