/* Private data that does not fit into the registers, from the guide "Memory Access Overview":
 * spilled data goes through the caches like global memory. Ratios compare elements changed per
 * second. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(words, title_, ...)                                                                \
    {.id = "spill/" #words, .title = #words " words per work-item: " title_, .n = (words),     \
     .define = "STATIC", .memory = BL_MEMORY_PRIVATE,                  \
     .lay_out = bl_lay_out_private, .shapes = BL_NATIVE_ROW, .baseline = "spill/32",            \
     .document = "memory access overview, spilled private memory", __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE(32, "registers", .skip_in_quick = true,
         .same_kernels = "its kernel is that of private/math-1-static"),
    CASE(512, "more than the registers", .direction = BL_SLOWER),
};
/* clang-format on */

BL_SUITE(spill, "spill", "private data that does not fit the registers");
