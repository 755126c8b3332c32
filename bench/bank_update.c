/* Updates of local memory with a barrier after each, from the guide "Shared Local Memory": with a
 * stride of 16 words all 32 work-items of a group use the same bank, which leaves 1/16 of the
 * bandwidth.
 *
 * The ratio is 1/16 only if a step is limited by the banks and not by its barrier. In the guide's
 * code each work-item updates one word. On an H200 a step of this code on neighbouring words took
 * as long as a barrier: with 16 work-items the step moved 24 bytes per clock and compute unit, of
 * 64 possible. So a stride of 16 had a ratio of 0.24, although the banks alone predict 1/8. Here
 * each work-item therefore updates several words. */
#include "model/launch.h"
#include "run/case.h"

/* The guide's group size, and its array of 8 KiB. */
enum { GROUP = 32, WORDS = 2048, ROWS = WORDS / (GROUP * 16), STEPS = 4 };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const uint32_t sum_of_m = bl_sum_below((uint64_t)rounds * STEPS);
    for (size_t i = 0; i < workload->buffers.outputs; i++)
        expected[i] = ROWS * (uint32_t)i * sum_of_m;
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    bl_workload_begin(workload, setting, "bank_update.cl", "bank_update");
    struct bl_buffers *buffers = &workload->buffers;
    bl_add_option(&workload->build, "-DGROUP=%d -DSTRIDE=%u -DROWS=%d -DWORDS=%d -DSTEPS=%d", GROUP,
                  setting->test_case->n, ROWS, WORDS, STEPS);
    buffers->data_bytes = 4;
    buffers->local_bytes = WORDS * 4;
    workload->check.reference = reference;
    /* Each step reads and writes every row, so each row takes two requests of the same pattern. */
    struct bl_work *work = &workload->work;
    work->requests = 2.0 * STEPS * ROWS * (double)bl_launch_requests(&workload->launch);
    work->bytes = 2.0 * STEPS * ROWS * 4 * (double)buffers->outputs;
    work->units = work->bytes;
    work->min_share = 0.8;
    bl_lay_out_pattern_cost(workload, setting->machine);
}

/* clang-format off */ /* one case per row */
#define CASE(stride, pattern_, claim_, title_, ...)                                            \
    {.id = "bank-update/" #stride, .title = title_, .n = (stride), .claim = (claim_),           \
     .pattern = BL_PATTERN_##pattern_, .lay_out = lay_out, .memory = BL_MEMORY_LOCAL,           \
     .claim_is_of_banks = true,                                                                 \
     .shapes = BL_GROUP_OF(GROUP), .document = "shared local memory guide, bank conflicts",     \
     .baseline = "bank-update/1", __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, 1, "neighbouring words: a different bank for each work-item",
         .skip_in_quick = true),
    CASE(16, STRIDE_16, 1.0 / 16, "16 words apart: all in one bank"),
};
/* clang-format on */

BL_SUITE(bank_update, "bank-update", "updates of local memory with a barrier after each");
