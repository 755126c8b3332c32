/* Updates of local memory with a barrier each, from the guide "Shared Local Memory": with a stride
 * of 16 words every work-item uses the same bank, and 1/16 of the bandwidth remains. */
#include "model/reference.h"
#include "run/case.h"

enum { STEPS = 16 };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const uint32_t sum_of_m = bl_sum_below((uint64_t)rounds * STEPS);
    for (size_t i = 0; i < workload->buffers.outputs; i++)
        expected[i] = (uint32_t)i * sum_of_m;
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    bl_workload_begin(workload, setting, "bank_update.cl", "bank_update");
    struct bl_buffers *buffers = &workload->buffers;
    const size_t group = bl_launch_group_items(&workload->launch);
    const unsigned stride = setting->test_case->n;
    bl_add_option(&workload->build, "-DGROUP=%zu -DSTRIDE=%u -DSTEPS=%d", group, stride, STEPS);
    buffers->data_bytes = 4;
    buffers->local_bytes = group * stride * 4;
    workload->check.reference = reference;
    /* Each step reads and writes: two requests of the same pattern. */
    struct bl_work *work = &workload->work;
    work->requests = 2.0 * STEPS * (double)bl_launch_requests(&workload->launch);
    work->bytes = 2.0 * STEPS * 4 * (double)buffers->outputs;
    work->units = work->bytes;
    bl_lay_out_pattern_cost(workload, setting->machine);
}

/* clang-format off */ /* a case a row */
#define CASE(stride, pattern_, claim_, title_, ...)                                            \
    {.id = "bank-update/" #stride, .title = title_, .n = (stride), .claim = (claim_),           \
     .pattern = BL_PATTERN_##pattern_, .lay_out = lay_out, .memory = BL_MEMORY_LOCAL,           \
     .shapes = BL_ROW, .document = "shared local memory guide, bank conflicts",                 \
     .baseline = "bank-update/1", __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, 1, "neighbouring words: a bank for each work-item",
         .skip_in_quick = true),
    CASE(16, STRIDE_16, 1.0 / 16, "16 words apart: all in one bank"),
};
/* clang-format on */

BL_SUITE(bank_update, "bank-update", "updates of local memory, a barrier each");
