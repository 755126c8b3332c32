/* Global memory, cases 1 to 6 of the guide "__global Memory and __constant Memory": a request
 * costs one clock for each 64-byte line that it touches. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(number, pattern_, claim_, title_)                                                  \
    {.id = "global/" #number, .title = title_, .claim = (claim_),                               \
     .pattern = BL_PATTERN_##pattern_, .baseline = "global/1", .lay_out = bl_lay_out_pattern,   \
     .document = "global and constant memory guide, case " #number,                             \
     .memory = BL_MEMORY_GLOBAL, .shapes = BL_SWEEP}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, 1.0, "contiguous and aligned: one line"),
    CASE(2, PLUS_ONE, 1.0 / 2, "shifted by one element: two lines"),
    CASE(3, REVERSED, 1.0, "descending: still one line"),
    CASE(4, STRIDE_4, 1.0 / 4, "stride 4: a line for every four work-items"),
    CASE(5, STRIDE_16, 1.0 / 16, "stride 16: a different line for each work-item"),
    CASE(6, STRIDE_32, 1.0 / 16, "stride 32: no worse than stride 16"),
};
/* clang-format on */

BL_SUITE(global, "global", "global memory: how many cache lines a request touches");
