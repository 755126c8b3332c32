/* The table of element types, the layout of launches (number of groups, sizes of arrays, step
 * between accesses), the sums that kernels must compute, and the index patterns. */
#include "model/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Types. */

#define TYPE(name, component_bytes, components, element_bytes, scalar)                      \
    {                                                                                       \
        name, component_bytes, components, element_bytes, (component_bytes) * (components), \
            scalar, false                                                                   \
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
                   nearest.best
                       ? bl_did_you_mean(&nearest, meant)
                       : "; known types are char, uchar, short, ushort, int, uint, long, ulong, "
                         "float and double, and vectors of 2, 3, 4, 8 and 16 components, such as "
                         "float4");
}

/* Launches. */

enum { SPREAD_BYTES = 2048, MIN_TILE_BYTES = 2048, TILE_BYTES_OF_LANE = 128 };

uint64_t bl_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

size_t bl_groups_for(const struct bl_machine *machine, size_t group_items,
                     unsigned sub_groups_per_cu, unsigned compute_units)
{
    const size_t groups_per_cu = sub_groups_per_cu / ceil_div(group_items, machine->lanes);
    return compute_units * (groups_per_cu ? groups_per_cu : 1);
}

/* Bytes of the working set in local or constant memory. It is just large enough for a stride of 17
 * ints over all lanes of a request, because local memory limits how many groups are resident. With
 * 16 lanes, a group's local array, including the steps, takes less than 4 KiB. */
static size_t tile_bytes(const struct bl_machine *machine)
{
    size_t bytes = MIN_TILE_BYTES;
    while (bytes < TILE_BYTES_OF_LANE * (size_t)machine->lanes)
        bytes *= 2;
    return bytes;
}

/* The bytes of one round over all banks; if this number is not a power of two, the largest power of
 * two that divides it. A step of whole words does not change bank conflicts, because it moves all
 * lanes by the same number of banks; after a step of whole rounds, each lane even accesses the same
 * bank as before. */
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
    /* All three sizes are powers of two, so the largest is a multiple of the smaller ones. */
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
    static const char *const names[] = {"global", "local", "constant", "private", "constant"};
    return names[memory];
}

/* The data that kernels read, and the sums that they must compute, both computed on the host. */

uint32_t bl_data_element(size_t i)
{
    /* An integer hash in which every bit of x affects every bit of the result. Its
     * constants are from C. Wellons' hash prospector. */
    uint32_t x = ((uint32_t)i & (BL_DATA_PERIOD - 1)) + 1;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

uint32_t bl_sum_below(uint64_t n)
{
    /* One of the two factors is even. The even factor is halved before the multiplication, because
     * halving after a wrap-around would give a wrong result. */
    return (uint32_t)(n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1));
}

void bl_repeat_group(uint32_t outputs[], size_t group, size_t count)
{
    for (size_t i = group; i < count; i++)
        outputs[i] = outputs[i - group];
}

/* The element of 1, 2 or 4 bytes at byte offset i of the array. */
static uint32_t data_bytes_at(size_t i, unsigned bytes)
{
    /* Bytes are in little-endian order, as on all OpenCL devices in use. i is a multiple of
     * `bytes`. */
    const uint32_t word = bl_data_element(i / 4) >> (8 * (i % 4));
    return bytes == 4 ? word : word & ((1u << (8 * bytes)) - 1);
}

/* The size in bytes of the integers that SUM (kernels/elements.h) adds: 4, or less if an element or
 * a component of a 3-vector is smaller. */
static unsigned piece_bytes(const struct bl_type *type)
{
    const unsigned whole = type->components == 3 ? type->component_bytes : type->access_bytes;
    return whole < 4 ? whole : 4;
}

static uint32_t element_sum(const struct bl_type *type, uint64_t element)
{
    const unsigned piece = piece_bytes(type);
    uint32_t sum = 0;
    for (unsigned at = 0; at < type->access_bytes; at += piece)
        sum += data_bytes_at(element * type->element_bytes + at, piece);
    return sum;
}

static uint32_t round_sum(const struct bl_launch *launch, uint64_t start)
{
    const uint32_t times = launch->unroll / launch->steps;
    uint32_t sum = 0;
    for (unsigned read = 0; read < launch->steps; read++)
        sum += element_sum(launch->type, start + bl_launch_read_offset(launch, read));
    return sum * times;
}

