/* A block of global memory that a group uses repeatedly, from the guide "__local Memory": copy it
 * into local memory once, each work-item one element, and never by a loop of one work-item. That it
 * can be faster than to read global memory each time claims no direction for a number of uses. */
#include <string.h>

#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 64, BLOCKS = 16 };

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
    memset(expected, 0, workload->buffers.outputs * sizeof expected[0]);
    for (size_t group = 0; group < groups; group++)
        for (uint32_t turn = 0; turn < BLOCKS && turn < rounds; turn++) {
            /* A group comes back to each of its blocks. */
            const uint32_t visits = (rounds - turn + BLOCKS - 1) / BLOCKS;
            add_block(group + turn * groups, workload->test_case->n, visits,
                      &expected[group * GROUP]);
        }
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
}

/* clang-format off */ /* a case a row */
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

BL_SUITE(prefetch, "prefetch", "a block used repeatedly: prefetched by one, by all, or not");
