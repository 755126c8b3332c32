/* Checks of built kernels, and what changes if they run in other sub-groups. A kernel that lacks a
 * definition may still build, and compute the right sums as fast as another kernel. Only the
 * driver's report and the other rows then show that it measures something else. */
#include "run/kernel_check.h"

#include <inttypes.h>
#include <math.h>
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
                       "it measures local memory, but the driver says that kernel %s uses none",
                       kernel);
    return bl_fail(error, BL_OPENCL_FAILED,
                   "it measures %s memory, but the driver says that kernel %s uses %" PRIu64
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
            return bl_fail(
                error, BL_OPENCL_FAILED,
                "it has the kernels of %s (hash %s): one of the two does not measure what "
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

/* Sub-groups. The model assumes requests with as many lanes as the machine has. A driver may run a
 * kernel in other sub-groups; then the cost is computed for those, or removed if there is no rule.
 */

/* Computes the workload's cost and number of requests as on a machine with this many lanes. An
 * expression is charged by its known starts, at the array's last address. */
static bool charge_in_lanes(struct bl_workload *workload, const struct bl_machine *machine,
                            unsigned lanes)
{
    const struct bl_replicas *replicas = &workload->replicas;
    struct bl_launch *launch = &workload->launch;
    struct bl_machine narrower = *machine;
    narrower.lanes = lanes;
    struct bl_setting setting = workload->setting;
    setting.machine = &narrower;
    if (!setting.test_case->lay_out) {
        if (!replicas->starts || workload->level || !isfinite(workload->cost.clocks))
            return false;
        const double planned = (double)bl_launch_requests(launch);
        launch->lanes = lanes;
        workload->work.requests *= (double)bl_launch_requests(launch) / planned;
        bl_lay_out_cost(workload, &narrower, replicas->starts,
                        replicas->start_count / bl_launch_group_items(launch));
        return true;
    }
    struct bl_workload again;
    setting.test_case->lay_out(&setting, &again);
    if (again.status != BL_ROW_OK)
        return false;
    launch->lanes = again.launch.lanes;
    workload->cost = again.cost;
    workload->work.requests = again.work.requests * workload->work.units / again.work.units;
    workload->work.bytes_per_delivered = again.work.bytes_per_delivered;
    return true;
}

/* The lanes of the group's requests, or 0 if they are as planned. */
static size_t other_lanes(const struct bl_launch *launch, size_t sub_group_size)
{
    const size_t items = bl_launch_group_items(launch);
    const size_t lanes = sub_group_size < items ? sub_group_size : items;
    return lanes == launch->lanes ? 0 : lanes;
}

/* Adapts one workload; returns whether its requests differ from the plan. */
static bool adapt(struct bl_workload *workload, const struct bl_machine *machine, size_t lanes)
{
    if (lanes % workload->launch.lanes == 0 || !machine->has_rule)
        return false;
    if (lanes < workload->launch.lanes && charge_in_lanes(workload, machine, (unsigned)lanes))
        return true;
    if (workload->level) /* the note is about the planned requests */
        workload->note[0] = '\0';
    workload->cost = (struct bl_mean_cost){
        NAN, NAN, NAN, NAN, NAN, .why_none = "the model has no rule for such sub-groups"};
    return true;
}

bool bl_item_in_sub_groups(struct bl_plan_item *item, const struct bl_machine *machine,
                           const struct bl_sub_group_sizes *sizes)
{
    const size_t own = other_lanes(&item->own.launch, sizes->own);
    const size_t baseline = other_lanes(&item->baseline.launch, sizes->baseline);
    if (!own && !baseline)
        return false;
    const bool own_differs = adapt(&item->own, machine, own);
    const bool baseline_differs = adapt(&item->baseline, machine, baseline);
    char *note = item->own.note;
    if (own)
        bl_add_note(note, "the driver runs it in sub-groups of %zu, but the machine has %u lanes",
                    sizes->own, machine->lanes);
    if (baseline && sizes->baseline != sizes->own)
        bl_add_note(note, "the driver runs its baseline in sub-groups of %zu", sizes->baseline);
    if (own_differs || baseline_differs) {
        item->claim = NAN;
        item->alternative_count = 0; /* they were predicted for other requests */
    }
    return true;
}
