/* Accesses of 8, 16 and 32 bits and vectors of 2 to 4, from the guide "Memory Access Overview".
 * Ratios compare useful bytes per second: narrow accesses leave a part of the memory path idle,
 * while vectors of 2 and of 4 use it as fully as ints. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(space, type_, MEMORY, title_, quick, ...)                                          \
    {.id = "width/" space "-" #type_, .title = title_, .type = &bl_type_##type_,                \
     .document = "memory access overview, access widths", .baseline = "width/" space "-int",    \
     .lay_out = bl_lay_out_pattern, .memory = MEMORY, .pattern = BL_PATTERN_CONTIGUOUS,         \
     .shapes = BL_NATIVE_ROW, .skip_in_quick = !(quick), __VA_ARGS__}
#define GLOBAL(type, ...) CASE("global", type, BL_MEMORY_GLOBAL, __VA_ARGS__)
#define LOCAL(type, ...) CASE("local", type, BL_MEMORY_LOCAL, __VA_ARGS__)
#define AS_CASE_1 .same_kernels = "the baseline of the other widths is also case 1 of its memory"

#define CONSTANT(type, title) CASE("constant", type, BL_MEMORY_CONSTANT, title, false)
#define PRIVATE(type_, title_)                                                                  \
    {.id = "width/private-" #type_, .title = title_, .type = &bl_type_##type_, .n = 32,         \
     .define = "UNIFORM", .document = "memory access overview, access widths",                  \
     .baseline = "width/private-int", .lay_out = bl_lay_out_private,                           \
     .memory = BL_MEMORY_PRIVATE, .shapes = BL_NATIVE_ROW, .skip_in_quick = true}

static const struct bl_case cases[] = {
    GLOBAL(uchar, "8 bits: a quarter of the bytes of an int", true),
    GLOBAL(ushort, "16 bits: half the bytes of an int", false),
    GLOBAL(int, "32 bits", false, AS_CASE_1),
    GLOBAL(int2, "2 x 32 bits", false),
    GLOBAL(int3, "3 x 32 bits, 16 bytes apart", false),
    GLOBAL(int4, "4 x 32 bits", true),
    LOCAL(uchar, "8 bits: a quarter of the bytes of an int", false),
    LOCAL(ushort, "16 bits: half the bytes of an int", false),
    LOCAL(int, "32 bits", false, AS_CASE_1),
    LOCAL(int2, "2 x 32 bits", false),
    LOCAL(int3, "3 x 32 bits, 16 bytes apart", false),
    LOCAL(int4, "4 x 32 bits", true),
    CONSTANT(uchar, "8 bits: a quarter of the bytes of an int"),
    CONSTANT(ushort, "16 bits: half the bytes of an int"),
    CONSTANT(int, "32 bits"),
    CONSTANT(int2, "2 x 32 bits"),
    CONSTANT(int3, "3 x 32 bits, 16 bytes apart"),
    CONSTANT(int4, "4 x 32 bits"),
    PRIVATE(uchar, "array with elements of 8 bits, indexed at run time"),
    PRIVATE(ushort, "array with elements of 16 bits, indexed at run time"),
    PRIVATE(int, "array with elements of 32 bits, indexed at run time"),
    PRIVATE(int2, "array with elements of 2 x 32 bits, indexed at run time"),
    PRIVATE(int3, "array with elements of 3 x 32 bits, indexed at run time"),
    PRIVATE(int4, "array with elements of 4 x 32 bits, indexed at run time"),
};
/* clang-format on */

BL_SUITE(width, "width", "8, 16 and 32 bits, and vectors: useful bytes");
