/* Accesses of 8, 16 and 32 bits and vectors of 1 to 4, from the guide "Memory Access Overview".
 * Compared by useful bytes: a narrow access leaves the path idle, a vector fills it as an int. */
#include "run/case.h"

/* clang-format off */ /* a case a row */
#define DOCUMENT "memory access overview, access widths"
#define ROW .lay_out = bl_lay_out_pattern, .pattern = BL_PATTERN_CONTIGUOUS, .forms = BL_FORM_ROW, \
            .native_width_only = true, .document = DOCUMENT

#define GLOBAL ROW, .memory = BL_MEMORY_GLOBAL, .baseline = "width/global-int"
#define LOCAL ROW, .memory = BL_MEMORY_LOCAL, .baseline = "width/local-int"

static const struct bl_case cases[] = {
    {.id = "width/global-uchar", .title = "8 bits: a quarter of the bytes of an int",
     .type = &bl_type_uchar, GLOBAL},
    {.id = "width/global-ushort", .title = "16 bits: half the bytes of an int",
     .type = &bl_type_ushort, .skip_in_quick = true, GLOBAL},
    {.id = "width/global-int", .title = "32 bits", .type = &bl_type_int, .skip_in_quick = true,
     GLOBAL},
    {.id = "width/global-int2", .title = "2 x 32 bits", .type = &bl_type_int2,
     .skip_in_quick = true, GLOBAL},
    {.id = "width/global-int3", .title = "3 x 32 bits, 16 bytes apart", .type = &bl_type_int3,
     .skip_in_quick = true, GLOBAL},
    {.id = "width/global-int4", .title = "4 x 32 bits", .type = &bl_type_int4, GLOBAL},
    {.id = "width/local-uchar", .title = "8 bits: a quarter of the bytes of an int",
     .type = &bl_type_uchar, .skip_in_quick = true, LOCAL},
    {.id = "width/local-ushort", .title = "16 bits: half the bytes of an int",
     .type = &bl_type_ushort, .skip_in_quick = true, LOCAL},
    {.id = "width/local-int", .title = "32 bits", .type = &bl_type_int, .skip_in_quick = true,
     LOCAL},
    {.id = "width/local-int2", .title = "2 x 32 bits", .type = &bl_type_int2,
     .skip_in_quick = true, LOCAL},
    {.id = "width/local-int3", .title = "3 x 32 bits, 16 bytes apart", .type = &bl_type_int3,
     .skip_in_quick = true, LOCAL},
    {.id = "width/local-int4", .title = "4 x 32 bits", .type = &bl_type_int4, LOCAL},
};
/* clang-format on */

BL_SUITE(width, "width", "8, 16 and 32 bits, and vectors: useful bytes");
