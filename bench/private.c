/* Small arrays of a work-item, from the post on fast dynamic indexing of private arrays: static
 * indices stay in registers, dynamic ones go to memory, and indices that differ between work-items
 * are far slower still, unless the array lies in local memory with a bank for each work-item. */
#include "run/private_workload.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "private array post, "
#define ARRAY .lay_out = bl_lay_out_private, .forms = BL_FORM_ROW, .native_width_only = true, \
              .claimed = BL_FORM_ROW, .claim_lanes = 32

#define SIZE(count, quick, non_uniform_claim, local_claim)                                     \
    {.id = "private/static-" #count, .title = #count " elements, static indices: registers",   \
     .n = (count), .variant = BL_PRIVATE(BL_PRIVATE_STATIC, 0), .memory = BL_MEMORY_PRIVATE,   \
     .document = DOCUMENT "static indexing", .baseline = "private/uniform-" #count,            \
     .direction = BL_FASTER, .skip_in_quick = true, ARRAY},                                    \
    {.id = "private/uniform-" #count, .title = #count " elements, the same index in all work-items", \
     .n = (count), .variant = BL_PRIVATE(BL_PRIVATE_UNIFORM, 0), .memory = BL_MEMORY_PRIVATE,  \
     .document = DOCUMENT "uniform access", .baseline = "private/uniform-" #count,             \
     .skip_in_quick = true, ARRAY},                                                            \
    {.id = "private/nonuniform-" #count, .title = #count " elements, another index in each work-item", \
     .n = (count), .variant = BL_PRIVATE(BL_PRIVATE_NONUNIFORM, 0), .memory = BL_MEMORY_PRIVATE, \
     .document = DOCUMENT "non-uniform access (24x slower on K20, about 14x on Maxwell)",      \
     .baseline = "private/uniform-" #count, .direction = BL_SLOWER,                            \
     .claim = (non_uniform_claim), .skip_in_quick = !(quick), ARRAY},                          \
    {.id = "private/local-" #count, .title = #count " elements in local memory, another index in each", \
     .n = (count), .variant = BL_PRIVATE(BL_PRIVATE_IN_LOCAL, 0), .memory = BL_MEMORY_LOCAL,   \
     .document = DOCUMENT "shared memory (1.34x faster on K20, 4x on Maxwell)",                \
     .baseline = "private/uniform-" #count, .direction = BL_FASTER, .claim = (local_claim),    \
     .skip_in_quick = !(quick), ARRAY}

/* The post: 4 to 8 operations for each access should hide what the memory costs. */
#define MATH(operations, hidden)                                                               \
    {.id = "private/math-" #operations "-static", .title = "32 elements, static, " #operations \
     " more operation(s) an element", .n = 32,                                                 \
     .variant = BL_PRIVATE(BL_PRIVATE_STATIC, operations), .memory = BL_MEMORY_PRIVATE,        \
     .document = DOCUMENT "ratio of math to memory", .skip_in_quick = true,                    \
     .baseline = "private/math-" #operations "-static", ARRAY},                                \
    {.id = "private/math-" #operations "-uniform", .title = "32 elements, uniform, " #operations \
     " more operation(s) an element", .n = 32,                                                 \
     .variant = BL_PRIVATE(BL_PRIVATE_UNIFORM, operations), .memory = BL_MEMORY_PRIVATE,       \
     .document = DOCUMENT "ratio of math to memory", .claim = (hidden), .skip_in_quick = true, \
     .baseline = "private/math-" #operations "-static", ARRAY}

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
