/* Tests the rule of the guide "Memory Access Overview": 16 work-items read the same number of
 * useful bytes from 1 to 16 cache lines. The guide prints the remaining bandwidth for two lines;
 * the values for more lines follow from the rule. Each work-item has its own bank, so that the
 * cases differ only in the number of lines. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(lines, quick)                                                                     \
    {.id = "lines/" #lines, .title = "the same bytes, cache lines touched: " #lines,           \
     .n = (lines),                                                                             \
     .claim = 1.0 / (lines), .claim_is_derived = (lines) > 2,                                   \
     .document = "memory access overview, number of cache lines",                               \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_GLOBAL, .pattern = BL_PATTERN_LINES,   \
     .shapes = BL_GUIDE_ROW, .baseline = "lines/1", .skip_in_quick = !(quick)}

static const struct bl_case cases[] = {
    CASE(1, false), CASE(2, true),   CASE(3, false),  CASE(4, false),
    CASE(5, false), CASE(6, false),  CASE(7, false),  CASE(8, false),
    CASE(9, false), CASE(10, false), CASE(11, false), CASE(12, false),
    CASE(13, false), CASE(14, false), CASE(15, false), CASE(16, true),
};
/* clang-format on */

BL_SUITE(lines, "lines", "1 to 16 cache lines per request, at constant useful bytes");
