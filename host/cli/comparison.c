#include "cli/comparison.h"

enum bl_status bl_comparison_select(const char *const globs[], size_t count,
                                    struct bl_run_rows *before, struct bl_run_rows *after,
                                    struct bl_error *error)
{
    if (count == 0)
        return BL_OK;
    const size_t found = bl_run_select(before, globs, count);
    if (bl_run_select(after, globs, count) + found > 0)
        return BL_OK;
    return bl_fail(error, BL_UNKNOWN_CASE, "neither run has a case '%s'%s", globs[0],
                   count > 1 ? " or one of the others" : "");
}

enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    struct bl_error *error)
{
    struct bl_comparison comparison = {
        .before = before,
        .after = after,
        .names = {names[0], names[1]},
        .comparing = {settings->threshold, settings->absolute},
    };
    enum bl_status status = bl_compare(&comparison, error);
    if (status == BL_OK)
        status = bl_output_comparison(&settings->output, settings->quiet, &comparison, error);
    if (status == BL_OK && bl_comparison_bad(&comparison) > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                         comparison.counts[BL_CHANGE_SLOWER], comparison.counts[BL_CHANGE_MISSING],
                         comparison.counts[BL_CHANGE_BROKEN]);
    bl_comparison_free(&comparison);
    return status;
}
