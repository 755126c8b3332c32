/* Global memory, cases 1 to 6 of the guide "__global Memory and __constant Memory": a request
 * costs as many clocks as it touches 64-byte lines. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "global and constant memory guide, case "
#define SWEPT                                                        \
    .lay_out = bl_lay_out_pattern,                                   \
    .memory = BL_MEMORY_GLOBAL, .baseline = "global/1",              \
    .forms = BL_FORM_ROW | BL_FORM_SQUARE | BL_FORM_COLUMN, .any_shape = true, \
    .claimed = BL_FORM_ROW

static const struct bl_case cases[] = {
    {.id = "global/1", .title = "contiguous and aligned: one line", .document = DOCUMENT "1",
     .pattern = BL_PATTERN_CONTIGUOUS, .claim = 1.0, SWEPT},
    {.id = "global/2", .title = "one element off the line: two lines", .document = DOCUMENT "2",
     .pattern = BL_PATTERN_PLUS_ONE, .claim = 1.0 / 2, SWEPT},
    {.id = "global/3", .title = "descending: still one line", .document = DOCUMENT "3",
     .pattern = BL_PATTERN_REVERSED, .claim = 1.0, SWEPT},
    {.id = "global/4", .title = "stride 4: a new line every fourth work-item",
     .document = DOCUMENT "4", .pattern = BL_PATTERN_STRIDE_4, .claim = 1.0 / 4, SWEPT},
    {.id = "global/5", .title = "stride 16: a line for each work-item", .document = DOCUMENT "5",
     .pattern = BL_PATTERN_STRIDE_16, .claim = 1.0 / 16, SWEPT},
    {.id = "global/6", .title = "stride 32: no worse than stride 16", .document = DOCUMENT "6",
     .pattern = BL_PATTERN_STRIDE_32, .claim = 1.0 / 16, SWEPT},
};
/* clang-format on */

BL_SUITE(global, "global", "global memory: how many cache lines a request touches");
