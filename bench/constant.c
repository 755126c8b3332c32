/* A look-up table of which every work-item of the device reads the same 1, 2, 4 or 16 elements at
 * a time, from the guide "__global Memory and __constant Memory": reading one element from many
 * work-items may be slow; move such tables to local or private memory. */
#include "suite.h"

#define DOCUMENT "global and constant memory guide, frequently accessed data"
#define CASE(space, distinct, words, rest, ...)                                               \
    {.id = "constant/" space "-" #distinct, .title = words " table: " #distinct " element(s) at a time", \
     .n = (distinct), .document = DOCUMENT, .pattern = BL_PATTERN_DISTINCT, .one_place = true, \
     .forms = BL_FORM_ROW, .own_width = true, .lay_out = bl_lay_out_pattern,                  \
     .baseline = "constant/constant-" #rest, __VA_ARGS__}

#define CONSTANT .memory = BL_MEMORY_CONSTANT
#define GLOBAL .memory = BL_MEMORY_GLOBAL, .left_by_quick = true
#define LOCAL .memory = BL_MEMORY_LOCAL, .direction = BL_FASTER

static const struct bl_case cases[] = {
    CASE("constant", 1, "constant", 1, CONSTANT, .left_by_quick = true),
    CASE("constant", 2, "constant", 1, CONSTANT, .left_by_quick = true),
    CASE("constant", 4, "constant", 1, CONSTANT, .left_by_quick = true),
    CASE("constant", 16, "constant", 1, CONSTANT),
    CASE("global", 1, "global", 1, GLOBAL),
    CASE("global", 2, "global", 2, GLOBAL),
    CASE("global", 4, "global", 4, GLOBAL),
    CASE("global", 16, "global", 16, GLOBAL),
    CASE("local", 1, "local", 1, LOCAL),
    CASE("local", 2, "local", 2, LOCAL, .left_by_quick = true),
    CASE("local", 4, "local", 4, LOCAL, .left_by_quick = true),
    CASE("local", 16, "local", 16, LOCAL, .left_by_quick = true),
};

const struct bl_suite bl_suite_constant = {
    .name = "constant",
    .title = "a table that many work-items read at the same place",
    .cases = cases,
    .count = sizeof cases / sizeof cases[0],
};
