/* Levels of the memory hierarchy, from the guide "Memory Access Overview": reads go through the L3
 * cache, then the last-level cache, then to memory. Some cases read working sets from 4 KiB to 4
 * GiB with contiguous vectors of 4. The remaining cases measure the cost of patterns, shapes and
 * widths at the next level after the compute unit's cache, and in memory: the guides predict this
 * cost by counting cache lines; a machine's rule may count smaller granules instead. Ratios compare
 * useful bytes per second. */
#include <stdlib.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

enum { GROUP = 256, LARGEST_GROUP = 1024, LONGEST_UNROLL = 8 };

struct walk {
    size_t group, unroll, repeat, block_elements, blocks; /* as in kernels/level.cl */
};

/* The number of work-items of a group. Working sets of 1 MiB or more are read by the largest
 * groups, because an H100 reads memory 0.3 % faster with such groups. */
static unsigned group_for(const struct bl_case *test_case, const struct bl_device *device)
{
    unsigned group = GROUP;
    while (test_case->n >= 20 && device && group < LARGEST_GROUP &&
           2 * group <= device->max_group_items)
        group *= 2;
    return group;
}

static struct walk walk_of(const struct bl_case *test_case, size_t group)
{
    const size_t elements = ((size_t)1 << test_case->n) / test_case->type->element_bytes;
    struct walk walk = {.group = group, .unroll = elements / group};
    if (walk.unroll > LONGEST_UNROLL)
        walk.unroll = LONGEST_UNROLL;
    walk.repeat = LONGEST_UNROLL / walk.unroll;
    walk.block_elements = group * walk.unroll;
    walk.blocks = elements / walk.block_elements;
    return walk;
}

/* The sum of the elements that work-item `lid` reads in a block. */
static uint32_t block_sum(const struct bl_type *type, const struct walk *walk, size_t block,
                          size_t lid)
{
    uint32_t sum = 0;
    for (size_t j = 0; j < walk->unroll; j++) {
        const size_t element = block * walk->block_elements + lid + j * walk->group;
        for (size_t c = 0; c < type->components; c++)
            sum += bl_data_element(element * type->components + c);
    }
    return sum;
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const struct bl_type *type = workload->launch.type;
    const struct walk walk = walk_of(workload->setting.test_case, workload->launch.shape.x);
    /* The data repeat, so blocks repeat, too. The number of distinct blocks is a power of two, so
     * an odd step visits all of them. */
    size_t period = BL_DATA_PERIOD / (walk.block_elements * type->components);
    if (period > walk.blocks)
        period = walk.blocks;
    /* For each work-item: its sum in each block; then, in `all`, its sum over all blocks. */
    uint32_t *sums = calloc((period + 1) * walk.group, sizeof *sums);
    if (!sums || period == 0) {
        free(sums);
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing the sums of %zu blocks",
                       period);
    }
    const uint64_t blocks_read = (uint64_t)rounds * walk.repeat;
    uint32_t *all = sums + period * walk.group;
    for (size_t block = 0; block < period; block++)
        for (size_t lid = 0; lid < walk.group; lid++) {
            sums[block * walk.group + lid] = block_sum(type, &walk, block, lid);
            all[lid] += sums[block * walk.group + lid];
        }
    for (size_t group = 0; group < workload->launch.groups; group++) {
        uint32_t *of_group = &expected[group * walk.group];
        const uint32_t first = FIRST_BLOCK((uint32_t)group);
        for (size_t lid = 0; lid < walk.group; lid++)
            of_group[lid] = all[lid] * (uint32_t)(blocks_read / period);
        for (size_t round = 0; round < blocks_read % period; round++) {
            const size_t block = (first + round * FURTHER(first)) % period;
            for (size_t lid = 0; lid < walk.group; lid++)
                of_group[lid] += sums[block * walk.group + lid];
        }
    }
    free(sums);
    return BL_OK;
}

/* If the working set fills at most half of the compute unit's cache, the model predicts the cost of
 * contiguous reads. Otherwise the case may be expected to be slower, and notes compare the working
 * set with the caches. */
static void name_level(struct bl_workload *workload, const struct bl_machine *machine,
                       const struct bl_device *device)
{
    const size_t bytes = workload->buffers.data_bytes;
    if (machine->has_rule && bytes <= machine->cache_bytes / 2) {
        bl_set_clocks(workload, 1);
        return;
    }
    bl_expect_beyond_cache(workload, machine);
    if (machine->cache_bytes && !workload->setting.test_case->direction && !workload->direction)
        bl_add_note(workload->note, "more than half the %u KiB of %s, so only a part stays there",
                    machine->cache_bytes / 1024,
                    *machine->cache_name ? machine->cache_name : "cache");
    if (device && device->cache_bytes)
        bl_add_note(workload->note, "%s the %llu KiB of cache that the driver reports",
                    bytes <= device->cache_bytes ? "within" : "beyond",
                    (unsigned long long)(device->cache_bytes / 1024));
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    struct bl_setting own = *setting;
    const struct bl_case *test_case = setting->test_case;
    own.shape = (struct bl_shape){group_for(test_case, setting->device), 1};
    bl_workload_begin(workload, &own, "level.cl", "walk");
    const struct bl_launch *launch = &workload->launch;
    const struct walk walk = walk_of(test_case, own.shape.x);
    bl_add_option(&workload->build,
                  "-DT=%s -DSCALAR=%s -DGROUP=%zu -DUNROLL=%zu "
                  "-DREPEAT=%zu -DBLOCKS=%zu",
                  launch->type->name, launch->type->scalar, walk.group, walk.unroll, walk.repeat,
                  walk.blocks);
    const size_t bytes = (size_t)1 << test_case->n;
    workload->buffers.data_bytes = bytes;
    workload->check.reference = reference;
    struct bl_work *work = &workload->work;
    work->requests = (double)bl_launch_requests(launch) * (double)(walk.unroll * walk.repeat);
    work->bytes = (double)bl_launch_items(launch) * (double)(walk.unroll * walk.repeat) *
                  launch->type->access_bytes;
    work->units = work->bytes;
    work->working_set_bytes = bytes;
    work->settles_slowly = bytes >= BL_SETTLES_SLOWLY_BYTES;
    name_level(workload, setting->machine, setting->device);
    bl_check_caches(workload, setting->device);
}

