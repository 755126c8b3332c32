/* Small private arrays, from the blog post on fast dynamic indexing of private arrays. With static
 * indices an array stays in registers. With dynamic indices the array goes to memory, which is
 * slower. Indices that differ between work-items make accesses slower still, unless the array lies
 * in local memory with a different bank for each work-item. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(name, define_, count, against, where, title_, ...)                                 \
    {.id = "private/" name, .title = title_, .document = "private array post, " where,          \
     .define = define_, .n = (count), .baseline = "private/" against,                           \
     .lay_out = bl_lay_out_private,                                                             \
     .shapes = {.forms = BL_FORM_ROW, .widths = BL_NATIVE_WIDTH, .claim_lanes = 32}, __VA_ARGS__}

#define STATIC(count)                                                                           \
    CASE("static-" #count, "STATIC", count, "uniform-" #count, "static indexing",               \
         #count " elements, static indices: registers", .memory = BL_MEMORY_PRIVATE,            \
         .direction = BL_FASTER, .skip_in_quick = true)
#define UNIFORM(count, ...)                                                                     \
    CASE("uniform-" #count, "UNIFORM", count, "uniform-8", "uniform access",                    \
         #count " elements, the same index in all work-items", .memory = BL_MEMORY_PRIVATE,     \
         .skip_in_quick = true, __VA_ARGS__)
#define NONUNIFORM(count, quick, ...)                                                           \
    CASE("nonuniform-" #count, "NONUNIFORM", count, "uniform-" #count,                          \
         "non-uniform access (24x slower on K20, about 14x on Maxwell)",                        \
         #count " elements, a different index in each work-item", .memory = BL_MEMORY_PRIVATE,   \
         .direction = BL_SLOWER, .skip_in_quick = !(quick), __VA_ARGS__)
/* About local memory, the blog post claims nothing for more than 30 to 50 elements. */
#define LOCAL(count, quick, ...)                                                                \
    CASE("local-" #count, "IN_LOCAL", count, "uniform-" #count,                                 \
         "shared memory (1.34x faster on K20, 4x on Maxwell)",                                  \
         #count " elements in local memory, a different index in each",                  \
         .memory = BL_MEMORY_LOCAL,                                                             \
         .skip_in_quick = !(quick), __VA_ARGS__)
#define SIZE(count) \
    STATIC(count), UNIFORM(count), NONUNIFORM(count, false), \
    LOCAL(count, false, .direction = BL_FASTER)

/* The blog post says that an access is replayed once for each unique index in the warp. */
#define UNIQUE(count, ...)                                                                      \
    CASE("unique-" #count, "UNIQUE=" #count, 32, "uniform-32", "a replay for each unique index", \
         "32 elements, unique indices in 32 work-items: " #count, .memory = BL_MEMORY_PRIVATE,  \
         .claim = 1.0 / (count), .claim_is_derived = true, .skip_in_quick = true, __VA_ARGS__)

/* The guide "Memory Access Overview" says that the bandwidth of spilled private memory falls with
 * the number of cache lines, too. If a driver stores the work-items' elements of the same index
 * side by side, each unique index adds a line. */
#define LINES(count, ...)                                                                       \
    {.id = "private/lines-" #count, .n = 32, .define = "UNIQUE=" #count,                        \
     .title = "private memory, cache lines touched: " #count, .baseline = "private/lines-1",    \
     .document = "memory access overview, number of cache lines: private memory",               \
     .memory = BL_MEMORY_PRIVATE, .lay_out = bl_lay_out_private, .shapes = BL_GUIDE_ROW,        \
     .claim = 1.0 / (count), .claim_is_derived = true, .skip_in_quick = true,                   \
     .same_kernels = "like private/unique-*, in groups of the guide's width"}

/* The blog post says that with 4 to 8 operations per access the cost may be minor, which is too
 * vague for a claim. Each element is read, changed by 2 + `more` operations, and written. */
#define MORE(math, more, name, define, ...)                                                     \
    CASE("math-" #math "-" name, define, 32, "math-" #math "-static", "ratio of math to memory", \
         "32 elements, " name ", operations for each access: " #math, .variant = (more),        \
         .memory = BL_MEMORY_PRIVATE, .skip_in_quick = true, __VA_ARGS__)
#define MATH(math, ...) \
    MORE(math, 2 * (math) - 2, "static", "STATIC"), \
    MORE(math, 2 * (math) - 2, "uniform", "UNIFORM", __VA_ARGS__)

static const struct bl_case cases[] = {
    SIZE(4),
    SIZE(8),
    SIZE(16),
    STATIC(32), UNIFORM(32), NONUNIFORM(32, true, .claim = 1.0 / 24, .claim_to = 1.0 / 14),
    LOCAL(32, true, .claim = 1.34, .claim_to = 4, .direction = BL_FASTER),
    STATIC(64), UNIFORM(64), NONUNIFORM(64, false), LOCAL(64, false),
    UNIFORM(256, .direction = BL_SLOWER), UNIFORM(1024, .direction = BL_SLOWER),
    UNIQUE(1),
    UNIQUE(2, .direction = BL_SLOWER),
    UNIQUE(4, .direction = BL_SLOWER),
    UNIQUE(8, .direction = BL_SLOWER),
    UNIQUE(16, .direction = BL_SLOWER),
    UNIQUE(32, .direction = BL_SLOWER),
    LINES(1), LINES(2), LINES(4), LINES(8), LINES(16),
    MATH(1, .direction = BL_SLOWER),
    MATH(2, .direction = BL_SLOWER),
    MATH(4),
    MATH(8),
    MATH(16),
};
/* clang-format on */

BL_SUITE(private, "private", "private arrays: static, uniform and non-uniform indices");
