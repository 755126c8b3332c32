/* Index patterns: reads of global, local or constant memory at the places an expression gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/predict.h"
#include "model/reference.h"
#include "run/case.h"

/* Of reads after one round, for their sums are linear; of writes what each work-item wrote last. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    uint64_t *starts = bl_pattern_starts(workload->setting.test_case->pattern, &workload->launch);
    const enum bl_status status =
        starts ? bl_expected_sums(&workload->launch, starts, rounds, expected, error)
               : bl_fail(error, BL_NO_MEMORY, "no memory for the starts of work-items");
    free(starts);
    return status;
}

void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &workload->launch;
    bl_add_option(&workload->build, "-DSPACE=%s -DT=%s -DSCALAR=%s",
                  launch->memory == BL_MEMORY_CONSTANT ? "__constant" : "__global",
                  launch->type->name, launch->type->scalar);
    bl_add_option(&workload->build, "-DELEMENTS=%zu -DSTEP=%u -DSTEPS=%u -DUNROLL=%u",
                  launch->elements, launch->step, launch->steps, launch->unroll);
    struct bl_buffers *buffers = &workload->buffers;
    buffers->data_bytes = bl_launch_array_bytes(launch);
    buffers->local_bytes = launch->memory == BL_MEMORY_LOCAL ? buffers->data_bytes : 0;
    struct bl_part parts[BL_MAX_PARTS];
    struct bl_work *work = &workload->work;
    work->requests = (double)bl_launch_requests(launch) * launch->unroll *
                     bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    work->bytes = (double)bl_launch_items(launch) * launch->unroll * launch->type->access_bytes;
    work->units = work->bytes;
    work->bytes_per_delivered = 1;
}

static double or_nan(double mean) { return mean > 0 ? mean : NAN; }

void bl_lay_out_cost(struct bl_workload *workload, const struct bl_machine *machine,
                     const uint64_t starts[], size_t groups)
{
    struct bl_launch launch = workload->launch;
    launch.groups = groups;
    struct bl_prediction prediction;
    if (bl_predict(machine, &launch, starts, &prediction) != BL_OK) {
        workload->cost.why_none =
            machine->has_rule ? "the machine has no rule for this memory" : machine->why_no_rule;
        return;
    }
    workload->cost = (struct bl_mean_cost){
        .clocks = prediction.clocks,
        .lines = or_nan(prediction.lines),
        .sectors = or_nan(prediction.sectors),
        .tag_passes = or_nan(prediction.tag_passes),
        .bank_passes = or_nan(prediction.bank_passes),
    };
    struct bl_work *work = &workload->work;
    const double delivered = prediction.words * machine->bank_bytes * work->requests;
    if (isfinite(work->bytes_per_delivered) && delivered > 0)
        work->bytes_per_delivered = fmax(1, work->bytes / delivered);
}

void bl_lay_out_pattern_cost(struct bl_workload *workload, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &workload->launch;
    uint64_t *starts = bl_pattern_starts(workload->setting.test_case->pattern, launch);
    if (starts) {
        bl_lay_out_cost(workload, machine, starts, launch->groups);
    } else {
        workload->status = BL_ROW_ERROR;
        snprintf(workload->reason, sizeof workload->reason, "no memory to lay out %zu work-items",
                 bl_launch_items(launch));
    }
    free(starts);
}

void bl_lay_out_pattern(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const bool is_local = test_case->memory == BL_MEMORY_LOCAL;
    bl_workload_begin(workload, setting, is_local ? "local.cl" : "global.cl", "read_pattern");
    struct bl_launch *launch = &workload->launch;
    if (test_case->n)
        launch->n = test_case->n;
    if (test_case->one_place)
        launch->spread = 0;
    bl_lay_out_accesses(workload, setting->machine);
    bl_add_option(&workload->build, "-DINDEX=index_%s -DN=%u -DSPREAD=%zu%s",
                  bl_pattern_name(test_case->pattern), launch->n, launch->spread,
                  is_local ? " -DIDS_WITHIN_GROUP" : "");
    workload->work.working_set_bytes = bl_launch_working_set_bytes(launch);
    workload->check = (struct bl_check){reference, .is_linear = true};
    bl_lay_out_pattern_cost(workload, setting->machine);
}

void bl_lay_out_local_writes(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    bl_workload_begin(workload, setting, "local_write.cl", "write_pattern");
    struct bl_launch *launch = &workload->launch;
    launch->is_write = true;
    /* Each step writes to words of its own, so that none of a round is left out. */
    bl_lay_out_accesses(workload, setting->machine);
    bl_add_option(&workload->build, "-DINDEX=index_%s -DN=%u -DSPREAD=%zu -DIDS_WITHIN_GROUP",
                  bl_pattern_name(test_case->pattern), launch->n, launch->spread);
    workload->work.bytes_per_delivered = NAN;
    workload->check.reference = reference;
    bl_lay_out_pattern_cost(workload, setting->machine);
}
