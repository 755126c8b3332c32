/* A histogram, from the guide "Shared Local Memory": up to 256 bins fit the registers of a
 * sub-group of 16; more, such as 1024, belong in local memory, updated atomically. Compared by
 * samples. */
#include <string.h>

#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 256, WORDS = 16, SAMPLES_OF_WORD = 2 };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds, (void)error; /* one round; counts are linear */
    const uint32_t bins = workload->test_case->n;
    memset(expected, 0, workload->buffers.outputs * sizeof expected[0]);
    for (size_t i = 0; i < bl_launch_items(&workload->launch) * WORDS; i++) {
        const uint32_t word = bl_data_element(i);
        expected[word % bins]++;
        expected[(word >> 16) % bins]++;
    }
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const enum bl_memory memory = setting->test_case->memory;
    const unsigned bins = setting->test_case->n;
    bl_workload_begin(workload, setting, "histogram.cl", "histogram");
    bl_fill_device(workload, setting);
    bl_add_option(&workload->build, "-DGROUP=%d -DWORDS=%d -DBINS=%u", GROUP, WORDS, bins);
    const size_t words = bl_launch_items(&workload->launch) * WORDS;
    workload->buffers = (struct bl_buffers){
        .data_bytes = words * 4,
        .local_bytes = memory == BL_MEMORY_LOCAL ? bins * 4 : 0,
        .outputs = bins,
        .adds_to_outputs = true,
    };
    workload->check = (struct bl_check){reference, .is_linear = true};
    workload->work.units = (double)words * SAMPLES_OF_WORD;
    workload->work.bytes = (double)words * 4;
    workload->work.working_set_bytes = words * 4;
    const bool has_registers = !setting->device || setting->device->can_require_16_lanes;
    if (memory == BL_MEMORY_PRIVATE && !has_registers)
        bl_unsupported(workload, "needs sub-groups of 16 whose work-items read each other's "
                                 "registers (cl_intel_subgroups), and the driver offers none");
}

/* clang-format off */ /* a case a row */
#define CASE(where, bins, MEMORY, define_, against, title_, ...)                                \
    {.id = "histogram/" where "-" #bins, .title = #bins " bins " title_, .n = (bins),           \
     .define = define_, .memory = MEMORY, .baseline = "histogram/" against "-" #bins,           \
     .document = "shared local memory guide, histogram", .lay_out = lay_out,                    \
     .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}
#define REGISTERS(bins, ...) CASE("registers", bins, BL_MEMORY_PRIVATE, "IN_REGISTERS", __VA_ARGS__)
#define LOCAL(bins, ...) CASE("local", bins, BL_MEMORY_LOCAL, "IN_LOCAL", __VA_ARGS__)
#define GLOBAL(bins, ...) CASE("global", bins, BL_MEMORY_GLOBAL, "IN_GLOBAL", __VA_ARGS__)

static const struct bl_case cases[] = {
    REGISTERS(256, "local", "shared by the registers of a sub-group", .direction = BL_FASTER),
    LOCAL(256, "local", "in local memory", .skip_in_quick = true),
    GLOBAL(256, "local", "in global memory", .direction = BL_SLOWER),
    LOCAL(1024, "global", "in local memory: beyond the registers", .direction = BL_FASTER,
          .skip_in_quick = true),
    GLOBAL(1024, "global", "in global memory", .skip_in_quick = true),
};
/* clang-format on */

BL_SUITE(histogram, "histogram", "bins in registers, local and global memory");
