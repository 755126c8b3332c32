/* Local memory compared with the same reads of cached global memory, from the guide "__local
 * Memory": a local access costs about as much as a cache hit, but only local memory keeps its speed
 * if accesses are not aligned to a cache line. */
#include <math.h>

#include "run/case.h"

/* The guide claims only which of the two memories is faster. The model has rules for each memory,
 * but no rule that compares them. */
static void lay_out_beside_memory(const struct bl_setting *setting, struct bl_workload *workload)
{
    bl_lay_out_pattern(setting, workload);
    workload->cost.clocks = NAN;
    workload->cost.why_none = "there is no rule that compares local memory with memory";
}

/* clang-format off */ /* one case per row */
#define CASE(number, pattern_, title_, ...)                                                     \
    {.id = "local-vs-cache/" #number, .title = title_, .pattern = BL_PATTERN_##pattern_,        \
     .document = "local memory guide, local memory and the cache", .shapes = BL_ROW,            \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .baseline = "global/" #number,   \
     __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, "contiguous: about as fast as a cache hit"),
    CASE(2, PLUS_ONE, "off by one: full speed in local memory "
    "only", .claim = 2, .claim_is_derived = true,
         .direction = BL_FASTER),
    {.id = "local-vs-cache/memory", .title = "contiguous, against reads of 1 GiB",
     .pattern = BL_PATTERN_CONTIGUOUS, .shapes = BL_NATIVE_ROW, .lay_out = lay_out_beside_memory,
     .document = "shared local memory guide, sharing data", .memory = BL_MEMORY_LOCAL,
     .baseline = "level/contiguous-1G", .direction = BL_FASTER, .skip_in_quick = true},
};
/* clang-format on */

BL_SUITE(local_vs_cache, "local-vs-cache", "local memory against cached global memory");
