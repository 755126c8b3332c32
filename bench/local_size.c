/* How much local memory a group may have, from the guide "Shared Local Memory": 64 KiB, and with
 * 512 bytes a work-item no more than 128 work-items. Compared by words written and read, so the
 * number is what a large tile costs in occupancy; the note says what was found out. */
#include <stdio.h>

#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 64, SMALL_BYTES = 4096, ITEM_BYTES = 512, GUIDE_BYTES = 65536 };
enum variant { SMALL, WHOLE, PER_ITEM, ONE_MORE };

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t group = bl_launch_group_items(&workload->launch);
    const size_t words_of_item = workload->local_bytes / 4 / group;
    const uint32_t sum_of_rounds = bl_sum_below(rounds);
    for (size_t lid = 0; lid < group; lid++) {
        uint32_t once = 0;
        for (size_t i = 0; i < words_of_item; i++)
            once += (uint32_t)(i * group + group - 1 - lid) * 0x9E3779B9u;
        expected[lid] = rounds * once + (uint32_t)words_of_item * sum_of_rounds;
    }
    bl_repeat_group(expected, group, workload->outputs);
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    const uint64_t has = setting->device ? setting->device->local_bytes : GUIDE_BYTES;
    const size_t max_items = setting->device ? setting->device->max_group_items : GUIDE_BYTES;
    struct bl_setting own = *setting;
    size_t bytes = SMALL_BYTES;
    if (test_case->variant == WHOLE)
        bytes = has / (GROUP * 4) * (GROUP * 4);
    if (test_case->variant == ONE_MORE)
        bytes = has + 1;
    if (test_case->variant == PER_ITEM) {
        const size_t fits = has / ITEM_BYTES;
        own.shape.x = (unsigned)(fits < max_items ? fits : max_items);
        bytes = own.shape.x * ITEM_BYTES;
    }
    bl_workload_begin(workload, test_case, &own, "local_size.cl", "whole_local");
    workload->launch.groups =
        bl_groups_for(setting->machine, own.shape.x, BL_SUB_GROUPS_PER_CU, setting->compute_units);
    workload->outputs = bl_launch_items(&workload->launch);
    workload->local_bytes = bytes;
    workload->working_set_bytes = bytes;
    bl_add_option(workload, "-DGROUP=%u -DWORDS=%zu", own.shape.x, bytes / 4);
    workload->data_bytes = 4;
    workload->reference = reference;
    const size_t words = workload->launch.groups * (bytes / 4);
    workload->work = 2.0 * (double)words;
    workload->bytes = workload->work * 4;
    if (test_case->variant == WHOLE)
        snprintf(workload->note, sizeof workload->note,
                 "a group has %llu bytes; the guide's has %d", (unsigned long long)has,
                 GUIDE_BYTES);
    if (test_case->variant == PER_ITEM)
        snprintf(workload->note, sizeof workload->note,
                 "at %d bytes each a group has at most %u work-items; the guide's has %d",
                 ITEM_BYTES, own.shape.x, GUIDE_BYTES / ITEM_BYTES);
}

/* clang-format off */ /* a case a row */
#define SIZE .lay_out = lay_out, .group = GROUP, .memory = BL_MEMORY_LOCAL, \
             .baseline = "local-size/4K", .document = "shared local memory guide, size and work-group size"

static const struct bl_case cases[] = {
    {.id = "local-size/4K", .title = "a tile of 4 KiB: many groups are resident",
     .variant = SMALL, .skip_in_quick = true, SIZE},
    {.id = "local-size/whole", .title = "all that a group may have: it works, every byte",
     .variant = WHOLE, SIZE},
    {.id = "local-size/512-an-item", .title = "512 bytes a work-item: the largest group",
     .variant = PER_ITEM, SIZE},
    {.id = "local-size/one-more", .title = "one byte more than there is: never reaches the driver",
     .variant = ONE_MORE, SIZE},
};
/* clang-format on */

BL_SUITE(local_size, "local-size", "how much local memory a group may have");
