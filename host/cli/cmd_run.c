/* `bankline run`: measures cases and, with --compare, compares the run with an earlier run. */
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"
#include "report/run.h"
#include "suites.h"

struct run_settings {
    struct bl_measure_settings measure;
    const char *compare; /* CSV of an earlier run to compare with; or NULL */
};

/* Reads the run that --compare names, before anything is measured, and checks that it is of the
 * same device. */
static enum bl_status read_before(const struct run_settings *settings,
                                  const struct bl_device *device, struct bl_run_rows *before,
                                  struct bl_error *error)
{
    const char *path = settings->compare;
    enum bl_status status = bl_output_check(&settings->measure.output, "--compare", path, error);
    if (status == BL_OK)
        status = bl_run_read(path, before, error);
    if (status == BL_OK && strcmp(before->info.device, device->name) != 0)
        status = bl_fail(
            error, BL_USAGE,
            "--compare %s: that run was measured on '%.100s', but this device is '%.100s'; to "
            "compare them anyway, use 'bankline compare --any-device'",
            path, before->info.device, device->name);
    return status;
}

static enum bl_status compare(const struct run_settings *settings, struct bl_measuring *measuring,
                              const struct bl_run_rows *before, struct bl_error *error)
{
    const struct bl_measure_settings *measure = &settings->measure;
    struct bl_run_rows *now = &measuring->kept;
    const char *const names[] = {settings->compare, "this run"};
    const struct bl_change_settings change = {
        .threshold = 0.02,
        .quiet = measure->quiet,
        .on_stderr = bl_output_words(&measure->output) == stderr,
    };
    bl_run_sort(now);
    if (!measure->quiet)
        fputc('\n', change.on_stderr ? stderr : stdout);
    return bl_comparison_report(&change, before, now, names, NULL, 0, error);
}

static enum bl_status run_cases(const void *settings_, const struct bl_arguments *cases,
                                struct bl_error *error)
{
    const struct run_settings *settings = settings_;
    struct bl_measuring *measuring = malloc(sizeof *measuring);
    if (!measuring)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting a run");
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_filter filter = settings->measure.plan;
    filter.selectors = cases->words;
    filter.selector_count = cases->count;
    struct bl_run *run = &measuring->run;
    struct bl_run_rows before = {0};
    enum bl_status status = bl_measuring_open(&settings->measure, measuring, error);
    measuring->keeps = settings->compare != NULL;
    measuring->asked = &filter;
    if (status == BL_OK && settings->compare)
        status = read_before(settings, run->bench.device, &before, error);
    if (status == BL_OK)
        status = bl_plan(&catalogue, &filter, run->bench.machine, run->bench.device, &run->items,
                         &run->count, error);
    if (status == BL_OK) {
        status = bl_measuring_rows(measuring, error);
        /* The rows are compared even if some of them failed. */
        if (settings->compare && measuring->kept.count == run->count) {
            const bool is_first = status == BL_OK;
            const enum bl_status compared =
                compare(settings, measuring, &before, is_first ? error : NULL);
            status = is_first ? compared : status;
        }
    }
    bl_run_free(&before);
    bl_measuring_close(measuring);
    free(measuring);
    return status;
}

static const struct bl_option options[] = {
    {"compare", "OLD.csv", "then compare with the run in OLD.csv, as 'bankline compare' does",
     BL_TEXT(struct run_settings, compare), .completes = BL_COMPLETE_FILES},
    {0},
};

static const struct run_settings defaults = {.measure = BL_MEASURE_DEFAULTS};

const struct bl_command bl_command_run = {
    .name = "run",
    .arguments = "[CASE...]",
    .summary = "measure, and compare each ratio with its prediction",
    .description =
        "Measures each case and its baseline on an OpenCL device, and prints the guide's claim, "
        "the model's prediction, the measured ratio with its 95 % confidence interval, "
        "and whether the prediction is confirmed. Without a CASE, all cases are measured; a CASE "
        "is an id (local/5), a suite (local) or a glob ('local/*'). At the end, prints the "
        "throughput (GB/s, bytes per clock and compute unit) and the latency (ns) of each level of "
        "memory.",
    .examples = {"bankline run local global --csv today.csv --compare last-week.csv",
                 "bankline run 'shape/*' --device 0:0 --quick"},
    .max_arguments = SIZE_MAX,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = options}, BL_MEASURE_PARTS(offsetof(struct run_settings, measure))},
    .settings_bytes = sizeof(struct run_settings),
    .defaults = &defaults,
    .run = run_cases,
};
