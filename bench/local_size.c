/* The limit of local memory per group. The guide "Shared Local Memory" says that the limit is 64
 * KiB, and that with 512 bytes per work-item a group can have at most 128 work-items. Beyond the
 * limit a launch fails (CL_OUT_OF_RESOURCES); cases that exceed the limit are launched
 * nevertheless, so that their rows show the driver's own answer. Ratios compare words written and
 * read per second, so they show what a large tile costs in occupancy. The notes of `whole` and
 * `one-more` state the device's limit. */
#include <stdio.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

enum { GROUP = 64, SMALL_BYTES = 4096, ITEM_BYTES = 512, GUIDE_BYTES = 65536 };
enum { SMALL, WHOLE, PER_ITEM, LARGEST, ONE_MORE };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t group = bl_launch_group_items(&workload->launch);
    const size_t words = workload->buffers.local_bytes / 4;
    const uint32_t sum_of_rounds = bl_sum_below(rounds);
    for (size_t lid = 0; lid < group; lid++) {
        uint32_t once = 0, count = 0;
        for (size_t i = lid; i < words; i += group, count++)
            once += WORD_OF((uint32_t)(words - 1 - i), 0);
        expected[lid] = rounds * once + count * sum_of_rounds;
    }
    bl_repeat_group(expected, group, workload->buffers.outputs);
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const uint64_t has = setting->device ? setting->device->local_bytes : GUIDE_BYTES;
    const size_t max_items = setting->device ? setting->device->max_group_items : GUIDE_BYTES;
    const unsigned variant = setting->test_case->variant;
    struct bl_setting own = *setting;
    size_t bytes = SMALL_BYTES;
    if (variant == WHOLE)
        bytes = has / (GROUP * 4) * (GROUP * 4);
    if (variant == ONE_MORE)
        bytes = has / 4 * 4 + 4;
    if (variant == LARGEST)
        own.shape.x = (unsigned)(has / ITEM_BYTES < max_items ? has / ITEM_BYTES : max_items);
    if (variant == LARGEST || variant == PER_ITEM)
        bytes = own.shape.x * ITEM_BYTES;
    bl_workload_begin(workload, &own, "local_size.cl", "whole_local");
    bl_fill_device(workload, &own);
    bl_add_option(&workload->build, "-DGROUP=%u -DWORDS=%zu", own.shape.x, bytes / 4);
    workload->buffers.data_bytes = 4;
    workload->buffers.local_bytes = bytes;
    workload->buffers.local_argument = bytes > has;
    if (workload->buffers
            .local_argument) /* with a fixed size, the compiler would refuse the kernel */
        bl_add_option(&workload->build, "-DIS_ARGUMENT");
    workload->check.reference = reference;
    const size_t words = workload->launch.groups * (bytes / 4);
    workload->work.units = 2.0 * (double)words;
    workload->work.bytes = workload->work.units * 4;
    workload->work.working_set_bytes = bytes;
    workload->cost.why_none = "there is no rule for how much latency fewer groups hide";
    if (variant == WHOLE || variant == ONE_MORE)
        snprintf(workload->note, sizeof workload->note,
                 "a group can have %llu bytes; the guide says %d", (unsigned long long)has,
                 GUIDE_BYTES);
    if (variant == PER_ITEM)
        snprintf(workload->note, sizeof workload->note,
                 "%d bytes for each of %u work-items are %zu bytes", ITEM_BYTES, own.shape.x,
                 bytes);
    if (variant == LARGEST)
        snprintf(workload->note, sizeof workload->note,
                 "with %d bytes each, a group has at most %u work-items; the guide says %d",
                 ITEM_BYTES, own.shape.x, GUIDE_BYTES / ITEM_BYTES);
}

/* clang-format off */ /* one case per row */
#define CASE(name, variant_, items, where, title_, ...)                                         \
    {.id = "local-size/" name, .title = title_, .variant = variant_, .lay_out = lay_out,        \
     .memory = BL_MEMORY_LOCAL, .baseline = "local-size/4K", .shapes = BL_GROUP_OF(items),      \
     .document = "shared local memory guide, " where, __VA_ARGS__}
#define SIZE "size and work-group size: 65,536 bytes for each work-group"
#define ITEMS "size and work-group size: a function of the number of work-items"
#define ERRORS "troubleshooting: CL_OUT_OF_RESOURCES where a kernel uses more"
#define PER(items)                                                                              \
    CASE("512-an-item-" #items, PER_ITEM, items, ITEMS,                                         \
         "512 bytes per work-item, group of " #items, .skip_in_quick = true)

static const struct bl_case cases[] = {
    CASE("4K", SMALL, GROUP, SIZE, "a tile of 4 KiB: many groups are resident",
         .skip_in_quick = true),
    CASE("whole", WHOLE, GROUP, SIZE, "all that a group may have, every byte used",
         .same_kernels = "the limit may be exactly what one of these groups needs"),
    PER(16), PER(32), PER(64), PER(128), PER(256),
    CASE("512-an-item", LARGEST, GROUP, ITEMS, "512 bytes per work-item: the largest group",
         .same_kernels = "the largest may be one of the groups above"),
    CASE("one-more", ONE_MORE, GROUP, ERRORS, "one word too many: the driver must refuse"),
};
/* clang-format on */

BL_SUITE(local_size, "local-size", "how much local memory a group may have");
