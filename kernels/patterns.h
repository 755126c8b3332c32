/* The index expressions of the guides, each written once, as the guide prints it.
 *
 * OpenCL C compiles them into the kernels; C compiles them over a simulated work-item
 * (host/model/pattern.c), so the model sees the very expression that the device runs.
 * Indices count elements, in size_t. `width` is the row length of a two-dimensional array; `n` is
 * a parameter of the case: STRIDE_N has n elements from one work-item to the next, DISTINCT reads n
 * elements, LINES touches n lines of 16 work-items, each work-item in a bank of its own.
 */
#ifndef BANKLINE_PATTERNS_H
#define BANKLINE_PATTERNS_H

#define PATTERNS(PATTERN)                                             \
    PATTERN(CONTIGUOUS, get_global_id(0))                             \
    PATTERN(PLUS_ONE, get_global_id(0) + 1)                           \
    PATTERN(REVERSED, get_global_size(0) - 1 - get_global_id(0))      \
    PATTERN(PAIRED, get_global_id(0) & ~1)                            \
    PATTERN(STRIDE_2, get_global_id(0) * 2)                           \
    PATTERN(STRIDE_4, get_global_id(0) * 4)                           \
    PATTERN(STRIDE_8, get_global_id(0) * 8)                           \
    PATTERN(STRIDE_16, get_global_id(0) * 16)                         \
    PATTERN(STRIDE_17, get_global_id(0) * 17)                         \
    PATTERN(STRIDE_32, get_global_id(0) * 32)                         \
    PATTERN(STRIDE_33, get_global_id(0) * 33)                         \
    PATTERN(STRIDE_N, get_global_id(0) * n)                           \
    PATTERN(DISTINCT, get_global_id(0) % n)                           \
    PATTERN(LINES, get_global_id(0) * n / 16 * 32 + get_global_id(0) % 32) \
    PATTERN(TWO_D, get_global_id(0) + get_global_id(1) * width)

/* Row length of the two-dimensional pattern, in elements: a whole number of lines and of bank
 * rounds, and 64 rows of it fill the working set. */
#define WIDTH_ELEMENTS 256

/* Element at which a work-item starts. The index wraps into the working set (`elements`, a power
 * of two). `group`, the work-group's linear number, moves each group on by `spread` elements, a
 * whole number of lines and of bank rounds, so that the cost of a request stays what the index
 * makes it while all groups together touch the whole working set. */
#define START_ELEMENT(index, group, spread, elements) \
    (((index) + (group) * (spread)) & ((elements) - 1))

#ifdef __OPENCL_VERSION__
#include "work_items.h"

/* In local memory the guide's id is the work-item's within its group. */
#ifdef IDS_WITHIN_GROUP
#define get_global_id(dimension) get_local_id(dimension)
#define get_global_size(dimension) get_local_size(dimension)
#endif

#define PATTERN_FUNCTION(name, expression) \
    size_t index_##name(size_t width, size_t n) { return expression; }
PATTERNS(PATTERN_FUNCTION)

#ifdef INDEX
/* INDEX, N, SPREAD and ELEMENTS come from the host, for each program. */
size_t start_element(void)
{
    return START_ELEMENT(INDEX(WIDTH_ELEMENTS, N), linear_group(), (size_t)SPREAD,
                         (size_t)ELEMENTS);
}
#endif

#endif /* __OPENCL_VERSION__ */
#endif
