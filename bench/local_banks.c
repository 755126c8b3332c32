/* Reads of local memory without bank conflicts, from the guides "__local Memory" and "Memory Access
 * Overview": any number of work-items may read the same word, and the words may lie in any number
 * of cache lines, as long as no bank delivers two different words. The baseline is contiguous
 * reads of local memory. */
#include "run/case.h"

/* clang-format off */ /* one case per row */
#define CASE(name, number, pattern_, title_, document_, quick)                                   \
    {.id = "local-banks/" name "-" #number, .title = title_ #number, .n = (number),              \
     .document = document_, .claim = 1, .baseline = "local/1", .lay_out = bl_lay_out_pattern,    \
     .memory = BL_MEMORY_LOCAL, .claim_is_of_banks = true, .pattern = BL_PATTERN_##pattern_,     \
     .shapes = BL_GUIDE_ROW,                                                                     \
     .skip_in_quick = !(quick)}
#define WORDS(number, quick)                                                                     \
    CASE("words", number, DISTINCT, "distinct words that 16 work-items read: ",                  \
         "local memory guide, reads of the same address", quick)
#define LINES(number, quick)                                                                     \
    CASE("lines", number, LINES, "a different bank for each work-item, cache lines touched: ",   \
         "memory access overview, local memory", quick)

static const struct bl_case cases[] = {
    WORDS(1, true), WORDS(2, false), WORDS(4, false), WORDS(8, false),
    LINES(1, false), LINES(2, false), LINES(4, false), LINES(8, false), LINES(16, true),
};
/* clang-format on */

BL_SUITE(local_banks, "local-banks", "reads of local memory that have no bank conflict");
