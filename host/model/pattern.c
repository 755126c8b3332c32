/* Compiles the patterns of kernels/patterns.h as C, with OpenCL's functions defined for a simulated
 * work-item. */
#include "model/pattern.h"

#include <stdlib.h>

/* A simulated work-item: the values of the ids and sizes in an expression. */
struct work_item {
    size_t global_id[2];
    size_t global_size[2];
};

#define get_global_id(dimension) (item->global_id[dimension])
#define get_global_size(dimension) (item->global_size[dimension])

/* The guide writes `& ~1` with an unsigned id. The int is converted, which is intended, in C as in
 * OpenCL C. */
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
    /* In local memory an id means the work-item's position in its group. */
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