uint32_t bl_written_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds)
{
    const struct bl_type *type = launch->type;
    const unsigned bits = 8 * type->component_bytes, piece = piece_bytes(type);
    const uint32_t mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    uint32_t components = 0; /* the sum of one component's truncated values over all elements */
    if (bits < 32)
        for (unsigned step = 0; step < launch->steps; step++)
            components += ((uint32_t)(start + (uint64_t)step * launch->step) + rounds) & mask;
    else /* nothing is truncated: an arithmetic series */
        components =
            launch->steps * ((uint32_t)start + rounds) + launch->step * bl_sum_below(launch->steps);
    uint32_t copies =
        0; /* the factor that copies a component to all component positions of a word */
    for (unsigned at = 0; at < 8 * piece; at += bits)
        copies |= 1u << at;
    /* The upper half of a 64-bit component is 0, so it adds nothing. */
    return components * copies *
           (type->component_bytes == 8 ? type->components : type->access_bytes / piece);
}

static uint32_t expected_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds)
{
    return launch->is_write ? bl_written_sum(launch, start, rounds) : round_sum(launch, start);
}

enum bl_status bl_expected_sums(const struct bl_launch *launch, const uint64_t starts[],
                                uint32_t rounds, uint32_t sums[], struct bl_error *error)
{
    const size_t items = bl_launch_items(launch);
    if (items < launch->elements) { /* fewer work-items than elements: compute each sum directly */
        for (size_t item = 0; item < items; item++)
            sums[item] = expected_sum(launch, starts[item], rounds);
        return BL_OK;
    }
    uint32_t *by_start = malloc(launch->elements * sizeof *by_start);
    if (!by_start)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing %zu expected sums",
                       launch->elements);
    for (size_t start = 0; start < launch->elements; start++)
        by_start[start] = expected_sum(launch, start, rounds);
    for (size_t item = 0; item < items; item++)
        sums[item] = by_start[starts[item]];
    free(by_start);
    return BL_OK;
}

/* Compiles the patterns of kernels/patterns.h as C, with OpenCL's functions defined for a simulated
 * work-item. */

/* A simulated work-item: the values of the ids and sizes in an expression. */
struct work_item {
    size_t global_id[2];
    size_t global_size[2];
};

#define get_global_id(dimension) (item->global_id[dimension])
#define get_global_size(dimension) (item->global_size[dimension])

/* Intel's guide writes `& ~1` with an unsigned id. The conversion of the int to unsigned is
 * intended, in C as in OpenCL C. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define PATTERN_FUNCTION(name, expression)                                           \
    static size_t index_##name(const struct work_item *item, size_t width, size_t n) \
    {                                                                                \
        (void)item, (void)width, (void)n;                                            \
        return expression;                                                           \
    }
PATTERNS(PATTERN_FUNCTION)
#undef PATTERN_FUNCTION
#pragma GCC diagnostic pop

static const struct {
    const char *name;
    const char *expression;
    size_t (*index)(const struct work_item *item, size_t width, size_t n);
} patterns[] = {
#undef get_global_id
#undef get_global_size
#define PATTERN_ROW(name, expression) {#name, #expression, index_##name},
    PATTERNS(PATTERN_ROW)
#undef PATTERN_ROW
};

const char *bl_pattern_name(enum bl_pattern pattern) { return patterns[pattern].name; }

const char *bl_pattern_expression(enum bl_pattern pattern) { return patterns[pattern].expression; }

static struct work_item work_item_of(const struct bl_launch *launch, size_t item)
{
    const size_t group = item / bl_launch_group_items(launch);
    const size_t local = item % bl_launch_group_items(launch);
    const size_t local_x = local % launch->shape.x, local_y = local / launch->shape.x;
    /* In local memory, the expression uses ids within the group. */
    if (launch->memory == BL_MEMORY_LOCAL)
        return (struct work_item){.global_id = {local_x, local_y},
                                  .global_size = {launch->shape.x, launch->shape.y}};
    return (struct work_item){.global_id = {group * launch->shape.x + local_x, local_y},
                              .global_size = {launch->groups * launch->shape.x, launch->shape.y}};
}

size_t bl_pattern_index(enum bl_pattern pattern, const struct bl_launch *launch, size_t item)
{
    const struct work_item simulated = work_item_of(launch, item);
    return patterns[pattern].index(&simulated, WIDTH_ELEMENTS, launch->n);
}

size_t bl_pattern_start(enum bl_pattern pattern, const struct bl_launch *launch, size_t item)
{
    const size_t group = item / bl_launch_group_items(launch);
    return START_ELEMENT(bl_pattern_index(pattern, launch, item), group, launch->spread,
                         launch->elements);
}

uint64_t *bl_pattern_starts(enum bl_pattern pattern, const struct bl_launch *launch)
{
    const size_t items = bl_launch_items(launch);
    uint64_t *starts = malloc(items * sizeof *starts);
    for (size_t item = 0; item < items && starts; item++)
        starts[item] = bl_pattern_start(pattern, launch, item);
    return starts;
}
