/* Columns of a two-dimensional array in local memory, from the guide "__local Memory": a row
 * length that is a multiple of the banks puts a whole column into one bank, one more does not. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "local memory guide, columns of a 2-D array"
#define COLUMN .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .forms = BL_FORM_ROW, \
               .baseline = "local/1", .document = DOCUMENT, .claimed = BL_FORM_ROW

static const struct bl_case cases[] = {
    {.id = "column/16", .title = "rows of 16: the column lies in one bank",
     .pattern = BL_PATTERN_STRIDE_16, .claim = 1.0 / 16, COLUMN},
    {.id = "column/17", .title = "rows of 17: a bank for each work-item",
     .pattern = BL_PATTERN_STRIDE_17, .claim = 1, COLUMN},
    {.id = "column/32", .title = "rows of 32: the column lies in one bank",
     .pattern = BL_PATTERN_STRIDE_32, .skip_in_quick = true, COLUMN},
    {.id = "column/33", .title = "rows of 33: a bank for each work-item",
     .pattern = BL_PATTERN_STRIDE_33, .skip_in_quick = true, COLUMN},
};
/* clang-format on */

BL_SUITE(column, "column", "columns of a 2-D array in local memory, and padding");
