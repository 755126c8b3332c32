/* Index patterns: reads of global, local or constant memory at the places an expression gives. */
#include <math.h>

#include "model/predict.h"
#include "model/reference.h"
#include "suite.h"

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* 1: the sums are linear */
    return bl_round_sums(workload->test_case->pattern, &workload->launch, expected, error);
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
    workload->is_constant = test_case->memory == BL_MEMORY_CONSTANT;
    bl_add_option(workload, "-DSPACE=%s -DT=%s -DCOMPONENTS=%u",
                  workload->is_constant ? "__constant" : "__global", launch->type->name,
                  launch->type->components);
    bl_add_option(workload, "-DINDEX=index_%s -DN=%u -DELEMENTS=%zu -DSPREAD=%zu -DSTEP=%u "
                            "-DUNROLL=%u", bl_pattern_name(test_case->pattern), launch->n,
                  launch->elements, launch->spread, launch->step, launch->unroll);
    if (is_local)
        bl_add_option(workload, "-DIDS_WITHIN_GROUP");
    workload->data_bytes = bl_launch_array_bytes(launch);
    workload->local_bytes = is_local ? workload->data_bytes : 0;
    workload->working_set_bytes = bl_launch_working_set_bytes(launch);
    workload->reference = reference;
    workload->is_linear = true;
    workload->requests = (double)bl_launch_requests(launch) * launch->unroll;
    workload->bytes =
        (double)bl_launch_items(launch) * launch->unroll * launch->type->access_bytes;
    workload->work = workload->bytes;
    workload->limited_by_banks = true;

    struct bl_prediction prediction;
    if (bl_predict(setting->machine, test_case->pattern, launch, &prediction) == BL_OK) {
        workload->clocks = prediction.clocks * workload->requests;
        workload->lines = prediction.lines > 0 ? prediction.lines : NAN;
        workload->bank_passes = prediction.bank_passes > 0 ? prediction.bank_passes : NAN;
    }
}
