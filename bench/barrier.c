/* What a barrier costs, from the guide "Shared Local Memory": more in a larger work-group. One
 * group runs on each compute unit, so nothing hides the wait. Compared by barriers a second. */
#include <stdlib.h>

#include "model/reference.h"
#include "run/case.h"

enum { STEPS = 16 };
enum variant { AS_SAID, LARGEST };

/* All groups compute the same: what each work-item hands on depends on all that it was handed. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const size_t group = bl_launch_group_items(&workload->launch);
    uint32_t *mine = malloc(group * sizeof *mine);
    if (!mine)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a group of %zu", group);
    for (size_t lid = 0; lid < group; lid++) {
        mine[lid] = bl_data_element(lid);
        expected[lid] = 0;
    }
    for (uint64_t step = 0; step < (uint64_t)rounds * STEPS; step++) {
        for (size_t lid = 0; lid < group; lid++)
            expected[lid] += mine[(lid + 1) % group];
        for (size_t lid = 0; lid < group; lid++)
            mine[lid] = expected[lid] ^ 0x9E3779B9u;
    }
    free(mine);
    bl_repeat_group(expected, group, workload->outputs);
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    struct bl_setting own = *setting;
    if (test_case->variant == LARGEST && setting->device)
        own.shape.x = (unsigned)setting->device->max_group_items;
    bl_workload_begin(workload, test_case, &own, "barrier.cl", "barrier_steps");
    const size_t group = bl_launch_group_items(&workload->launch);
    workload->launch.groups = setting->compute_units;
    workload->outputs = bl_launch_items(&workload->launch);
    bl_add_option(workload, "-DGROUP=%zu -DSTEPS=%d", group, STEPS);
    workload->data_bytes = group * 4;
    workload->local_bytes = group * 4;
    workload->reference = reference;
    workload->work = 2.0 * STEPS * (double)workload->launch.groups;
}

/* clang-format off */ /* a case a row */
#define BARRIER .document = "shared local memory guide, work-group barriers", .lay_out = lay_out, \
                .memory = BL_MEMORY_LOCAL, .baseline = "barrier/16"

#define CASE(items, ...)                                                                        \
    {.id = "barrier/" #items, .title = "a group of " #items " work-items", .group = (items),    \
     BARRIER, __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(16, .skip_in_quick = true),
    CASE(32, .skip_in_quick = true),
    CASE(64, .direction = BL_SLOWER, .skip_in_quick = true),
    CASE(128, .direction = BL_SLOWER, .skip_in_quick = true),
    CASE(256, .direction = BL_SLOWER),
    CASE(512, .direction = BL_SLOWER, .skip_in_quick = true),
    {.id = "barrier/largest", .title = "the largest group that the device takes", .group = 1024,
     .variant = LARGEST, BARRIER, .direction = BL_SLOWER, .skip_in_quick = true},
};
/* clang-format on */

BL_SUITE(barrier, "barrier", "a barrier in groups of 16 to the largest");
