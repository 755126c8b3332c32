/* Small arrays of a work-item, from the post on fast dynamic indexing of private arrays: static
 * indices stay in registers, dynamic ones go to memory, and indices that differ between work-items
 * are far slower still, unless the array lies in local memory with a bank for each work-item. */
#include "run/private_workload.h"

/* clang-format off */ /* a case a row */
#define CASE(name, define_, count, against, where, title_, ...)                                 \
    {.id = "private/" name, .title = title_, .document = "private array post, " where,          \
     .define = define_, .n = (count), .baseline = "private/" against,                           \
     .lay_out = bl_lay_out_private,                                                             \
     .shapes = {.forms = BL_FORM_ROW, .widths = BL_NATIVE_WIDTH, .claim_lanes = 32}, __VA_ARGS__}

#define SIZE(count, quick, non_uniform_claim, local_claim)                                      \
    CASE("static-" #count, "STATIC", count, "uniform-" #count, "static indexing",               \
         #count " elements, static indices: registers", .memory = BL_MEMORY_PRIVATE,            \
         .direction = BL_FASTER, .skip_in_quick = true),                                        \
    CASE("uniform-" #count, "UNIFORM", count, "uniform-" #count, "uniform access",              \
         #count " elements, the same index in all work-items", .memory = BL_MEMORY_PRIVATE,     \
         .skip_in_quick = true),                                                                \
    CASE("nonuniform-" #count, "NONUNIFORM", count, "uniform-" #count,                          \
         "non-uniform access (24x slower on K20, about 14x on Maxwell)",                        \
         #count " elements, another index in each work-item", .memory = BL_MEMORY_PRIVATE,      \
         .direction = BL_SLOWER, .claim = (non_uniform_claim), .skip_in_quick = !(quick)),      \
    CASE("local-" #count, "IN_LOCAL", count, "uniform-" #count,                                 \
         "shared memory (1.34x faster on K20, 4x on Maxwell)",                                  \
         #count " elements in local memory, another index in each", .memory = BL_MEMORY_LOCAL,  \
         .direction = BL_FASTER, .claim = (local_claim), .skip_in_quick = !(quick))

/* The post: 4 to 8 operations for each access should hide what the memory costs. */
#define MORE(math, name, define, ...)                                                           \
    CASE("math-" #math "-" name, define, 32, "math-" #math "-static", "ratio of math to memory", \
         "32 elements, " name ", more operations per element: " #math, .variant = (math),    \
         .memory = BL_MEMORY_PRIVATE, .skip_in_quick = true, __VA_ARGS__)
#define MATH(math, hidden)                                                                      \
    MORE(math, "static", "STATIC"), MORE(math, "uniform", "UNIFORM", .claim = (hidden))

static const struct bl_case cases[] = {
    SIZE(4, false, 0, 0),
    SIZE(8, false, 0, 0),
    SIZE(16, false, 0, 0),
    SIZE(32, true, 1.0 / 24, 1.34),
    SIZE(64, false, 0, 0),
    MATH(1, 0),
    MATH(2, 0),
    MATH(4, 1),
    MATH(8, 1),
    MATH(16, 1),
};
/* clang-format on */

BL_SUITE(private, "private", "arrays of a work-item: static, uniform and non-uniform indices");
