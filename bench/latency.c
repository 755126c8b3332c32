/* The latency of a read. The guide "Shared Local Memory" says that local memory has a much lower
 * latency than global memory; "__local Memory" says that the latency is "often similar" to that of
 * a cache hit, which is not a claim. One chain of dependent reads runs on each compute unit. The
 * chain lies in local memory, or in a global working set of 16 KiB to 1 GiB. Ratios compare reads
 * per second; ns_per_request is the latency. */
#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

/* Reads per round. Registers can hold this many words until the words are added. */
enum { STEPS = 32 };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t items = bl_launch_group_items(&workload->launch);
    const uint32_t elements = (uint32_t)1 << workload->setting.test_case->n;
    for (size_t group = 0; group < workload->launch.groups; group++) {
        uint32_t at = CHAIN_START((uint32_t)group) & (elements - 1), sum = 0;
        for (uint64_t step = 0; step < (uint64_t)rounds * STEPS; step++) {
            sum += bl_data_element(at);
            at = CHAIN_NEXT(at) & (elements - 1);
        }
        for (size_t item = 0; item < items; item++)
            expected[group * items + item] = sum;
    }
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const size_t bytes = (size_t)4 << test_case->n;
    bl_workload_begin(workload, setting, "latency.cl", "chase");
    bl_set_groups(workload, setting->compute_units);
    bl_add_option(&workload->build, "-DELEMENTS=%zuu -DSTEPS=%d", bytes / 4, STEPS);
    workload->buffers.data_bytes = bytes;
    workload->buffers.local_bytes = test_case->memory == BL_MEMORY_LOCAL ? bytes : 0;
    workload->check.reference = reference;
    workload->work.requests = (double)STEPS * setting->compute_units;
    workload->work.units = workload->work.requests;
    workload->work.working_set_bytes = bytes;
    workload->work.settles_slowly = bytes >= BL_SETTLES_SLOWLY_BYTES;
    workload->cost.why_none = "there is no rule for the latency of a read";
    if (test_case->memory == BL_MEMORY_GLOBAL)
        bl_expect_beyond_cache(workload, setting->machine);
    bl_check_caches(workload, setting->device);
}

/* clang-format off */ /* one case per row */
#define CASE(name, log2_elements, MEMORY, against, title_, ...)                                 \
    {.id = "latency/" name, .title = title_, .n = (log2_elements), .memory = MEMORY,            \
     .document = "shared local memory guide, sharing data", .lay_out = lay_out,                 \
     .shapes = BL_NATIVE_ROW, .baseline = "latency/" against, __VA_ARGS__}
#define LOCAL(name, against, ...)                                                               \
    CASE("local-" name, 12, BL_MEMORY_LOCAL, against, __VA_ARGS__, .define = "IN_LOCAL")
#define GLOBAL(size, log2_elements, ...)                                                        \
    CASE("global-" size, log2_elements, BL_MEMORY_GLOBAL, "global-16K",                         \
         "chain of reads in global memory, working set of " size, __VA_ARGS__)

static const struct bl_case cases[] = {
    GLOBAL("16K", 12, .skip_in_quick = true),
    GLOBAL("1M", 18, .skip_in_quick = true),
    GLOBAL("16M", 22, .skip_in_quick = true),
    GLOBAL("128M", 25, .skip_in_quick = true),
    GLOBAL("1G", 28, .direction = BL_SLOWER, .skip_in_quick = true),
    LOCAL("16K", "global-16K", "chain of reads in local memory, against a cache hit",
          .skip_in_quick = true),
    LOCAL("16K-memory", "global-1G", "chain of reads in local memory, against one in memory",
          .direction = BL_FASTER),
};
/* clang-format on */

BL_SUITE(latency, "latency", "chains of dependent reads: local memory, caches, memory");
