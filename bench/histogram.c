/* A histogram, from the guide "Shared Local Memory", with the guide's groups of 64 work-items and
 * the guide's samples. 256 bins fit into the registers that a sub-group shares; the guide says that
 * the result in local memory "may surprise", which is not a claim. 1024 private bins spill, and
 * should be updated atomically in local memory instead. The guide also says that sharing through
 * global memory is less efficient. Two kinds of cases test this: in `global`, all groups update the
 * bins of the result; in `global-own`, each group has separate bins in global memory instead of
 * local. Zeroing the bins with all work-items instead of one is "usually more efficient", which is
 * not a claim. Ratios compare samples per second. */
#include <string.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

enum { GROUP = 64, WORDS = 256, FEW_WORDS = 16, ARRAY_WORDS = 1 << 18 };
enum { ZEROED_BY_ALL, ZEROED_BY_ONE };

static bool is_defined(const struct bl_case *test_case, const char *define)
{
    return strcmp(test_case->define, define) == 0;
}

/* The number of words whose samples a work-item counts: as in the guide, or fewer if counting is
 * slow. Indices wrap around in an array that stays in a cache. */
static size_t words_of_item(const struct bl_case *test_case)
{
    return is_defined(test_case, "IN_GLOBAL") ? FEW_WORDS : WORDS;
}

/* A window is the part of the array whose samples one group counts. Group g counts window
 * g % windows, so the numbers of groups per window differ by at most one. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds, (void)error; /* rounds is always 1: counts are linear */
    const size_t window_words = GROUP * words_of_item(workload->setting.test_case);
    const size_t windows = ARRAY_WORDS / window_words;
    const uint32_t bins = workload->setting.test_case->n;
    const unsigned bits = 64 / SAMPLES_OF(bins);
    const size_t groups = workload->launch.groups;
    memset(expected, 0,
           workload->buffers.outputs * sizeof expected[0]); /* the bins of IN_OWN end as 0 */
    for (size_t i = 0; i < ARRAY_WORDS; i++) {
        const size_t window = i / window_words;
        const uint32_t times = (uint32_t)((groups + windows - 1 - window) / windows);
        const uint64_t word = bl_data_element(2 * i) | (uint64_t)bl_data_element(2 * i + 1) << 32;
        for (unsigned at = 0; at < 64; at += bits)
            expected[word >> at & (bins - 1)] += times;
    }
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const unsigned bins = test_case->n;
    bl_workload_begin(workload, setting, "histogram.cl", "histogram");
    bl_fill_device(workload, setting);
    const size_t words_each = words_of_item(test_case);
    bl_add_option(&workload->build,
                  "-DGROUP=%d -DWORDS=%zu -DARRAY_WORDS=%du -DBINS=%u -DZERO_BY=%d", GROUP,
                  words_each, ARRAY_WORDS, bins, test_case->variant == ZEROED_BY_ONE ? 1 : GROUP);
    const double words = (double)bl_launch_items(&workload->launch) * (double)words_each;
    workload->buffers = (struct bl_buffers){
        .data_bytes = (size_t)ARRAY_WORDS * 8,
        .local_bytes = test_case->memory == BL_MEMORY_LOCAL ? bins * 4 : 0,
        .outputs = bins * (is_defined(test_case, "IN_OWN") ? 1 + workload->launch.groups : 1),
        .adds_to_outputs = true,
    };
    workload->check = (struct bl_check){reference, .is_linear = true};
    workload->work.units = words * SAMPLES_OF(bins);
    workload->work.bytes = words * 8;
    workload->work.working_set_bytes = (size_t)ARRAY_WORDS * 8;
    workload->build.array_in_memory = is_defined(test_case, "IN_PRIVATE");
    if (!is_defined(test_case, "IN_REGISTERS"))
        return;
    workload->build.needs_required_lanes = true;
    if (setting->device && !(workload->build.required_lanes && setting->device->shares_registers))
        bl_unsupported(workload,
                       "the kernel needs sub-groups of %u whose work-items can read each other's "
                       "registers (cl_intel_subgroups), which the driver does not offer",
                       setting->machine->lanes);
}

/* clang-format off */ /* one case per row */
#define GUIDE "shared local memory guide, "
#define CASE(where, bins, MEMORY, define_, said, against, title_, ...)                          \
    {.id = "histogram/" where "-" #bins, .title = #bins " bins " title_, .n = (bins),           \
     .define = define_, .memory = MEMORY, .baseline = "histogram/" against,                     \
     .document = GUIDE said, .lay_out = lay_out, .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}
#define REGISTERS(bins, ...)                                                                    \
    CASE("registers", bins, BL_MEMORY_PRIVATE, "IN_REGISTERS", "histogram", __VA_ARGS__)
#define PRIVATE(bins, ...)                                                                      \
    CASE("private", bins, BL_MEMORY_PRIVATE, "IN_PRIVATE", "histogram", __VA_ARGS__)
#define LOCAL(bins, ...) CASE("local", bins, BL_MEMORY_LOCAL, "IN_LOCAL", "histogram", __VA_ARGS__)
#define GLOBAL(bins, ...)                                                                       \
    CASE("global", bins, BL_MEMORY_GLOBAL, "IN_GLOBAL", "histogram", __VA_ARGS__)
#define OWN(bins)                                                                               \
    CASE("global-own", bins, BL_MEMORY_GLOBAL, "IN_OWN",                                        \
         "sharing through global memory is less efficient", "local-" #bins,                     \
         "in global memory, separate for each group", .direction = BL_SLOWER,          \
         .skip_in_quick = true)

static const struct bl_case cases[] = {
    REGISTERS(256, "local-256", "shared in the registers of a sub-group"),
    LOCAL(256, "local-256", "in local memory", .skip_in_quick = true),
    PRIVATE(256, "local-256", "in the private memory of each work-item", .skip_in_quick = true),
    GLOBAL(256, "local-256", "in global memory", .direction = BL_SLOWER),
    OWN(256),
    REGISTERS(1024, "registers-256",
              "shared in the registers of a sub-group: too many, so they spill",
              .direction = BL_SLOWER, .skip_in_quick = true),
    LOCAL(1024, "global-1024", "in local memory; registers could not hold them",
          .direction = BL_FASTER, .skip_in_quick = true),
    CASE("local-by-one", 1024, BL_MEMORY_LOCAL, "IN_LOCAL",
         "one work-item to initialize all the histogram bins", "local-1024",
         "in local memory, all zeroed by one work-item", .variant = ZEROED_BY_ONE,
         .skip_in_quick = true),
    PRIVATE(1024, "local-1024", "in the private memory of each work-item: too many, so they spill",
            .direction = BL_SLOWER, .skip_in_quick = true),
    GLOBAL(1024, "global-1024", "in global memory", .skip_in_quick = true),
    OWN(1024),
};
/* clang-format on */

BL_SUITE(histogram, "histogram", "bins in registers, private, local and global memory");
