/* Lays out launches: the number of groups, the sizes of arrays, and the step between accesses. */
#include "model/launch.h"

enum { SPREAD_BYTES = 2048, MIN_TILE_BYTES = 2048, TILE_BYTES_OF_LANE = 128 };

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

size_t bl_groups_for(const struct bl_machine *machine, size_t group_items,
                     unsigned sub_groups_per_cu, unsigned compute_units)
{
    const size_t groups_per_cu = sub_groups_per_cu / ceil_div(group_items, machine->lanes);
    return compute_units * (groups_per_cu ? groups_per_cu : 1);
}

/* The local memory of a group: just large enough for a stride of 17 over all lanes of a request
 * (less than 4 KiB for 16 lanes), because local memory limits how many groups are resident. */
static size_t tile_bytes(const struct bl_machine *machine)
{
    size_t bytes = MIN_TILE_BYTES;
    while (bytes < TILE_BYTES_OF_LANE * (size_t)machine->lanes)
        bytes *= 2;
    return bytes;
}

/* The bytes of one round over all banks, or, if that is not a power of two, the largest power of
 * two that divides it. Any step of whole words keeps the conflicts, because it moves all lanes by
 * the same number of banks; a step of whole rounds even keeps each lane in its bank. */
static unsigned round_bytes(const struct bl_machine *machine)
{
    const unsigned round = machine->banks * machine->bank_bytes;
    return round & -round;
}

struct bl_launch bl_launch_for(const struct bl_machine *machine, enum bl_memory memory,
                               const struct bl_type *type, struct bl_shape shape,
                               unsigned compute_units)
{
    const size_t items = (size_t)shape.x * shape.y;
    /* All three are powers of two, so the largest is a multiple of the others. */
    const unsigned step_bytes =
        larger(larger(machine->line_bytes, round_bytes(machine)), type->element_bytes);
    const bool is_global = memory == BL_MEMORY_GLOBAL;
    const size_t working_set_bytes = is_global ? BL_WORKING_SET_BYTES : tile_bytes(machine);
    const unsigned unroll = machine->unrolled_reads / (memory == BL_MEMORY_LOCAL ? 2 : 1);
    return (struct bl_launch){
        .memory = memory,
        .type = type,
        .n = 1,
        .shape = shape,
        .lanes = items < machine->lanes ? (unsigned)items : machine->lanes,
        .groups = bl_groups_for(machine, items,
                                memory == BL_MEMORY_LOCAL ? machine->local_sub_groups_per_cu
                                                          : machine->global_sub_groups_per_cu,
                                compute_units),
        .elements = working_set_bytes / type->element_bytes,
        .spread = is_global ? SPREAD_BYTES / type->element_bytes : 0,
        .step = step_bytes / type->element_bytes,
        .steps = unroll,
        .unroll = unroll,
    };
}

size_t bl_launch_read_offset(const struct bl_launch *launch, unsigned read)
{
    return (size_t)(read % launch->steps) * launch->step;
}

size_t bl_launch_array_bytes(const struct bl_launch *launch)
{
    return (launch->elements + (size_t)(launch->steps - 1) * launch->step) *
           launch->type->element_bytes;
}

size_t bl_launch_working_set_bytes(const struct bl_launch *launch)
{
    return launch->elements * launch->type->element_bytes;
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
    static const char *const names[] = {"global", "local", "constant", "private"};
    return names[memory];
}
