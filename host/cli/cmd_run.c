/* `bankline run`: measures cases. */
#include <stdlib.h>

#include "cli/measure.h"
#include "suites.h"

static enum bl_status run_cases(const void *settings_, const struct bl_arguments *cases,
                                struct bl_error *error)
{
    const struct bl_measure_settings *settings = settings_;
    struct bl_measuring *measuring = malloc(sizeof *measuring);
    if (!measuring)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run");
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_filter filter = settings->plan;
    filter.selectors = cases->words;
    filter.selector_count = cases->count;
    struct bl_run *run = &measuring->run;
    enum bl_status status = bl_measuring_open(settings, measuring, error);
    if (status == BL_OK)
        status = bl_plan(&catalogue, &filter, run->bench.machine, run->bench.device, &run->items,
                         &run->count, error);
    if (status == BL_OK)
        status = bl_measuring_rows(measuring, error);
    bl_measuring_close(measuring);
    free(measuring);
    return status;
}

static const struct bl_measure_settings defaults = BL_MEASURE_DEFAULTS;

const struct bl_command bl_command_run = {
    .name = "run",
    .arguments = "[CASE...]",
    .summary = "measure, and hold each ratio against its prediction",
    .description =
        "Measures each case against its baseline on an OpenCL device and prints the guide's "
        "claim, the model's prediction, the measured ratio with its 95 % confidence interval, "
        "and whether the prediction is confirmed. Without a CASE all cases are measured; a CASE "
        "is an id (local/5), a suite (local) or a glob ('local/*').",
    .examples = {"bankline run local global --csv run.csv",
                 "bankline run 'shape/*' --device 0:0 --quick"},
    .max_arguments = SIZE_MAX,
    .completes_more = BL_COMPLETE_CASES,
    .options = {BL_MEASURE_PARTS(0)},
    .settings_bytes = sizeof(struct bl_measure_settings),
    .defaults = &defaults,
    .run = run_cases,
};
