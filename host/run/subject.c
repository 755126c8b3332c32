#include "run/subject.h"

#include <inttypes.h>
#include <stdlib.h>

struct bl_dispatch bl_dispatch_of(const struct bl_workload *workload)
{
    return (struct bl_dispatch){
        .shape =
            workload->lanes_per_group
                ? (struct bl_shape){workload->lanes_per_group * workload->groups_per_launch_group,
                                    1}
                : workload->launch.shape,
        .groups = workload->launch.groups / workload->groups_per_launch_group,
        .data_bytes = workload->data_bytes,
        .is_constant = workload->is_constant,
        .is_written = workload->launch.is_write,
        .outputs = workload->outputs,
    };
}

enum bl_status bl_check_outputs(const uint32_t expected[], size_t count, uint32_t rounds,
                                bool is_linear, const uint32_t outputs[], struct bl_error *error)
{
    const uint32_t factor = is_linear ? rounds : 1;
    for (size_t i = 0; i < count; i++)
        if (outputs[i] != factor * expected[i])
            return bl_fail(error, BL_WRONG_RESULT,
                           "output %zu of %zu is 0x%08" PRIx32 " where 0x%08" PRIx32
                           " is right (%" PRIu32 " rounds)",
                           i, count, outputs[i], factor * expected[i], rounds);
    return BL_OK;
}

static bool was_checked(const struct bl_runner *runner, uint32_t rounds)
{
    for (unsigned i = 0; i < runner->checked_count; i++)
        if (runner->checked[i] == rounds)
            return true;
    return false;
}

static enum bl_status check(struct bl_runner *runner, uint32_t rounds, struct bl_error *error)
{
    const struct bl_workload *workload = runner->workload;
    enum bl_status status =
        bl_session_outputs(runner->session, &runner->dispatch, runner->outputs, error);
    if (status == BL_OK && !workload->is_linear)
        status = workload->reference(workload, rounds, runner->expected, error);
    if (status == BL_OK)
        status = bl_check_outputs(runner->expected, workload->outputs, rounds, workload->is_linear,
                                  runner->outputs, error);
    /* Calibration takes few lengths; one beyond the room is checked again each time. */
    if (status == BL_OK && runner->checked_count < BL_CHECKED_LENGTHS)
        runner->checked[runner->checked_count++] = rounds;
    return status;
}

static enum bl_status launch(void *context, uint32_t rounds, struct bl_timing *timing,
                             struct bl_error *error)
{
    struct bl_runner *runner = context;
    const bool is_new = !was_checked(runner, rounds);
    const uint32_t preset = runner->workload->adds_to_outputs ? 0 : 0xDEADBEEFu;
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
    runner->outputs = malloc(workload->outputs * sizeof *runner->outputs);
    runner->expected = malloc(workload->outputs * sizeof *runner->expected);
    if (!runner->outputs || !runner->expected)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu outputs", workload->outputs);
    enum bl_status status = BL_OK;
    if (workload->is_linear)
        status = workload->reference(workload, 1, runner->expected, error);
    if (status != BL_OK)
        return status;
    const struct bl_kernel_source source = {workload->file, workload->kernel, workload->options,
                                            workload->expression};
    status = bl_session_kernel(session, &source, &runner->kernel, error);
    if (status == BL_OK && workload->required_lanes)
        status = bl_session_check_lanes(session, runner->kernel, &runner->dispatch,
                                        workload->required_lanes, error);
    return status;
}

void bl_runner_close(struct bl_runner *runner)
{
    free(runner->outputs);
    free(runner->expected);
    runner->outputs = runner->expected = NULL;
}
