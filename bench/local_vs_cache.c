/* Local memory against the same read of cached global memory, from the guide "__local Memory": a
 * local access is about a cache hit, and off the line local memory alone keeps its speed. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "local memory guide, local memory and the cache"
#define LOCAL .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .forms = BL_FORM_ROW, \
              .document = DOCUMENT

static const struct bl_case cases[] = {
    {.id = "local-vs-cache/1", .title = "contiguous: about as fast as a cache hit",
     .pattern = BL_PATTERN_CONTIGUOUS, .baseline = "global/1", .claimed = BL_FORM_ROW, LOCAL},
    {.id = "local-vs-cache/2", .title = "off by one: full speed in local memory only",
     .pattern = BL_PATTERN_PLUS_ONE, .baseline = "global/2", .claimed = BL_FORM_ROW, .claim = 2,
     .direction = BL_FASTER, LOCAL},
};
/* clang-format on */

BL_SUITE(local_vs_cache, "local-vs-cache", "local memory against cached global memory");
