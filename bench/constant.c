/* Look-up tables, from the guide "__global Memory and __constant Memory". At each step all
 * work-items together read 1, 2, 4 or 16 elements of a table. The guide says that such reads "may"
 * be slow, which is not a claim. The guide also says that the table should be faster in local or
 * private memory, which gives local-* and private-* a direction. The cases lines-* test the guide's
 * rule for constant memory: bandwidth falls with the number of cache lines, as in global memory. */
#include <math.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

/* The outputs for the private table. The operations do not commute; otherwise a compiler could add
 * up the table only once. An output depends only on the starting element, so one output is
 * computed for each element. */
static enum bl_status private_reference(const struct bl_workload *workload, uint32_t rounds,
                                        uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const struct bl_launch *launch = &workload->launch;
    uint32_t sums[TABLE_ELEMENTS];
    for (uint32_t start = 0; start < TABLE_ELEMENTS; start++) {
        sums[start] = 0;
        for (uint32_t round = 0; round < rounds; round++)
            for (uint32_t j = 0; j < launch->unroll; j++)
                sums[start] = (sums[start] ^ bl_data_element((start + j) % TABLE_ELEMENTS)) + round;
    }
    for (size_t item = 0; item < workload->buffers.outputs; item++)
        expected[item] = sums[bl_pattern_start(workload->setting.test_case->pattern, launch, item)];
    return BL_OK;
}

/* The guide says that a table in local memory should be faster. The verdict tests only that, not
 * the rule of banks, which predicts a ratio. */
static void lay_out_local(const struct bl_setting *setting, struct bl_workload *workload)
{
    bl_lay_out_pattern(setting, workload);
    workload->cost.clocks = NAN;
    workload->cost.why_none = "no rule compares two memories, as the guide's advice does";
}

static void lay_out_private(const struct bl_setting *setting, struct bl_workload *workload)
{
    /* Like a pattern in global memory, except for the kernel and the prediction. */
    bl_lay_out_pattern(setting, workload);
    workload->build.file = "table.cl";
    workload->build.kernel = "read_table";
    workload->check = (struct bl_check){.reference = private_reference};
    workload->work.working_set_bytes = TABLE_ELEMENTS * 4;
    workload->work.bytes_per_delivered = NAN;
}

/* clang-format off */ /* one case per row */
#define CASE(space, distinct, against, quick, ...)                                              \
    {.id = "constant/" space "-" #distinct, .n = (distinct),                                    \
     .title = space " table, elements read at a time: " #distinct,                               \
     .document = "global and constant memory guide, frequently accessed data",                  \
     .baseline = "constant/constant-" #against, .pattern = BL_PATTERN_DISTINCT,                 \
     .one_place = true, .shapes = BL_NATIVE_ROW, .skip_in_quick = !(quick), __VA_ARGS__}
#define LINES(lines)                                                                            \
    {.id = "constant/lines-" #lines, .n = (lines), .claim = 1.0 / (lines),                      \
    .claim_is_derived = true,                                                                   \
     .title = "constant memory, the same bytes from cache lines: " #lines,                      \
     .document = "global and constant memory guide, number of cache lines",                     \
     .baseline = "constant/lines-1", .pattern = BL_PATTERN_LINES, .shapes = BL_GUIDE_ROW,       \
     .skip_in_quick = true, CONSTANT}
#define CONSTANT .memory = BL_MEMORY_CONSTANT, .lay_out = bl_lay_out_pattern
#define GLOBAL .memory = BL_MEMORY_GLOBAL, .lay_out = bl_lay_out_pattern
#define LOCAL .memory = BL_MEMORY_LOCAL, .lay_out = lay_out_local, .direction = BL_FASTER
#define PRIVATE .memory = BL_MEMORY_PRIVATE, .lay_out = lay_out_private, .direction = BL_FASTER

static const struct bl_case cases[] = {
    CASE("constant", 1, 16, false, CONSTANT),
    CASE("constant", 2, 16, false, CONSTANT),
    CASE("constant", 4, 16, false, CONSTANT),
    CASE("constant", 16, 16, true, CONSTANT),
    CASE("global", 1, 1, false, GLOBAL),
    CASE("global", 2, 2, false, GLOBAL),
    CASE("global", 4, 4, false, GLOBAL),
    CASE("global", 16, 16, false, GLOBAL),
    CASE("local", 1, 1, true, LOCAL),
    CASE("local", 2, 2, false, LOCAL),
    CASE("local", 4, 4, false, LOCAL),
    CASE("local", 16, 16, false, LOCAL),
    CASE("private", 1, 1, false, PRIVATE),
    CASE("private", 2, 2, false, PRIVATE),
    CASE("private", 4, 4, false, PRIVATE),
    CASE("private", 16, 16, false, PRIVATE),
    LINES(1), LINES(2), LINES(4), LINES(8), LINES(16),
};
/* clang-format on */

BL_SUITE(constant, "constant", "a table that many work-items read at the same place");
