/* A comparison of two runs, as a person reads it, and as documents. */
#ifndef BANKLINE_CLI_CMD_COMPARE_H
#define BANKLINE_CLI_CMD_COMPARE_H

#include "cli/output.h"

/* Compares the runs, which are called `names`, prints the rows of those cases alone that a glob
 * names (all without one), and writes the files. BL_OK; BL_BAD_NEWS when such a row is slower,
 * missing or broken; BL_UNKNOWN_CASE when neither run has such a case; as bl_output_comparison. */
enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    const char *const globs[], size_t glob_count,
                                    struct bl_error *error);

#endif
