/* Local memory against the same read of cached global memory, from the guide "__local Memory": a
 * local access is about a cache hit, and off the line local memory alone keeps its speed. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define CASE(number, pattern_, title_, ...)                                                     \
    {.id = "local-vs-cache/" #number, .title = title_, .pattern = BL_PATTERN_##pattern_,        \
     .document = "local memory guide, local memory and the cache", .shapes = BL_ROW,            \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .baseline = "global/" #number,   \
     __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, "contiguous: about as fast as a cache hit"),
    CASE(2, PLUS_ONE, "off by one: full speed in local memory only", .claim = 2,
         .direction = BL_FASTER),
};
/* clang-format on */

BL_SUITE(local_vs_cache, "local-vs-cache", "local memory against cached global memory");
