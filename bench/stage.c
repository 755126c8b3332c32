/* Output staged in local memory, from the guide "__local Memory": each work-item writes to an area
 * of its own, writes do not overlap. Compared by words that work-items produce. */
#include <string.h>

#include "../kernels/numbers.h"
#include "run/case.h"

enum { GROUP = 64, ROW = 16 };

/* Rows begin n words apart. */
static size_t words_of_group(unsigned n) { return (GROUP - 1) * n + ROW; }

/* What the last round leaves. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const unsigned pitch = workload->test_case->n;
    const size_t words = words_of_group(pitch);
    memset(expected, 0, workload->buffers.outputs * sizeof expected[0]);
    for (size_t item = 0; item < bl_launch_items(&workload->launch); item++)
        for (uint32_t k = 0; k < ROW; k++)
            expected[item / GROUP * words + item % GROUP * pitch + k] +=
                WORD_OF((uint32_t)item * ROW + k, rounds - 1);
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const size_t words = words_of_group(setting->test_case->n);
    bl_workload_begin(workload, setting, "stage.cl", "stage_rows");
    bl_fill_device(workload, setting);
    bl_add_option(&workload->build, "-DGROUP=%d -DROW=%d", GROUP, ROW);
    workload->buffers = (struct bl_buffers){
        .data_bytes = 4,
        .local_bytes = workload->launch.memory == BL_MEMORY_LOCAL ? words * 4 : 0,
        .outputs = workload->launch.groups * words,
    };
    workload->check.reference = reference;
    workload->work.units = (double)bl_launch_items(&workload->launch) * ROW;
    workload->work.bytes = workload->work.units * 4;
}

/* clang-format off */ /* a case a row */
#define CASE(name, define_, pitch, MEMORY, title_, ...)                                          \
    {.id = "stage/" name, .title = title_, .define = define_, .n = (pitch), .memory = MEMORY,   \
     .document = "local memory guide, reducing memory writes", .baseline = "stage/independent", \
     .lay_out = lay_out, .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE("independent", "INDEPENDENT", ROW, BL_MEMORY_LOCAL,
         "each row in an area of its own, then copied out", .skip_in_quick = true),
    CASE("overlapping", "OVERLAPPING", ROW / 2, BL_MEMORY_LOCAL,
         "rows overlap: their words must be added atomically", .direction = BL_SLOWER),
    CASE("direct", "DIRECT", ROW, BL_MEMORY_GLOBAL, "each row straight to global memory",
         .direction = BL_SLOWER),
};
/* clang-format on */

BL_SUITE(stage, "stage", "rows of output, staged in local memory or not");
