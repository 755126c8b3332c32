/* A two-dimensional array in global memory, read by groups of different shapes, from the guide
 * "__global Memory and __constant Memory": each row of a group touches a separate cache line. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(name, title_, where, shapes_, ...)                                             \
    {.id = "shape/" name, .title = "2-D array " title_, .shapes = shapes_,                  \
     .document = "global and constant memory guide, " where, .baseline = "shape/row",       \
     .lay_out = bl_lay_out_pattern, .memory = BL_MEMORY_GLOBAL, .pattern = BL_PATTERN_TWO_D, \
     .same_kernels = "the cases differ only in the shape of the group",                    \
     __VA_ARGS__}
#define FORM(form) {.forms = (form)}
#define BETWEEN {.forms = BL_FORM_WIDE | BL_FORM_TALL, .takes_shape = true}

static const struct bl_case cases[] = {
    CASE("row", "by rows: one line", "work-group <16,1,1>", FORM(BL_FORM_ROW), .claim = 1.0),
    CASE("square", "by squares: a line for each row", "work-group <4,4,1>",
         FORM(BL_FORM_SQUARE), .claim = 1.0 / 4),
    CASE("column", "by columns: a line for each work-item", "work-group <1,16,1>",
         FORM(BL_FORM_COLUMN), .claim = 1.0 / 16),
    CASE("other", "in other shapes, or in the shape of --shape",
         "shapes between those that it shows", BETWEEN),
};
/* clang-format on */

BL_SUITE(shape, "shape", "two-dimensional array: the shape of the work-group");
