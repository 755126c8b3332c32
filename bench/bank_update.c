/* Updates of local memory with a barrier each, from the guide "Shared Local Memory": with a stride
 * of 16 words every work-item uses the same bank, and 1/16 of the bandwidth remains. */
#include <math.h>
#include <stdlib.h>

#include "model/reference.h"
#include "run/case.h"

enum { STEPS = 16 };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const uint32_t sum_of_m = bl_sum_below((uint64_t)rounds * STEPS);
    for (size_t i = 0; i < workload->outputs; i++)
        expected[i] = (uint32_t)i * sum_of_m;
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    bl_workload_begin(workload, test_case, setting, "bank_update.cl", "bank_update");
    const size_t group = bl_launch_group_items(&workload->launch);
    bl_add_option(workload, "-DGROUP=%zu -DSTRIDE=%u -DSTEPS=%d", group, test_case->n, STEPS);
    workload->data_bytes = 4;
    workload->local_bytes = group * test_case->n * 4;
    workload->reference = reference;
    /* Each step reads and writes: two requests of the same pattern. */
    workload->requests = 2.0 * STEPS * (double)bl_launch_requests(&workload->launch);
    workload->bytes = 2.0 * STEPS * 4 * (double)workload->outputs;
    workload->work = workload->bytes;
    uint64_t *starts = bl_pattern_starts(test_case->pattern, &workload->launch);
    if (starts)
        bl_lay_out_prediction(workload, setting->machine, starts, workload->launch.groups);
    else
        bl_no_memory(workload);
    free(starts);
}

/* clang-format off */ /* a case a row */
#define UPDATE .lay_out = lay_out, .memory = BL_MEMORY_LOCAL, .forms = BL_FORM_ROW, \
               .baseline = "bank-update/1", .claimed = BL_FORM_ROW, \
               .document = "shared local memory guide, bank conflicts"

static const struct bl_case cases[] = {
    {.id = "bank-update/1", .title = "neighbouring words: a bank for each work-item", .n = 1,
     .pattern = BL_PATTERN_CONTIGUOUS, .claim = 1, .skip_in_quick = true, UPDATE},
    {.id = "bank-update/16", .title = "16 words apart: all in one bank", .n = 16,
     .pattern = BL_PATTERN_STRIDE_16, .claim = 1.0 / 16, UPDATE},
};
/* clang-format on */

BL_SUITE(bank_update, "bank-update", "updates of local memory, a barrier each");
