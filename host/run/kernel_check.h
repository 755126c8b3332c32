/* Whether a row's kernels can be what its case describes, judged by the driver's reports and by the
 * kernels of other rows. */
#ifndef BANKLINE_RUN_KERNEL_CHECK_H
#define BANKLINE_RUN_KERNEL_CHECK_H

#include <stdint.h>

#include "run/measure_case.h"

struct bl_runner;

/* bytes: local memory of the workload's kernel as the driver reports it. A case in local memory
 * must have some, any other none, as far as the driver tells them apart. BL_OK, or BL_OPENCL_FAILED
 * with the reason. */
enum bl_status bl_check_local_bytes(const struct bl_workload *workload,
                                    const struct bl_local_report *report, uint64_t bytes,
                                    struct bl_error *error);

/* Two cases of one run that have the same kernels measure one thing under two names, unless the
 * catalogue says why (bl_case.same_kernels). Remembers the case in bench. BL_OK, BL_NO_MEMORY, or
 * BL_OPENCL_FAILED with the other case's name. */
enum bl_status bl_check_kernels_differ(struct bl_bench *bench, const struct bl_case *test_case,
                                       const char *kernels, struct bl_error *error);

/* Checks both, for a row whose column `kernels` is filled in. Builds two kernels once to learn what
 * the driver reports, so it may also return what bl_session_kernel returns. */
enum bl_status bl_check_kernels(struct bl_bench *bench, const struct bl_runner *own,
                                const struct bl_runner *baseline, const struct bl_row *row,
                                struct bl_error *error);

#endif
