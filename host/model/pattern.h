/* The patterns of kernels/patterns.h as C sees them. */
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

/* The name as in kernels/patterns.h ("STRIDE_4"): the kernel calls index_<name>. */
const char *bl_pattern_name(enum bl_pattern pattern);

/* The expression as the guide prints it. */
const char *bl_pattern_expression(enum bl_pattern pattern);

/* The raw index, in elements, that a work-item computes, before it is spread and wrapped. item
 * counts the launch's work-items from 0, group by group and x fastest inside a group. */
size_t bl_pattern_index(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The element at which the work-item starts: the index, spread and wrapped as in the kernel. */
size_t bl_pattern_start(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The start elements of all work-items of the launch, bl_launch_items of them; the caller frees the
 * array. NULL: no memory. */
uint64_t *bl_pattern_starts(enum bl_pattern pattern, const struct bl_launch *launch);

#endif
