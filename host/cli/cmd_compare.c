#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "report/compare.h"
#include "report/table.h"

static const char *part_of(const char *key, unsigned number, size_t *length)
{
    for (; number > 0; number--)
        key += strcspn(key, "\n") + 1;
    *length = strcspn(key, "\n");
    return key;
}

static void print_row(const struct bl_compared *row)
{
    const char *key = row->key;
    size_t case_length, type_length, shape_length;
    const char *case_id = part_of(key, 0, &case_length);
    const char *type = part_of(key, 1, &type_length), *shape = part_of(key, 2, &shape_length);
    printf("%-8s %-24.*s %-7.*s %-7.*s", bl_change_name(row->change), (int)case_length, case_id,
           (int)shape_length, shape, (int)type_length, type);
    if (row->before && row->after && isfinite(row->by))
        printf(" %+7.2f %%  %.4f [%.4f, %.4f] -> %.4f [%.4f, %.4f]%s", 100 * row->by,
               row->before->ratio.median, row->before->ratio.lo, row->before->ratio.hi,
               row->after->ratio.median, row->after->ratio.lo, row->after->ratio.hi,
               row->is_absolute ? "  (in clocks, not against its baseline)" : "");
    else if (row->after && row->after->reason)
        printf("  %s", row->after->reason);
    putchar('\n');
}

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

static enum bl_status print_all(const struct bl_options *options,
                                const struct bl_compared compared[], size_t count,
                                struct bl_error *error)
{
    size_t counts[BL_CHANGE_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        counts[compared[i].change]++;
        /* Rows of which nobody can tell are worth a line where they look like a change. */
        const bool is_told = compared[i].change == BL_CHANGE_UNCLEAR
                                 ? fabs(compared[i].by) >= options->threshold
                                 : compared[i].change != BL_CHANGE_SAME;
        if (is_told && !options->quiet)
            print_row(&compared[i]);
    }
    printf("%zu row%s:", count, count == 1 ? "" : "s");
    const char *separator = " ";
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (counts[change]) {
            printf("%s%zu %s", separator, counts[change], bl_change_name((enum bl_change)change));
            separator = ", ";
        }
    putchar('\n');
    if (counts[BL_CHANGE_SLOWER] + counts[BL_CHANGE_MISSING] + counts[BL_CHANGE_BROKEN] == 0)
        return BL_OK;
    return bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                   counts[BL_CHANGE_SLOWER], counts[BL_CHANGE_MISSING], counts[BL_CHANGE_BROKEN]);
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
        status = print_all(options, compared, count, error);
    }
    free(compared);
    bl_run_file_free(&before);
    bl_run_file_free(&after);
    return status;
}
