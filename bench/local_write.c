/* Writes to local memory, from the guide "__local Memory": writes have full speed, as reads do, if
 * each work-item uses a different bank; they conflict if work-items write different words of one
 * bank. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(name, pattern_, title_, ...)                                                       \
    {.id = "local-write/" name, .title = title_, .pattern = BL_PATTERN_##pattern_,              \
     .document = "local memory guide, write conflicts", .baseline = "local-write/contiguous",   \
     .lay_out = bl_lay_out_local_writes, .memory = BL_MEMORY_LOCAL,                             \
     .claim_is_of_banks = true, .shapes = BL_ROW,                                               \
     __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE("contiguous", CONTIGUOUS, "contiguous: a different bank for each work-item", .claim = 1,
         .skip_in_quick = true),
    CASE("plus-one", PLUS_ONE, "shifted by one: still a different bank for each", .claim = 1,
         .skip_in_quick = true),
    CASE("reversed", REVERSED, "descending: still a different bank for each",
         .claim = 1, .skip_in_quick = true),
    CASE("stride-17", STRIDE_17, "17 words apart: a different bank for each", .claim = 1,
         .skip_in_quick = true),
    CASE("stride-2", STRIDE_2, "2 words apart: half the banks, two words each",
         .skip_in_quick = true),
    CASE("stride-4", STRIDE_4, "4 words apart", .skip_in_quick = true),
    CASE("stride-16", STRIDE_16, "16 words apart: all in one of 16 banks"),
};
/* clang-format on */

BL_SUITE(local_write, "local-write", "writes to local memory, with and without bank conflicts");
