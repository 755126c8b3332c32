#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/comparison.h"

/* What differs between the runs and could explain a change. */
static void tell_difference(const char *what, const char *before, const char *after)
{
    if (strcmp(before, after) != 0)
        printf("%s: %s -> %s\n", what, *before ? before : "unknown", *after ? after : "unknown");
}

/* Rows' clocks that differ by less are a clock's own steps. */
static const double CLOCK_MOVES = 0.02;

static void tell_clocks(const char *name, const struct bl_run_file *run)
{
    if (isfinite(run->least_mhz) && run->most_mhz > run->least_mhz * (1 + CLOCK_MOVES))
        printf("the device's clock moved during %s: %.0f to %.0f MHz\n", name, run->least_mhz,
               run->most_mhz);
}

static void tell_differences(const struct bl_options *options, const struct bl_run_file *before,
                             const struct bl_run_file *after)
{
    const struct bl_row *old = &before->about, *new = &after->about;
    tell_difference("device", old->device, new->device);
    tell_difference("driver", old->driver, new->driver);
    tell_difference("bankline", old->tool_version, new->tool_version);
    tell_difference("host", old->host, new->host);
    tell_difference("kernel", old->os, new->os);
    tell_difference("processor", old->cpu, new->cpu);
    tell_difference("governor", old->governor, new->governor);
    tell_clocks(options->cases[0], before);
    tell_clocks(options->cases[1], after);
    if (fabs(before->most_mhz - after->most_mhz) > CLOCK_MOVES * before->most_mhz)
        printf("the device's clock: %.0f -> %.0f MHz\n", before->most_mhz, after->most_mhz);
}

static enum bl_status check_devices(const struct bl_options *options, const struct bl_row *before,
                                    const struct bl_row *after, struct bl_error *error)
{
    if (options->any_device || strcmp(before->device, after->device) == 0)
        return BL_OK;
    return bl_fail(error, BL_USAGE,
                   "%s was measured on '%.100s' and %s on '%.100s'; --any-device compares them "
                   "all the same", options->cases[0], before->device, options->cases[1],
                   after->device);
}

enum bl_status bl_command_compare(const struct bl_options *options, struct bl_error *error)
{
    struct bl_run_file before = {0}, after = {0};
    struct bl_compared *compared = NULL;
    size_t count = 0;
    enum bl_status status = bl_run_file_read(options->cases[0], &before, error);
    if (status == BL_OK)
        status = bl_run_file_read(options->cases[1], &after, error);
    if (status == BL_OK)
        status = check_devices(options, &before.about, &after.about, error);
    const struct bl_comparing comparing = {options->threshold, options->absolute};
    if (status == BL_OK)
        status = bl_compare(&before, &after, &comparing, &compared, &count, error);
    if (status == BL_OK) {
        if (!options->quiet)
            tell_differences(options, &before, &after);
        status = bl_comparison_print(options, compared, count, error);
    }
    free(compared);
    bl_run_file_free(&before);
    bl_run_file_free(&after);
    return status;
}
