/* Columns of a two-dimensional array in local memory, from the guide "__local Memory": if the row
 * length is a multiple of the number of banks, a whole column lies in one bank; padding each row by
 * one element spreads the column over all banks. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(pitch, claim_, title_, ...)                                                        \
    {.id = "column/" #pitch, .title = title_, .pattern = BL_PATTERN_STRIDE_##pitch,             \
     .claim = (claim_), .document = "local memory guide, columns of a 2-D array",               \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_LOCAL, .claim_is_of_banks = true,       \
     .shapes = BL_ROW,                                                                          \
     .baseline = "local/1", __VA_ARGS__}
#define AS_CASE(number) .same_kernels = "case " #number " of the guide reads such a column"

static const struct bl_case cases[] = {
    CASE(16, 1.0 / 16, "rows of 16: the column lies in one bank", AS_CASE(6)),
    CASE(17, 1, "rows of 17: a different bank for each work-item", AS_CASE(7)),
    CASE(32, 0, "rows of 32: the column lies in one bank", .skip_in_quick = true),
    CASE(33, 0, "rows of 33: a different bank for each work-item", .skip_in_quick = true),
};
/* clang-format on */

BL_SUITE(column, "column", "columns of a 2-D array in local memory, and padding");
