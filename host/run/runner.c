/* Launches workloads and checks their outputs. Checking takes longer than a launch, so outputs are
 * checked only where a new error can occur: at a new launch length or a new placement. */
#include "run/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/row.h"
#include "run/case.h"

struct bl_kernel_source bl_source_of(const struct bl_build *build)
{
    return (struct bl_kernel_source){build->file, build->kernel, build->options, build->expression};
}

struct bl_dispatch bl_dispatch_of(const struct bl_workload *workload)
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_replicas *replicas = &workload->replicas;
    const unsigned together = replicas->groups_per_launch_group;
    return (struct bl_dispatch){
        .shape = replicas->lanes_per_group
                     ? (struct bl_shape){replicas->lanes_per_group * together, 1}
                     : launch->shape,
        .groups = launch->groups / together,
        .data_bytes = workload->buffers.data_bytes,
        .is_constant = launch->memory == BL_MEMORY_CONSTANT,
        .is_written = launch->is_write,
        .outputs = workload->buffers.outputs,
        .local_bytes = workload->buffers.local_argument ? workload->buffers.local_bytes : 0,
    };
}

static bool length_was_checked(const struct bl_runner *runner, uint32_t rounds)
{
    for (unsigned i = 0; i < runner->checked_count; i++)
        if (runner->checked[i] == rounds)
            return true;
    return false;
}

/* With more outputs than this, outputs are not checked at each placement, because the checks would
 * take longer than the measurement. */
enum { MAX_CHECKED_EVERYWHERE = 1 << 20 };

static bool was_checked(const struct bl_runner *runner, uint32_t rounds)
{
    return (runner->dispatch.outputs > MAX_CHECKED_EVERYWHERE ||
            runner->checked_placements >> runner->dispatch.placement & 1) &&
           length_was_checked(runner, rounds);
}

/* Checks a launch's outputs. Fails with BL_WRONG_RESULT, with the first wrong output in error. */
static enum bl_status check(struct bl_runner *runner, uint32_t rounds, struct bl_error *error)
{
    const struct bl_check *right = &runner->workload->check;
    const uint32_t factor = right->is_linear ? rounds : 1, *outputs = runner->outputs;
    const size_t count = runner->dispatch.outputs;
    enum bl_status status =
        bl_session_outputs(runner->session, &runner->dispatch, runner->outputs, error);
    if (status == BL_OK && !right->is_linear && runner->expected_rounds != rounds) {
        status = right->reference(runner->workload, rounds, runner->expected, error);
        runner->expected_rounds = status == BL_OK ? rounds : 0;
    }
    if (status != BL_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (outputs[i] != factor * runner->expected[i])
            return bl_fail(error, BL_WRONG_RESULT,
                           "output %zu of %zu is 0x%08" PRIx32 ", and 0x%08" PRIx32
                           " was expected (%" PRIu32 " rounds)",
                           i, count, outputs[i], factor * runner->expected[i], rounds);
    /* Calibration uses few lengths. If `checked` is full, further lengths are checked at every
     * launch. */
    if (runner->checked_count < BL_CHECKED_LENGTHS && !length_was_checked(runner, rounds))
        runner->checked[runner->checked_count++] = rounds;
    runner->checked_placements |= 1u << runner->dispatch.placement;
    return BL_OK;
}

static enum bl_status launch(void *context, unsigned placement, uint32_t rounds,
                             struct bl_timing *timing, struct bl_error *error)
{
    struct bl_runner *runner = context;
    runner->dispatch.placement = placement;
    const bool is_new = !was_checked(runner, rounds);
    const uint32_t preset = runner->workload->buffers.adds_to_outputs ? 0 : 0xDEADBEEFu;
    enum bl_status status = BL_OK;
    if (is_new)
        status = bl_session_preset(runner->session, &runner->dispatch, preset, error);
    if (status == BL_OK)
        status = bl_session_run(runner->session, runner->kernel, &runner->dispatch, rounds, timing,
                                error);
    return status == BL_OK && is_new ? check(runner, rounds, error) : status;
}

enum bl_status bl_runner_open(struct bl_session *session, const struct bl_workload *workload,
                              struct bl_runner *runner, struct bl_error *error)
{
    *runner = (struct bl_runner){
        .subject = {.context = runner, .launch = launch},
        .session = session,
        .workload = workload,
        .dispatch = bl_dispatch_of(workload),
    };
    const size_t outputs = workload->buffers.outputs;
    runner->outputs = malloc(outputs * sizeof *runner->outputs);
    runner->expected = malloc(outputs * sizeof *runner->expected);
    if (!runner->outputs || !runner->expected)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while allocating %zu outputs", outputs);
    enum bl_status status = BL_OK;
    if (workload->check.is_linear)
        status = workload->check.reference(workload, 1, runner->expected, error);
    if (status != BL_OK)
        return status;
    const struct bl_kernel_source source = bl_source_of(&workload->build);
    return bl_session_kernel(session, &source, &runner->kernel, error);
}

void bl_runner_close(struct bl_runner *runner)
{
    free(runner->outputs);
    free(runner->expected);
    runner->outputs = runner->expected = NULL;
}

/* The functions below check built kernels, and adapt an item if the driver runs its kernels with a
 * sub-group size other than the machine's. A kernel that was built without one of its definitions
 * may compute the right result and still measure something else. Only the driver's report and the
 * kernels of other rows reveal such a kernel. */

enum bl_status bl_check_local_bytes(const struct bl_workload *workload,
                                    const struct bl_local_report *report, uint64_t bytes,
                                    struct bl_error *error)
{
    const bool is_local = workload->launch.memory == BL_MEMORY_LOCAL;
    /* The limit is not 0, because NVIDIA's driver reports 1 byte for a kernel without local memory.
     */
    const bool has_local = bytes > report->without;
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
                "it has the kernels of %s (hash %s): one of the two cases does not measure what "
                "its name says",
                other->id, kernels);
    }
    struct bl_named_kernels *named = bl_array_append(&measured->all, &measured->count,
                                                     &measured->capacity, sizeof *measured->all);
    if (!named)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while recording the kernels' names");
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
        if (both[i]->workload->buffers.local_argument) /* the size is known only after the argument
                                                          is set */
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

/* Sub-groups. The model assumes the machine's native sub-group size. If a driver chooses another
 * size, the cost is computed again for that size, or removed if no rule covers the size. */

/* Computes the workload's cost and number of requests again, for requests of this many lanes. For
 * an expression, uses the starts in workload->replicas and the array's address in the most recent
 * placement. Returns false if the cost cannot be computed. */
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

/* The number of lanes of the group's requests if it differs from the plan; else 0. */
static size_t other_lanes(const struct bl_launch *launch, size_t sub_group_size)
{
    const size_t items = bl_launch_group_items(launch);
    const size_t lanes = sub_group_size < items ? sub_group_size : items;
    return lanes == launch->lanes ? 0 : lanes;
}

/* Adapts one workload to sub-groups of this many lanes. Returns whether its requests differ from
 * the plan. */
static bool adapt(struct bl_workload *workload, const struct bl_machine *machine, size_t lanes)
{
    if (lanes % workload->launch.lanes == 0 || !machine->has_rule)
        return false;
    if (lanes < workload->launch.lanes && charge_in_lanes(workload, machine, (unsigned)lanes))
        return true;
    if (workload->level) /* the note describes the planned requests */
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
        item->alternative_count = 0; /* the alternatives were predicted for the planned requests */
    }
    return true;
}
