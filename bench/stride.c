/* Strides between those of the guides' cases, so that a device's curve can be drawn. In local
 * memory a stride that has a common factor with the number of banks causes conflicts; an odd stride
 * causes none. In global memory the cost of a stride is the number of lines that the request
 * touches. The baseline is contiguous reads of the same memory. Strides in local memory end at 63:
 * with a stride of 64, indices would wrap around in the tile, so that lanes of one request read the
 * same words. A larger tile would reduce the occupancy. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(name, place, document_, number)                                                    \
    {.id = "stride/" name "-" #number, .title = name " memory, stride " #number, .n = (number), \
     .document = document_, .baseline = name "/1", .lay_out = bl_lay_out_pattern,               \
     .memory = BL_MEMORY_##place, .pattern = BL_PATTERN_STRIDE_N, .shapes = BL_NATIVE_ROW,      \
     .skip_in_quick = true}
#define GLOBAL(number) \
    CASE("global", GLOBAL, "global and constant memory guide, between cases 1 and 6", number)
#define LOCAL(number) CASE("local", LOCAL, "local memory guide, between cases 1 and 7", number)
#define STRIDES(OF)                                                                             \
    OF(1), OF(2), OF(3), OF(4), OF(5), OF(6), OF(7), OF(8), OF(9), OF(12), OF(15), OF(16),      \
    OF(17), OF(20), OF(24), OF(28), OF(31), OF(32), OF(33), OF(40), OF(48), OF(56), OF(63)

static const struct bl_case cases[] = {STRIDES(GLOBAL), GLOBAL(64), STRIDES(LOCAL)};
/* clang-format on */

BL_SUITE(stride, "stride", "strides from 1 to 64 in global and 1 to 63 in local memory");
