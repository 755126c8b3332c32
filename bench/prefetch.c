/* A block of global memory that a group uses repeatedly, from the guide "__local Memory": copy it
 * into local memory once, each work-item one element, and never by a loop of one work-item. */
#include <string.h>

#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 64, BLOCKS = 16 };
enum variant { DIRECT, BY_ONE, BY_ALL };

/* Adds to expected[lid] what every work-item reads of this block in `visits` visits: `reuse`
 * elements, beginning at its own and wrapping. */
static void add_block(size_t block, unsigned reuse, uint32_t visits, uint32_t expected[GROUP])
{
    uint32_t before[2 * GROUP + 1] = {0}; /* sums of the elements before this one, twice around */
    for (size_t i = 0; i < 2 * GROUP; i++)
        before[i + 1] = before[i] + bl_data_element(block * GROUP + i % GROUP);
    for (size_t lid = 0; lid < GROUP; lid++)
        expected[lid] += visits * (before[lid + reuse] - before[lid]);
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t groups = workload->launch.groups;
    memset(expected, 0, workload->outputs * sizeof expected[0]);
    for (size_t group = 0; group < groups; group++)
        for (uint32_t turn = 0; turn < BLOCKS && turn < rounds; turn++) {
            /* A group comes back to each of its blocks. */
            const uint32_t visits = (rounds - turn + BLOCKS - 1) / BLOCKS;
            add_block(group + turn * groups, workload->test_case->n, visits,
                      &expected[group * GROUP]);
        }
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    static const char *const variants[] = {"DIRECT", "BY_ONE", "BY_ALL"};
    bl_workload_begin(workload, test_case, setting, "prefetch.cl", "prefetch_block");
    struct bl_launch *launch = &workload->launch;
    launch->groups =
        bl_groups_for(setting->machine, GROUP, BL_SUB_GROUPS_PER_CU, setting->compute_units);
    workload->outputs = bl_launch_items(launch);
    bl_add_option(workload, "-D%s -DGROUP=%d -DREUSE=%u -DBLOCKS=%d", variants[test_case->variant],
                  GROUP, test_case->n, BLOCKS);
    workload->data_bytes = launch->groups * BLOCKS * GROUP * 4;
    workload->working_set_bytes = workload->data_bytes;
    workload->local_bytes = test_case->variant == DIRECT ? 0 : GROUP * 4;
    workload->reference = reference;
    workload->work = (double)workload->outputs * test_case->n;
    workload->bytes = workload->work * 4;
}

/* clang-format off */ /* a case a row */
#define CASE(name, kind, reuse, words, against, ...)                                            \
    {.id = "prefetch/" name "-" #reuse, .title = words ", each element used " #reuse " time(s)", \
     .n = (reuse), .variant = (kind), .group = GROUP, .lay_out = lay_out,                       \
     .document = "local memory guide, prefetching blocks", .baseline = "prefetch/" against "-" #reuse, \
     __VA_ARGS__}

#define REUSE(count, quick, ...)                                                                \
    CASE("direct", DIRECT, count, "from global memory each time", "direct",                     \
         .memory = BL_MEMORY_GLOBAL, .skip_in_quick = true),                                    \
    CASE("one", BY_ONE, count, "copied by a loop of one work-item", "all",                      \
         .memory = BL_MEMORY_LOCAL, .direction = BL_SLOWER, .skip_in_quick = !(quick)),         \
    CASE("all", BY_ALL, count, "copied by all, one element each", "direct",                     \
         .memory = BL_MEMORY_LOCAL, .skip_in_quick = !(quick), __VA_ARGS__)

static const struct bl_case cases[] = {
    REUSE(1, false, .direction = BL_ANY_DIRECTION),
    REUSE(2, false, .direction = BL_ANY_DIRECTION),
    REUSE(4, false, .direction = BL_ANY_DIRECTION),
    REUSE(8, false, .direction = BL_ANY_DIRECTION),
    REUSE(16, false, .direction = BL_ANY_DIRECTION),
    REUSE(32, false, .direction = BL_FASTER),
    REUSE(64, true, .direction = BL_FASTER),
};
/* clang-format on */

BL_SUITE(prefetch, "prefetch", "a block used repeatedly: prefetched by one, by all, or not");
