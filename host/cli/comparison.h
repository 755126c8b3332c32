/* A comparison of two runs, as a person reads it, and as documents. */
#ifndef BANKLINE_CLI_COMPARISON_H
#define BANKLINE_CLI_COMPARISON_H

#include "cli/options.h"
#include "report/compare.h"

/* Keeps in both runs the cases alone that the globs name, all without a glob. BL_UNKNOWN_CASE when
 * neither has one. */
enum bl_status bl_comparison_select(const char *const globs[], size_t count,
                                    struct bl_run_file *before, struct bl_run_file *after,
                                    struct bl_error *error);

/* Compares the runs, and prints what differs between their machines, the rows that changed, and how
 * many there are of each kind (only that with --quiet); then writes the documents that the options
 * name. `names` are what the two runs are called. BL_OK; BL_BAD_NEWS when a row is slower, missing
 * or broken; BL_FILE_FAILED for a document, BL_USAGE for one that this program cannot write. */
enum bl_status bl_comparison_report(const struct bl_options *options,
                                    const struct bl_run_file *before,
                                    const struct bl_run_file *after, const char *const names[2],
                                    struct bl_error *error);

#endif
