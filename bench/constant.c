/* A look-up table of which every work-item of the device reads the same 1, 2, 4 or 16 elements at
 * a time, from the guide "__global Memory and __constant Memory": reading one element from many
 * work-items may be slow; move such tables to local or private memory. */
#include <math.h>

#include "model/reference.h"
#include "run/case.h"

enum { TABLE_ELEMENTS = 16 };

/* Of the private table: the order matters, so that no compiler adds up the table once and for all.
 * Only the element at which a work-item starts tells its result from another's. */
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
    for (size_t item = 0; item < workload->outputs; item++)
        expected[item] = sums[bl_pattern_start(workload->test_case->pattern, launch, item)];
    return BL_OK;
}

static void lay_out_private(const struct bl_case *test_case, const struct bl_setting *setting,
                            struct bl_workload *workload)
{
    /* As a pattern in global memory, but for the kernel and what the model can say. */
    bl_lay_out_pattern(test_case, setting, workload);
    workload->file = "table.cl";
    workload->kernel = "read_table";
    workload->reference = private_reference;
    workload->is_linear = false;
    workload->working_set_bytes = TABLE_ELEMENTS * 4;
    workload->limited_by_banks = false;
    workload->clocks = workload->lines = workload->sectors = NAN;
    workload->tag_passes = workload->bank_passes = NAN;
}

/* clang-format off */ /* a case a row */
#define DOCUMENT "global and constant memory guide, frequently accessed data"
#define CASE(space, distinct, words, rest, ...)                                               \
    {.id = "constant/" space "-" #distinct, .title = words " table: " #distinct " element(s) at a time", \
     .n = (distinct), .document = DOCUMENT, .pattern = BL_PATTERN_DISTINCT, .one_place = true, \
     .forms = BL_FORM_ROW, .native_width_only = true,                                                 \
     .baseline = "constant/constant-" #rest, __VA_ARGS__}

#define CONSTANT .memory = BL_MEMORY_CONSTANT, .lay_out = bl_lay_out_pattern
#define GLOBAL .memory = BL_MEMORY_GLOBAL, .lay_out = bl_lay_out_pattern, .skip_in_quick = true
#define LOCAL .memory = BL_MEMORY_LOCAL, .lay_out = bl_lay_out_pattern, .direction = BL_FASTER
#define PRIVATE .memory = BL_MEMORY_PRIVATE, .lay_out = lay_out_private, .direction = BL_FASTER, \
                .skip_in_quick = true

static const struct bl_case cases[] = {
    CASE("constant", 1, "constant", 1, CONSTANT, .skip_in_quick = true),
    CASE("constant", 2, "constant", 1, CONSTANT, .skip_in_quick = true),
    CASE("constant", 4, "constant", 1, CONSTANT, .skip_in_quick = true),
    CASE("constant", 16, "constant", 1, CONSTANT),
    CASE("global", 1, "global", 1, GLOBAL),
    CASE("global", 2, "global", 2, GLOBAL),
    CASE("global", 4, "global", 4, GLOBAL),
    CASE("global", 16, "global", 16, GLOBAL),
    CASE("local", 1, "local", 1, LOCAL),
    CASE("local", 2, "local", 2, LOCAL, .skip_in_quick = true),
    CASE("local", 4, "local", 4, LOCAL, .skip_in_quick = true),
    CASE("local", 16, "local", 16, LOCAL, .skip_in_quick = true),
    CASE("private", 1, "private", 1, PRIVATE),
    CASE("private", 2, "private", 2, PRIVATE),
    CASE("private", 4, "private", 4, PRIVATE),
    CASE("private", 16, "private", 16, PRIVATE),
};
/* clang-format on */

BL_SUITE(constant, "constant", "a table that many work-items read at the same place");
