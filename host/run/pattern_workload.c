/* Index patterns: reads of global, local or constant memory at the places an expression gives. */
#include <math.h>
#include <stdlib.h>

#include "model/predict.h"
#include "model/reference.h"
#include "run/case.h"

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* 1: the sums are linear */
    uint64_t *starts = bl_pattern_starts(workload->test_case->pattern, &workload->launch);
    const enum bl_status status =
        starts ? bl_round_sums(&workload->launch, starts, expected, error)
               : bl_fail(error, BL_NO_MEMORY, "no memory for the starts of work-items");
    free(starts);
    return status;
}

void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &workload->launch;
    const bool is_local = launch->memory == BL_MEMORY_LOCAL;
    workload->is_constant = launch->memory == BL_MEMORY_CONSTANT;
    bl_add_option(workload, "-DSPACE=%s -DT=%s -DSCALAR=%s",
                  workload->is_constant ? "__constant" : "__global", launch->type->name,
                  launch->type->scalar);
    bl_add_option(workload, "-DELEMENTS=%zu -DSTEP=%u -DSTEPS=%u -DUNROLL=%u", launch->elements,
                  launch->step, launch->steps, launch->unroll);
    workload->data_bytes = bl_launch_array_bytes(launch);
    workload->local_bytes = is_local ? workload->data_bytes : 0;
    struct bl_part parts[BL_MAX_PARTS];
    workload->requests =
        (double)bl_launch_requests(launch) * launch->unroll *
        bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    workload->bytes = (double)bl_launch_items(launch) * launch->unroll * launch->type->access_bytes;
    workload->work = workload->bytes;
    workload->limited_by_banks = true;
}

static double or_nan(double mean) { return mean > 0 ? mean : NAN; }

void bl_lay_out_prediction(struct bl_workload *workload, const struct bl_machine *machine,
                           const uint64_t starts[], size_t groups)
{
    struct bl_launch launch = workload->launch;
    launch.groups = groups;
    struct bl_prediction prediction;
    const enum bl_status status = bl_predict(machine, &launch, starts, &prediction);
    if (status == BL_NO_MEMORY)
        bl_no_memory(workload);
    if (status != BL_OK)
        return;
    workload->clocks = prediction.clocks * workload->requests;
    const double delivered = prediction.words * machine->bank_bytes * workload->requests;
    if (delivered > 0 && workload->bytes > delivered)
        workload->bytes_per_delivered = workload->bytes / delivered;
    workload->lines = or_nan(prediction.lines);
    workload->sectors = or_nan(prediction.sectors);
    workload->tag_passes = or_nan(prediction.tag_passes);
    workload->bank_passes = or_nan(prediction.bank_passes);
}

void bl_lay_out_pattern(const struct bl_case *test_case, const struct bl_setting *setting,
                        struct bl_workload *workload)
{
    const bool is_local = test_case->memory == BL_MEMORY_LOCAL;
    bl_workload_begin(workload, test_case, setting, is_local ? "local.cl" : "global.cl",
                      "read_pattern");
    struct bl_launch *launch = &workload->launch;
    if (test_case->n)
        launch->n = test_case->n;
    if (test_case->one_place)
        launch->spread = 0;
    bl_lay_out_accesses(workload, setting->machine);
    bl_add_option(workload, "-DINDEX=index_%s -DN=%u -DSPREAD=%zu%s",
                  bl_pattern_name(test_case->pattern), launch->n, launch->spread,
                  is_local ? " -DIDS_WITHIN_GROUP" : "");
    workload->working_set_bytes = bl_launch_working_set_bytes(launch);
    workload->reference = reference;
    workload->is_linear = true;
    uint64_t *starts = bl_pattern_starts(test_case->pattern, launch);
    if (starts)
        bl_lay_out_prediction(workload, setting->machine, starts, launch->groups);
    else
        bl_no_memory(workload);
    free(starts);
}
