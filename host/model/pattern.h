/* The index patterns of kernels/patterns.h, compiled as C: the model evaluates the same expressions
 * that the device runs. */
#ifndef BANKLINE_MODEL_PATTERN_H
#define BANKLINE_MODEL_PATTERN_H

#include "../../kernels/patterns.h"
#include "model/launch.h"

enum bl_pattern {
#define BL_PATTERN_ENUM(name, expression) BL_PATTERN_##name,
    PATTERNS(BL_PATTERN_ENUM)
#undef BL_PATTERN_ENUM
        BL_PATTERN_COUNT
};

/* The pattern's name ("STRIDE_4"); kernels call index_<name>. */
const char *bl_pattern_name(enum bl_pattern pattern);

/* The pattern's expression as the guide prints it. */
const char *bl_pattern_expression(enum bl_pattern pattern);

/* The value of the expression for a work-item, before it is spread and wrapped. item: number of the
 * work-item in the launch, group by group, with x fastest inside a group. */
size_t bl_pattern_index(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The work-item's start element: the expression's value, spread and wrapped as in the kernel. */
size_t bl_pattern_start(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The start elements of all bl_launch_items work-items of the launch; the caller frees the array.
 * NULL: no memory. */
uint64_t *bl_pattern_starts(enum bl_pattern pattern, const struct bl_launch *launch);

#endif
