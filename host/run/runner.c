/* Launches workloads and checks their outputs. Checking takes longer than a launch, so it is done
 * only where a new error can occur: at a new length or a new placement. */
#include "run/runner.h"

#include <inttypes.h>
#include <stdlib.h>

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

/* More outputs than this are not checked at each placement: that would take longer than measuring.
 */
enum { MAX_CHECKED_EVERYWHERE = 1 << 20 };

static bool was_checked(const struct bl_runner *runner, uint32_t rounds)
{
    return (runner->dispatch.outputs > MAX_CHECKED_EVERYWHERE ||
            runner->checked_placements >> runner->dispatch.placement & 1) &&
           length_was_checked(runner, rounds);
}

/* Checks the outputs of a launch. BL_WRONG_RESULT with the first wrong output in error. */
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
    /* Calibration uses few lengths. Those that do not fit the array are simply checked each time.
     */
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu outputs", outputs);
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
