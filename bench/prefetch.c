/* A block of global memory that a group uses repeatedly. The guide "__local Memory" says to copy it
 * into local memory once, one element per work-item, and never by a loop of a single work-item. The
 * guide says that a copy "can be faster" than reading global memory each time, which is not a claim
 * about any particular number of uses. */
#include "model/launch.h"
#include "run/case.h"

enum { GROUP = 64, BLOCKS = 16 };

/* Computes a group's outputs. On each visit to a block, a work-item adds `reuse` elements,
 * beginning with its own and wrapping around. A group makes many visits, so the elements at the
 * same position are first summed over all visits. */
static void expect_group(const struct bl_workload *workload, size_t group, uint32_t rounds,
                         uint32_t expected[GROUP])
{
    const size_t groups = workload->launch.groups, reuse = workload->setting.test_case->n;
    uint32_t visited[GROUP] = {0};
    for (uint32_t turn = 0; turn < BLOCKS && turn < rounds; turn++) {
        const uint32_t visits = (rounds - turn + BLOCKS - 1) / BLOCKS;
        for (size_t i = 0; i < GROUP; i++)
            visited[i] += visits * bl_data_element((group + turn * groups) * GROUP + i);
    }
    uint32_t before[2 * GROUP + 1] = {0}; /* running sums over two copies of the block */
    for (size_t i = 0; i < 2 * GROUP; i++)
        before[i + 1] = before[i] + visited[i % GROUP];
    for (size_t lid = 0; lid < GROUP; lid++)
        expected[lid] = before[lid + reuse] - before[lid];
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    for (size_t group = 0; group < workload->launch.groups; group++)
        expect_group(workload, group, rounds, &expected[group * GROUP]);
    return BL_OK;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const unsigned reuse = setting->test_case->n;
    bl_workload_begin(workload, setting, "prefetch.cl", "prefetch_block");
    bl_fill_device(workload, setting);
    bl_add_option(&workload->build, "-DGROUP=%d -DREUSE=%u -DBLOCKS=%d", GROUP, reuse, BLOCKS);
    struct bl_buffers *buffers = &workload->buffers;
    buffers->data_bytes = workload->launch.groups * BLOCKS * GROUP * 4;
    buffers->local_bytes = workload->launch.memory == BL_MEMORY_LOCAL ? GROUP * 4 : 0;
    workload->check.reference = reference;
    workload->work.units = (double)buffers->outputs * reuse;
    workload->work.bytes = workload->work.units * 4;
    workload->work.working_set_bytes = buffers->data_bytes;
    workload->cost.why_none = "instructions and barriers limit speed as much as memory accesses do";
}

/* clang-format off */ /* one case per row */
#define CASE(name, define_, MEMORY, reuse, quick, words, against, ...)                          \
    {.id = "prefetch/" name "-" #reuse, .title = words ", uses of each element: " #reuse, \
     .document = "local memory guide, prefetching blocks", .n = (reuse), .define = define_,     \
     .memory = MEMORY, .baseline = "prefetch/" against "-" #reuse, .lay_out = lay_out,          \
     .shapes = BL_GROUP_OF(GROUP), .skip_in_quick = !(quick), __VA_ARGS__}

#define REUSE(count, quick)                                                 \
    CASE("direct", "DIRECT", BL_MEMORY_GLOBAL, count, false, "from global memory each time",    \
         "direct"),                                                                             \
    CASE("one", "BY_ONE", BL_MEMORY_LOCAL, count, quick, "copied by a loop of one work-item",   \
         "all", .direction = BL_SLOWER),                                                        \
    CASE("all", "BY_ALL", BL_MEMORY_LOCAL, count, quick, "copied by all, one element each",     \
         "direct")

static const struct bl_case cases[] = {
    REUSE(1, false),
    REUSE(2, false),
    REUSE(4, false),
    REUSE(8, false),
    REUSE(16, false),
    REUSE(32, false),
    REUSE(64, true),
};
/* clang-format on */

BL_SUITE(prefetch, "prefetch", "a block used repeatedly: copied by one work-item, by all, or not");
