/* A comparison of two runs, as a person reads it, and as documents. */
#ifndef BANKLINE_CLI_COMPARISON_H
#define BANKLINE_CLI_COMPARISON_H

#include "cli/output.h"

/* Keeps in both runs the cases alone that the globs name, all without a glob. BL_UNKNOWN_CASE when
 * neither has one. */
enum bl_status bl_comparison_select(const char *const globs[], size_t count,
                                    struct bl_run_rows *before, struct bl_run_rows *after,
                                    struct bl_error *error);

/* Compares the runs, which are called `names`, prints the table and writes the files. BL_OK;
 * BL_BAD_NEWS when a row is slower, missing or broken; as bl_output_comparison. */
enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    struct bl_error *error);

#endif
