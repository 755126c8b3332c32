#include <stdlib.h>

#include "cli/commands.h"
#include "cli/measure.h"
#include "suites.h"

enum bl_status bl_command_run(const struct bl_options *options, struct bl_error *error)
{
    struct bl_run *run = malloc(sizeof *run);
    if (!run)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run");
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = options->cases,
                                          .selector_count = options->case_count,
                                          .quick = options->quick,
                                          .shape = options->shape};
    enum bl_status status = bl_run_open(options, run, error);
    if (status == BL_OK)
        status = bl_plan(&catalogue, &filter, run->bench.machine, run->bench.device, &run->items,
                         &run->count, error);
    if (status == BL_OK)
        status = bl_run_items(run, error);
    bl_run_close(run);
    free(run);
    return status;
}
