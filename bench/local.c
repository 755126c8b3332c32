/* Local memory, cases 1 to 7 of the guide "__local Memory": a request costs as many clocks as the
 * busiest bank has distinct words to deliver. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "local memory guide, case "
#define SWEPT                                                        \
    .lay_out = bl_lay_out_pattern,                                   \
    .memory = BL_MEMORY_LOCAL, .baseline = "local/1",                \
    .forms = BL_FORM_ROW | BL_FORM_SQUARE | BL_FORM_COLUMN, .any_shape = true, \
    .claimed = BL_FORM_ROW

static const struct bl_case cases[] = {
    {.id = "local/1", .title = "contiguous: a bank for each work-item", .document = DOCUMENT "1",
     .pattern = BL_PATTERN_CONTIGUOUS, .claim = 1.0, SWEPT},
    {.id = "local/2", .title = "shifted by one: still a bank for each", .document = DOCUMENT "2",
     .pattern = BL_PATTERN_PLUS_ONE, .claim = 1.0, SWEPT},
    {.id = "local/3", .title = "descending: still a bank for each", .document = DOCUMENT "3",
     .pattern = BL_PATTERN_REVERSED, .claim = 1.0, SWEPT},
    {.id = "local/4", .title = "pairs read the same word: broadcast is free",
     .document = DOCUMENT "4", .pattern = BL_PATTERN_PAIRED, .claim = 1.0, SWEPT},
    {.id = "local/5", .title = "stride 2: half the banks, two words each",
     .document = DOCUMENT "5", .pattern = BL_PATTERN_STRIDE_2, .claim = 1.0 / 2, SWEPT},
    {.id = "local/6", .title = "stride 16: every word from one bank", .document = DOCUMENT "6",
     .pattern = BL_PATTERN_STRIDE_16, .claim = 1.0 / 16, SWEPT},
    {.id = "local/7", .title = "stride 17: padding removes the conflict",
     .document = DOCUMENT "7", .pattern = BL_PATTERN_STRIDE_17, .claim = 1.0, SWEPT},
};
/* clang-format on */

BL_SUITE(local, "local", "local memory: how many words the busiest bank delivers");
