/* `bankline compare`: what changed between two runs. */
#include <string.h>

#include "cli/output.h"
#include "report/run.h"

struct compare_settings {
    struct bl_change_settings change;
    bool any_device;
};

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct compare_settings *settings = settings_;
    const char *const *paths = arguments->words;
    struct bl_run_rows before = {0}, after = {0};
    enum bl_status status = bl_output_check(&settings->change.output, "OLD.csv", paths[0], error);
    if (status == BL_OK)
        status = bl_output_check(&settings->change.output, "NEW.csv", paths[1], error);
    if (status == BL_OK)
        status = bl_run_read(paths[0], &before, error);
    if (status == BL_OK)
        status = bl_run_read(paths[1], &after, error);
    if (status == BL_OK && !settings->any_device &&
        strcmp(before.info.device, after.info.device) != 0)
        status = bl_fail(
            error, BL_USAGE,
            "%s was measured on '%.100s' and %s on '%.100s'; --any-device compares them anyway",
            paths[0], before.info.device, paths[1], after.info.device);
    if (status == BL_OK)
        status = bl_comparison_report(&settings->change, &before, &after, paths, paths + 2,
                                      arguments->count - 2, error);
    bl_run_free(&before);
    bl_run_free(&after);
    return status;
}

static const struct bl_option options[] = {
    {"any-device", NULL, "compare the runs even if their devices differ",
     BL_FLAG(struct compare_settings, any_device)},
    {0},
};

static const struct compare_settings defaults = {.change = BL_CHANGE_DEFAULTS};

const struct bl_command bl_command_compare = {
    .name = "compare",
    .arguments = "OLD.csv NEW.csv [CASE...]",
    .summary = "what got slower between two runs",
    .description =
        "Matches the rows of two runs' CSV files, or only the rows of the CASEs. Prints how the "
        "runs' hosts, devices and drivers differ, and which rows are new, missing, broken, slower "
        "or faster. A row is slower or faster if it changed by at least half the threshold, and by "
        "more than chance explains in a comparison of so many rows. Exits with 1 if a row is "
        "slower, missing or broken.",
    .examples = {"bankline compare last-week.csv today.csv --threshold 2%",
                 "bankline compare old.csv new.csv 'local/*' --markdown changes.md"},
    .min_arguments = 2,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_CASES,
    .options = {BL_CHANGE_PARTS(offsetof(struct compare_settings, change)), {.options = options}},
    .settings_bytes = sizeof(struct compare_settings),
    .defaults = &defaults,
    .run = run,
};
