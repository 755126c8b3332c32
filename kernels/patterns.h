/* The index expressions of the guides' cases, and others like them, each written once in the
 * guides' notation.
 *
 * OpenCL C compiles them into the kernels; C compiles them for a simulated work-item
 * (host/model/launch.c), so that the model evaluates the same expression as the device. Indices
 * count elements, in size_t. `width` is the row length of a two-dimensional array; `n` is a
 * parameter of the case. In STRIDE_N, neighbouring work-items are n elements apart. In DISTINCT,
 * work-items read n distinct elements. In LINES, 16 work-items touch n cache lines, each work-item
 * in a different bank. */
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

/* The row length of the two-dimensional pattern, in elements: a multiple of the cache line, and of
 * the width of all banks together. 64 rows of ints fill the working set. */
#define WIDTH_ELEMENTS 256

/* The element at which a work-item starts. The index wraps around in the working set (`elements`, a
 * power of two). Each work-group (linear number `group`) starts `spread` elements after the one
 * before. `spread` is a multiple of the cache line, and of the width of all banks together, so it
 * does not change the cost of a request. With it, all groups together touch the whole working set.
 */
#define START_ELEMENT(index, group, spread, elements) \
    (((index) + (group) * (spread)) & ((elements) - 1))

#ifdef __OPENCL_VERSION__
#include "work_items.h"

/* In local memory the guide's ids count work-items within the group. */
#ifdef IDS_WITHIN_GROUP
#define get_global_id(dimension) get_local_id(dimension)
#define get_global_size(dimension) get_local_size(dimension)
#endif

#define PATTERN_FUNCTION(name, expression) \
    size_t index_##name(size_t width, size_t n) { return expression; }
PATTERNS(PATTERN_FUNCTION)

#ifdef INDEX
/* The host defines INDEX, N, SPREAD and ELEMENTS for each program. */
size_t start_element(void)
{
    return START_ELEMENT(INDEX(WIDTH_ELEMENTS, N), linear_group(), (size_t)SPREAD,
                         (size_t)ELEMENTS);
}
#endif

#endif /* __OPENCL_VERSION__ */
#endif
