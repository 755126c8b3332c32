#include "cli/comparison.h"

enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    const char *const globs[], size_t glob_count,
                                    struct bl_error *error)
{
    struct bl_comparison comparison = {
        .before = before,
        .after = after,
        .names = {names[0], names[1]},
        .comparing = {settings->threshold, settings->absolute},
        .selectors = globs,
        .selector_count = glob_count,
    };
    enum bl_status status = bl_compare(&comparison, error);
    if (status == BL_OK && glob_count > 0 && comparison.count == 0)
        status = bl_fail(error, BL_UNKNOWN_CASE, "neither run has a case '%s'%s", globs[0],
                         glob_count > 1 ? " or one of the others" : "");
    if (status == BL_OK)
        status = bl_output_comparison(&settings->output, settings->quiet, &comparison, error);
    if (status == BL_OK && bl_comparison_bad(&comparison) > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                         comparison.counts[BL_CHANGE_SLOWER], comparison.counts[BL_CHANGE_MISSING],
                         comparison.counts[BL_CHANGE_BROKEN]);
    bl_comparison_free(&comparison);
    return status;
}
