/* A two-dimensional array in global memory read by groups of different shapes, from the guide
 * "__global Memory and __constant Memory": every row of the group is a line of its own. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "global and constant memory guide, "
#define TWO_D                                                                     \
    .memory = BL_MEMORY_GLOBAL, .pattern = BL_PATTERN_TWO_D, .baseline = "shape/row", \
    .lay_out = bl_lay_out_pattern, .own_forms = true

static const struct bl_case cases[] = {
    {.id = "shape/row", .title = "2-D array by rows: one line",
     .document = DOCUMENT "work-group <16,1,1>", .forms = BL_FORM_ROW, .claim = 1.0,
     .claimed = BL_FORM_ROW, TWO_D},
    {.id = "shape/square", .title = "2-D array by squares: a line for each row of the square",
     .document = DOCUMENT "work-group <4,4,1>", .forms = BL_FORM_SQUARE, .claim = 1.0 / 4,
     .claimed = BL_FORM_SQUARE, TWO_D},
    {.id = "shape/column", .title = "2-D array by columns: a line for each work-item",
     .document = DOCUMENT "work-group <1,16,1>", .forms = BL_FORM_COLUMN, .claim = 1.0 / 16,
     .claimed = BL_FORM_COLUMN, TWO_D},
    {.id = "shape/other", .title = "2-D array in the shapes between, or in that of --shape",
     .document = DOCUMENT "between its work-groups", .forms = BL_FORM_WIDE | BL_FORM_TALL,
     .any_shape = true, TWO_D},
};
/* clang-format on */

BL_SUITE(shape, "shape", "two-dimensional array: the shape of the work-group");
