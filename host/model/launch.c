/* The table of element types, and the layout of launches: the number of groups, the sizes of
 * arrays, and the step between accesses. */
#include "model/launch.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Types. */

#define TYPE(name, component_bytes, components, element_bytes, scalar)                             \
    {                                                                                              \
        name, component_bytes, components, element_bytes, (component_bytes) * (components), scalar \
    }

const struct bl_type bl_type_uchar = TYPE("uchar", 1, 1, 1, "uchar");
const struct bl_type bl_type_ushort = TYPE("ushort", 2, 1, 2, "ushort");
const struct bl_type bl_type_int = TYPE("int", 4, 1, 4, "int");
const struct bl_type bl_type_int2 = TYPE("int2", 4, 2, 8, "int");
const struct bl_type bl_type_int3 = TYPE("int3", 4, 3, 16, "int");
const struct bl_type bl_type_int4 = TYPE("int4", 4, 4, 16, "int");

static const struct {
    char name[8];
    unsigned bytes;
} scalars[] = {
    {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
    {"uint", 4}, {"long", 8},  {"ulong", 8}, {"float", 4},  {"double", 8},
};

enum { SCALARS = sizeof scalars / sizeof scalars[0] };

static const unsigned lengths[] = {1, 2, 3, 4, 8, 16};

enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

bool bl_type_name_at(size_t i, char name[16])
{
    if (i >= SCALARS * LENGTHS)
        return false;
    const unsigned length = lengths[i % LENGTHS];
    if (length == 1)
        snprintf(name, 16, "%s", scalars[i / LENGTHS].name);
    else
        snprintf(name, 16, "%s%u", scalars[i / LENGTHS].name, length);
    return true;
}

enum bl_status bl_type_named(const char *name, struct bl_type *type, struct bl_error *error)
{
    char names[SCALARS * LENGTHS][16], meant[128];
    struct bl_nearest nearest = bl_nearest_begin(name);
    for (size_t i = 0; i < SCALARS * LENGTHS; i++) {
        bl_type_name_at(i, names[i]);
        bl_nearest_offer(&nearest, names[i]);
        if (strcmp(names[i], name) != 0)
            continue;
        const unsigned length = lengths[i % LENGTHS], bytes = scalars[i / LENGTHS].bytes;
        *type = (struct bl_type)TYPE("", bytes, length, bytes * (length == 3 ? 4 : length), "");
        strcpy(type->name, names[i]);
        strcpy(type->scalar, scalars[i / LENGTHS].name);
        return BL_OK;
    }
    return bl_fail(error, BL_USAGE, "unknown type '%s'%s", name,
                   nearest.best ? bl_did_you_mean(&nearest, meant)
                                : "; there are char, uchar, short, ushort, int, uint, long, ulong, "
                                  "float and double, and vectors of 2, 3, 4, 8 and 16 such as "
                                  "float4");
}

/* Launches. */

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
