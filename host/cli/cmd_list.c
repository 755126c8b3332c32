#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "measure_case.h"
#include "report/table.h"

/* One case in the row or own form that its claim is about, on the guide's machine or another. */
static void print_case(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_row row = bl_planned_row(item, machine);
    char claim[16], predicted[16];
    printf("%-13s %-6s %-9s  %-55s  %s\n", row.case_id, bl_format_ratio(item->claim, claim),
           bl_format_ratio(row.predicted, predicted), item->test_case->document,
           item->test_case->title);
}

enum bl_status bl_command_list(const struct bl_options *options, struct bl_error *error)
{
    const struct bl_machine *machine;
    enum bl_status status =
        bl_machine_find(options->machine ? options->machine : "intel-gen9", &machine, error);
    if (status != BL_OK)
        return status;
    const struct bl_plan_wish wish = {
        .selectors = options->cases, .selector_count = options->case_count, .quick = true};
    struct bl_plan_item *items;
    size_t count;
    status = bl_plan(&wish, machine, NULL, &items, &count, error);
    if (status != BL_OK)
        return status;
    printf("%-13s %-6s %-9s  %-55s  %s\n", "case", "claim", "predicted", "document", "gist");
    const struct bl_case *last = NULL;
    for (size_t i = 0; i < count; i++) {
        /* The first row of a case is at the guide's width, in its own form. */
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= items[j].test_case == items[i].test_case;
        if (seen)
            continue;
        if (last && bl_suite_of(last) != bl_suite_of(items[i].test_case))
            putchar('\n');
        last = items[i].test_case;
        print_case(&items[i], machine);
    }
    printf("\npredicted: for machine %s, in the shape of the claim (16 work-items); "
           "shape/other in 8x2.\n", machine->name);
    free(items);
    return BL_OK;
}