/* clang-format off */ /* one case per row */
#define CONTIGUOUS_READS(size, log2_bytes, ...)                                                 \
    {.id = "level/contiguous-" size, .title = "contiguous vectors of 4, working set of " size,  \
     .n = (log2_bytes), .document = "memory access overview, L3 cache and last-level cache",    \
     .memory = BL_MEMORY_GLOBAL, .type = &bl_type_int4, .baseline = "level/contiguous-4K",      \
     .lay_out = lay_out, .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}
#define WORDS_next ", in the cache behind the compute unit's"
#define WORDS_memory ", in memory"
#define PLACE_next BL_IN_NEXT_CACHE
#define PLACE_memory BL_IN_MEMORY
#define PLACED(at, name, title_, pattern_, against, ...)                                        \
    {.id = "level/" #at "-" name, .title = title_ WORDS_##at, .place = PLACE_##at,              \
     .document = "memory access overview; global and constant memory guide, cases 1 to 6",      \
     .memory = BL_MEMORY_GLOBAL, .pattern = BL_PATTERN_##pattern_,                              \
     .baseline = "level/" #at "-" against, .lay_out = bl_lay_out_level, __VA_ARGS__}
#define READS(at, name, title, pattern, ...)                                                    \
    PLACED(at, name, title, pattern, "contiguous", __VA_ARGS__)
#define WRITES(at, name, title, pattern, ...)                                                   \
    PLACED(at, "write-" name, "writes, " title, pattern, "write-1", MORE, __VA_ARGS__)
#define WRITE .is_write = true
#define ROW .shapes = BL_NATIVE_ROW
#define MORE .shapes = BL_NATIVE_ROW, .skip_in_quick = true
#define COLUMNS                                                                                 \
    .shapes = {.forms = BL_FORM_SQUARE | BL_FORM_COLUMN, .widths = BL_NATIVE_WIDTH},            \
    .skip_in_quick = true
#define AT(at)                                                                                  \
    READS(at, "contiguous", "contiguous", CONTIGUOUS, ROW),                                   \
    READS(at, "stride-2", "every second element", STRIDE_2, MORE),                              \
    READS(at, "stride-8", "every eighth element", STRIDE_8, MORE),                              \
    READS(at, "stride-16", "every 16th element", STRIDE_16, ROW),                               \
    READS(at, "stride-32", "every 32nd element", STRIDE_32, MORE),                              \
    READS(at, "rows", "two-dimensional groups, by rows", TWO_D, COLUMNS),            \
    READS(at, "int4", "contiguous vectors of 4", CONTIGUOUS, .type = &bl_type_int4, MORE),    \
    WRITES(at, "1", "contiguous vectors of 4", CONTIGUOUS, .type = &bl_type_int4, WRITE),     \
    WRITES(at, "2", "every second element", STRIDE_2, WRITE),                                   \
    WRITES(at, "8", "every eighth element", STRIDE_8, WRITE),                                   \
    WRITES(at, "32", "every 32nd element", STRIDE_32, WRITE)

static const struct bl_case cases[] = {
    CONTIGUOUS_READS("4K", 12, .skip_in_quick = true),
    CONTIGUOUS_READS("16K", 14, .skip_in_quick = true),
    CONTIGUOUS_READS("64K", 16, .skip_in_quick = true),
    CONTIGUOUS_READS("256K", 18, .skip_in_quick = true),
    CONTIGUOUS_READS("1M", 20, .skip_in_quick = true),
    CONTIGUOUS_READS("4M", 22, .skip_in_quick = false),
    CONTIGUOUS_READS("16M", 24, .skip_in_quick = true),
    CONTIGUOUS_READS("64M", 26, .direction = BL_SLOWER, .skip_in_quick = true),
    CONTIGUOUS_READS("256M", 28, .direction = BL_SLOWER, .skip_in_quick = true),
    CONTIGUOUS_READS("1G", 30, .direction = BL_SLOWER, .skip_in_quick = true),
    CONTIGUOUS_READS("4G", 32, .direction = BL_SLOWER, .skip_in_quick = true),
    AT(next),
    READS(next, "plus-one", "shifted by one element", PLUS_ONE, MORE),
    WRITES(next, "plus", "shifted by one element", PLUS_ONE, WRITE),
    READS(next, "uchar", "contiguous bytes", CONTIGUOUS, .type = &bl_type_uchar, MORE),
    AT(memory),
};
/* clang-format on */

BL_SUITE(level, "level", "working sets, and what patterns cost beyond the compute unit's cache");
