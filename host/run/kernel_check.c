/* Checks of built kernels. A kernel that lacks a definition may still build, and compute the right
 * sums as fast as another kernel. Only the driver's report and the other rows then show that it
 * measures something else. */
#include "run/kernel_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "report/row.h"
#include "run/case.h"
#include "run/runner.h"

enum bl_status bl_check_local_bytes(const struct bl_workload *workload,
                                    const struct bl_local_report *report, uint64_t bytes,
                                    struct bl_error *error)
{
    const bool is_local = workload->launch.memory == BL_MEMORY_LOCAL;
    const bool has_local = 2 * bytes > report->without + report->with;
    const char *kernel = workload->build.kernel;
    if (report->with <= report->without || is_local == has_local)
        return BL_OK;
    if (is_local)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "measures local memory, but the driver says that kernel %s uses none",
                       kernel);
    return bl_fail(error, BL_OPENCL_FAILED,
                   "measures %s memory, but the driver says that kernel %s uses %" PRIu64
                   " bytes of local memory",
                   bl_memory_name(workload->launch.memory), kernel, bytes);
}

enum bl_status bl_check_kernels_differ(struct bl_bench *bench, const struct bl_case *test_case,
                                       const char *kernels, struct bl_error *error)
{
    struct bl_measured_kernels *measured = &bench->measured;
    for (size_t i = 0; i < measured->count; i++) {
        const struct bl_case *other = measured->all[i].test_case;
        if (strcmp(measured->all[i].kernels, kernels) == 0 &&
            strcmp(other->id, test_case->id) != 0 && !other->same_kernels &&
            !test_case->same_kernels)
            return bl_fail(error, BL_OPENCL_FAILED,
                           "has the kernels of %s (hash %s): one of the two does not measure what "
                           "it is named after",
                           other->id, kernels);
    }
    struct bl_named_kernels *named = bl_array_append(&measured->all, &measured->count,
                                                     &measured->capacity, sizeof *measured->all);
    if (!named)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the kernels' names");
    named->test_case = test_case;
    snprintf(named->kernels, sizeof named->kernels, "%s", kernels);
    return BL_OK;
}

static enum bl_status ask_report(struct bl_bench *bench, struct bl_error *error)
{
    struct bl_local_report *report = &bench->local_report;
    struct bl_kernel *without, *with;
    enum bl_status status = BL_OK;
    if (report->was_asked)
        return BL_OK;
    status = bl_session_kernel(
        bench->session, &(struct bl_kernel_source){"local_report.cl", "without_local", "", NULL},
        &without, error);
    if (status == BL_OK)
        status = bl_session_kernel(
            bench->session, &(struct bl_kernel_source){"local_report.cl", "with_local", "", NULL},
            &with, error);
    if (status == BL_OK)
        status = bl_kernel_local_bytes(bench->session, without, &report->without, error);
    if (status == BL_OK)
        status = bl_kernel_local_bytes(bench->session, with, &report->with, error);
    report->was_asked = status == BL_OK;
    return status;
}

enum bl_status bl_check_kernels(struct bl_bench *bench, const struct bl_runner *own,
                                const struct bl_runner *baseline, const struct bl_row *row,
                                struct bl_error *error)
{
    const struct bl_runner *const both[] = {own, baseline};
    enum bl_status status = ask_report(bench, error);
    for (unsigned i = 0; i < 2 && status == BL_OK; i++) {
        uint64_t bytes;
        if (both[i]->workload->buffers.local_argument) /* the driver does not know its size yet */
            continue;
        status = bl_kernel_local_bytes(bench->session, both[i]->kernel, &bytes, error);
        if (status == BL_OK)
            status = bl_check_local_bytes(both[i]->workload, &bench->local_report, bytes, error);
    }
    /* A user may give the same expression twice, under two names. */
    if (status != BL_OK || own->workload->build.expression)
        return status;
    return bl_check_kernels_differ(bench, own->workload->setting.test_case, row->kernels, error);
}
