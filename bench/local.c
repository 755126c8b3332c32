/* Local memory, cases 1 to 7 of the guide "__local Memory": a request costs as many clocks as the
 * busiest bank has distinct words to deliver. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(number, pattern_, claim_, title_)                                                     \
    {.id = "local/" #number, .title = title_, .pattern = BL_PATTERN_##pattern_, .claim = (claim_), \
     .document = "local memory guide, case " #number, .baseline = "local/1",                       \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .claim_is_of_banks = true,       \
     .shapes = BL_SWEEP}

static const struct bl_case cases[] = {
    CASE(1, CONTIGUOUS, 1.0, "contiguous: a different bank for each work-item"),
    CASE(2, PLUS_ONE, 1.0, "shifted by one: still a different bank for each"),
    CASE(3, REVERSED, 1.0, "descending: still a different bank for each"),
    CASE(4, PAIRED, 1.0, "pairs read the same word: broadcast is free"),
    CASE(5, STRIDE_2, 1.0 / 2, "stride 2: half the banks, two words each"),
    CASE(6, STRIDE_16, 1.0 / 16, "stride 16: every word from one bank"),
    CASE(7, STRIDE_17, 1.0, "stride 17: padding removes the conflict"),
};
/* clang-format on */

BL_SUITE(local, "local", "local memory: how many words the busiest bank delivers");
