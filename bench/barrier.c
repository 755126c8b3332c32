/* The cost of a barrier. The guide "Shared Local Memory" says that the cost may be higher in a
 * larger work-group, which is too vague for a claim; a machine may have a rule for this cost. One
 * group runs on each compute unit, so that nothing hides the wait. Ratios compare barriers per
 * second. */
#include <stdlib.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

enum { STEPS = 16 };
enum { AS_SAID, LARGEST };

/* Computes the expected outputs, which are the same for all groups. The value that a work-item
 * passes to its neighbour depends on every value it received, so the result would be wrong if the
 * kernel lacked a barrier. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const size_t group = bl_launch_group_items(&workload->launch);
    uint32_t *mine = malloc(group * sizeof *mine);
    if (!mine)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing a group of %zu", group);
    for (size_t lid = 0; lid < group; lid++) {
        mine[lid] = bl_data_element(lid);
        expected[lid] = 0;
    }
    for (uint64_t step = 0; step < (uint64_t)rounds * STEPS; step++) {
        for (size_t lid = 0; lid < group; lid++)
            expected[lid] += mine[(lid + 1) % group];
        for (size_t lid = 0; lid < group; lid++)
            mine[lid] = HANDED_ON(expected[lid]);
    }
    free(mine);
    bl_repeat_group(expected, group, workload->buffers.outputs);
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    struct bl_setting own = *setting;
    if (setting->test_case->variant == LARGEST && setting->device)
        own.shape.x = (unsigned)setting->device->max_group_items;
    bl_workload_begin(workload, &own, "barrier.cl", "barrier_steps");
    bl_set_groups(workload, setting->compute_units);
    bl_add_option(&workload->build, "-DGROUP=%u -DSTEPS=%d", own.shape.x, STEPS);
    workload->buffers.data_bytes = workload->buffers.local_bytes = own.shape.x * 4;
    workload->check.reference = reference;
    workload->work.units = 2.0 * STEPS * setting->compute_units;
    const struct bl_machine *machine = setting->machine;
    const unsigned further = (own.shape.x + machine->lanes - 1) / machine->lanes - 1;
    if (machine->has_rule && machine->barrier_more_percent)
        bl_set_clocks(workload, 1 + machine->barrier_more_percent / 100.0 * further);
    else
        workload->cost.why_none = "the machine has no rule for barriers";
}

/* clang-format off */ /* one case per row */
#define CASE(name, items, title_, ...)                                                          \
    {.id = "barrier/" name, .title = title_, .shapes = BL_GROUP_OF(items),                      \
     .document = "shared local memory guide, work-group barriers", .baseline = "barrier/16",    \
     .lay_out = lay_out, .memory = BL_MEMORY_LOCAL, __VA_ARGS__}
#define GROUP(items, ...) CASE(#items, items, "a group of " #items " work-items", __VA_ARGS__)

static const struct bl_case cases[] = {
    GROUP(16, .skip_in_quick = true),
    GROUP(32, .skip_in_quick = true),
    GROUP(64, .skip_in_quick = true),
    GROUP(128, .skip_in_quick = true),
    GROUP(256, .skip_in_quick = false),
    GROUP(512, .skip_in_quick = true),
    CASE("largest", 1024, "the largest group that the device takes", .variant = LARGEST,
         .same_kernels = "the largest may be one of the groups above", .skip_in_quick = true),
};
/* clang-format on */

BL_SUITE(barrier, "barrier", "the cost of a barrier, by group size");
