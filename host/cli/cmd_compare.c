#include <string.h>

#include "cli/commands.h"
#include "cli/comparison.h"

static enum bl_status check_devices(const struct bl_options *options, const struct bl_row *before,
                                    const struct bl_row *after, struct bl_error *error)
{
    if (options->any_device || strcmp(before->device, after->device) == 0)
        return BL_OK;
    return bl_fail(error, BL_USAGE,
                   "%s was measured on '%.100s' and %s on '%.100s'; --any-device compares them "
                   "all the same",
                   options->cases[0], before->device, options->cases[1], after->device);
}

enum bl_status bl_command_compare(const struct bl_options *options, struct bl_error *error)
{
    struct bl_run_file before = {0}, after = {0};
    enum bl_status status = bl_run_file_read(options->cases[0], &before, error);
    if (status == BL_OK)
        status = bl_run_file_read(options->cases[1], &after, error);
    if (status == BL_OK)
        status = check_devices(options, &before.about, &after.about, error);
    if (status == BL_OK)
        status = bl_comparison_select(options->cases + 2, options->case_count - 2, &before, &after,
                                      error);
    if (status == BL_OK)
        status = bl_comparison_report(options, &before, &after, options->cases, error);
    bl_run_file_free(&before);
    bl_run_file_free(&after);
    return status;
}
