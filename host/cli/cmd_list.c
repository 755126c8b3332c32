#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "model/machine_file.h"
#include "report/table.h"
#include "run/measure_case.h"
#include "suites.h"

/* The first row of a case is at the guide's width, in the form of its claim; NULL when the case is
 * not selected. */
static const struct bl_plan_item *first_of(const struct bl_case *test_case,
                                           const struct bl_plan_item items[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].test_case == test_case)
            return &items[i];
    return NULL;
}

static void print_case(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_row row = bl_planned_row(item, machine);
    char claim[16], predicted[16];
    printf("%-24s %-6s %-9s  %-24s  %-60s  %s\n", row.case_id, bl_format_ratio(item->claim, claim),
           bl_format_prediction(&row, predicted), item->test_case->baseline,
           item->test_case->document, item->test_case->title);
}

enum bl_status bl_command_list(const struct bl_options *options, struct bl_error *error)
{
    const struct bl_machine *machine;
    struct bl_machine capacity;
    enum bl_status status = bl_machine_named(options->machine ? options->machine : "intel-gen9",
                                             &capacity, &machine, error);
    if (status != BL_OK)
        return status;
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = options->cases,
                                          .selector_count = options->case_count};
    struct bl_plan_item *items;
    size_t count;
    status = bl_plan(&catalogue, &filter, machine, NULL, &items, &count, error);
    if (status != BL_OK)
        return status;
    printf("%-24s %-6s %-9s  %-24s  %-60s  %s\n", "case", "claim", "predicted", "against",
           "document", "gist");
    const struct bl_suite *const *suites = catalogue.suites;
    for (size_t s = 0, shown = 0; s < catalogue.count; s++)
        for (size_t c = 0; c < suites[s]->count; c++) {
            const struct bl_plan_item *item = first_of(&suites[s]->cases[c], items, count);
            if (!item)
                continue;
            if (c == 0 && shown > 0)
                putchar('\n');
            print_case(item, machine);
            shown++;
        }
    printf("\npredicted: for machine %s, in the shape of the claim (16 work-items); "
           "shape/other in 8x2.\n",
           machine->name);
    free(items);
    return BL_OK;
}
