#include "model/launch.h"

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

struct bl_launch bl_launch_for(const struct bl_machine *machine, enum bl_memory memory,
                               struct bl_shape shape, unsigned compute_units)
{
    const size_t items = (size_t)shape.x * shape.y;
    const unsigned lanes = items < machine->lanes ? (unsigned)items : machine->lanes;
    const unsigned words_per_line = machine->line_bytes / BL_ELEMENT_BYTES;
    const unsigned words_per_bank_round = machine->banks * machine->bank_bytes / BL_ELEMENT_BYTES;
    struct bl_launch launch = {
        .memory = memory,
        .shape = shape,
        .lanes = lanes,
        .step = larger(words_per_line, words_per_bank_round),
    };
    unsigned sub_groups_per_cu;
    if (memory == BL_MEMORY_GLOBAL) {
        sub_groups_per_cu = machine->global_sub_groups_per_cu;
        launch.elements = BL_WORKING_SET_BYTES / BL_ELEMENT_BYTES;
        launch.spread = 512;
        /* 64 reads a round: with 32 the end of a round costs an H100 1 % of its peak. */
        launch.unroll = 64;
    } else {
        sub_groups_per_cu = machine->local_sub_groups_per_cu;
        /* Room for a stride of 17 over every lane of a request, and no more: the tile limits how
         * many groups are resident. On 16 lanes it stays under 4 KiB. */
        launch.elements = 32 * (size_t)BL_GUIDE_LANES;
        while (launch.elements < 32 * (size_t)machine->lanes)
            launch.elements *= 2;
        launch.unroll = 32;
    }
    const size_t sub_groups = ceil_div(items, machine->lanes);
    const size_t groups_per_cu = sub_groups_per_cu / sub_groups;
    launch.groups = compute_units * (groups_per_cu ? groups_per_cu : 1);
    return launch;
}

size_t bl_launch_array_elements(const struct bl_launch *launch)
{
    return launch->elements + (size_t)(launch->unroll - 1) * launch->step;
}

size_t bl_launch_group_items(const struct bl_launch *launch)
{
    return (size_t)launch->shape.x * launch->shape.y;
}

size_t bl_launch_items(const struct bl_launch *launch)
{
    return launch->groups * bl_launch_group_items(launch);
}

size_t bl_launch_requests(const struct bl_launch *launch)
{
    return launch->groups * ceil_div(bl_launch_group_items(launch), launch->lanes);
}

const char *bl_memory_name(enum bl_memory memory)
{
    return memory == BL_MEMORY_GLOBAL ? "global" : "local";
}
