/* A histogram, from the guide "Shared Local Memory": up to 256 bins fit the registers of a
 * sub-group of 16; more, such as 1024, belong in local memory, updated atomically. Compared by
 * samples. */
#include <string.h>

#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 256, WORDS = 16, SAMPLES_OF_WORD = 2 };
enum variant { IN_REGISTERS, IN_LOCAL, IN_GLOBAL };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds, (void)error; /* one round; counts are linear */
    const uint32_t bins = workload->test_case->n;
    memset(expected, 0, workload->outputs * sizeof expected[0]);
    for (size_t i = 0; i < bl_launch_items(&workload->launch) * WORDS; i++) {
        const uint32_t word = bl_data_element(i);
        expected[word % bins]++;
        expected[(word >> 16) % bins]++;
    }
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    static const char *const variants[] = {"IN_REGISTERS", "IN_LOCAL", "IN_GLOBAL"};
    bl_workload_begin(workload, test_case, setting, "histogram.cl", "histogram");
    struct bl_launch *launch = &workload->launch;
    launch->groups =
        bl_groups_for(setting->machine, GROUP, BL_SUB_GROUPS_PER_CU, setting->compute_units);
    bl_add_option(workload, "-D%s -DGROUP=%d -DWORDS=%d -DBINS=%u", variants[test_case->variant],
                  GROUP, WORDS, test_case->n);
    workload->outputs = test_case->n;
    workload->adds_to_outputs = true;
    workload->data_bytes = bl_launch_items(launch) * WORDS * 4;
    workload->working_set_bytes = workload->data_bytes;
    workload->local_bytes = test_case->variant == IN_LOCAL ? test_case->n * 4 : 0;
    workload->reference = reference;
    workload->is_linear = true;
    workload->work = (double)bl_launch_items(launch) * WORDS * SAMPLES_OF_WORD;
    workload->bytes = (double)workload->data_bytes;
    const bool has_registers = !setting->device || setting->device->can_require_16_lanes;
    if (test_case->variant == IN_REGISTERS && !has_registers)
        bl_unsupported(workload, "needs sub-groups of 16 whose work-items read each other's "
                                 "registers (cl_intel_subgroups), and the driver offers none");
}

/* clang-format off */ /* a case a row */
#define HISTOGRAM .lay_out = lay_out, .group = GROUP, \
                  .document = "shared local memory guide, histogram"

static const struct bl_case cases[] = {
    {.id = "histogram/registers-256", .title = "256 bins shared by the registers of a sub-group",
     .n = 256, .variant = IN_REGISTERS, .memory = BL_MEMORY_PRIVATE, .direction = BL_FASTER,
     .baseline = "histogram/local-256", HISTOGRAM},
    {.id = "histogram/local-256", .title = "256 bins in local memory", .n = 256,
     .variant = IN_LOCAL, .memory = BL_MEMORY_LOCAL, .baseline = "histogram/local-256",
     .skip_in_quick = true, HISTOGRAM},
    {.id = "histogram/global-256", .title = "256 bins in global memory", .n = 256,
     .variant = IN_GLOBAL, .memory = BL_MEMORY_GLOBAL, .direction = BL_SLOWER,
     .baseline = "histogram/local-256", HISTOGRAM},
    {.id = "histogram/local-1024", .title = "1024 bins in local memory: beyond the registers",
     .n = 1024, .variant = IN_LOCAL, .memory = BL_MEMORY_LOCAL, .direction = BL_FASTER,
     .baseline = "histogram/global-1024", .skip_in_quick = true, HISTOGRAM},
    {.id = "histogram/global-1024", .title = "1024 bins in global memory", .n = 1024,
     .variant = IN_GLOBAL, .memory = BL_MEMORY_GLOBAL, .baseline = "histogram/global-1024",
     .skip_in_quick = true, HISTOGRAM},
};
/* clang-format on */

BL_SUITE(histogram, "histogram", "bins in registers, local and global memory");
