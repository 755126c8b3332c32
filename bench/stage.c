/* Output staged in local memory, from the guide "__local Memory": each work-item writes to an area
 * of its own, writes do not overlap. Compared by words that work-items produce. */
#include <string.h>

#include "run/case.h"

enum { GROUP = 64, ROW = 16 };
enum variant { INDEPENDENT, OVERLAPPING, DIRECT };

static uint32_t value(size_t item, uint32_t k, uint32_t round)
{
    return ((uint32_t)item * ROW + k) * 0x9E3779B9u + round;
}

static size_t words_of_group(const struct bl_case *test_case)
{
    return test_case->variant == OVERLAPPING ? (GROUP + 1) * ROW / 2 : GROUP * ROW;
}

/* What the last round leaves. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t words = words_of_group(workload->test_case);
    const size_t pitch = workload->test_case->variant == OVERLAPPING ? ROW / 2 : ROW;
    memset(expected, 0, workload->outputs * sizeof expected[0]);
    for (size_t item = 0; item < bl_launch_items(&workload->launch); item++)
        for (uint32_t k = 0; k < ROW; k++)
            expected[item / GROUP * words + item % GROUP * pitch + k] += value(item, k, rounds - 1);
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    static const char *const variants[] = {"INDEPENDENT", "OVERLAPPING", "DIRECT"};
    bl_workload_begin(workload, test_case, setting, "stage.cl", "stage_rows");
    struct bl_launch *launch = &workload->launch;
    launch->groups =
        bl_groups_for(setting->machine, GROUP, BL_SUB_GROUPS_PER_CU, setting->compute_units);
    bl_add_option(workload, "-D%s -DGROUP=%d -DROW=%d", variants[test_case->variant], GROUP, ROW);
    workload->data_bytes = 4;
    workload->outputs = launch->groups * words_of_group(test_case);
    workload->local_bytes = test_case->variant == DIRECT ? 0 : words_of_group(test_case) * 4;
    workload->reference = reference;
    workload->work = (double)bl_launch_items(launch) * ROW;
    workload->bytes = workload->work * 4;
}

/* clang-format off */ /* a case a row */
#define STAGE .lay_out = lay_out, .group = GROUP, .baseline = "stage/independent", \
              .document = "local memory guide, reducing memory writes"

static const struct bl_case cases[] = {
    {.id = "stage/independent", .title = "each row in an area of its own, then copied out",
     .variant = INDEPENDENT, .memory = BL_MEMORY_LOCAL, .skip_in_quick = true, STAGE},
    {.id = "stage/overlapping", .title = "rows overlap: their words must be added atomically",
     .variant = OVERLAPPING, .memory = BL_MEMORY_LOCAL, .direction = BL_SLOWER, STAGE},
    {.id = "stage/direct", .title = "each row straight to global memory", .variant = DIRECT,
     .memory = BL_MEMORY_GLOBAL, .direction = BL_SLOWER, STAGE},
};
/* clang-format on */

BL_SUITE(stage, "stage", "rows of output, staged in local memory or not");
