/* Working sets from 4 KiB to four times the last cache, from the guide "Memory Access Overview":
 * reads go through the L3 cache, then the last-level cache, then to memory. Contiguous vectors of 4
 * and the 16-element stride of global/5. Compared by useful bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "../kernels/numbers.h"
#include "model/reference.h"
#include "run/case.h"

enum { GROUP = 256, LARGEST_GROUP = 1024, LONGEST_UNROLL = 8 };
enum variant { CONTIGUOUS, STRIDE_16 };

struct walk {
    size_t group, stride, unroll, repeat, block_elements, blocks; /* as in kernels/level.cl */
};

/* Large working sets are walked by the largest groups: an H100 reads memory 0.3 % faster so. */
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
    struct walk walk = {.group = group, .stride = test_case->variant == STRIDE_16 ? 16 : 1};
    walk.unroll = elements / (group * walk.stride);
    if (walk.unroll > LONGEST_UNROLL)
        walk.unroll = LONGEST_UNROLL;
    walk.repeat = LONGEST_UNROLL / walk.unroll;
    walk.block_elements = group * walk.stride * walk.unroll;
    walk.blocks = elements / walk.block_elements;
    return walk;
}

/* What work-item lid adds up in this block. */
static uint32_t block_sum(const struct bl_type *type, const struct walk *walk, size_t block,
                          size_t lid)
{
    uint32_t sum = 0;
    for (size_t j = 0; j < walk->unroll; j++) {
        const size_t element =
            block * walk->block_elements + lid * walk->stride + j * walk->group * walk->stride;
        for (size_t c = 0; c < type->components; c++)
            sum += bl_data_element(element * type->components + c);
    }
    return sum;
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const struct bl_type *type = workload->launch.type;
    const struct walk walk = walk_of(workload->test_case, workload->launch.shape.x);
    /* The data repeat, so blocks do, and going on by an odd number visits all of them in turn. */
    size_t period = BL_DATA_PERIOD / (walk.block_elements * type->components);
    if (period > walk.blocks)
        period = walk.blocks;
    uint32_t *sums =
        calloc((period + 1) * walk.group, sizeof *sums); /* of each block, then of all */
    if (!sums || period == 0) {
        free(sums);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the sums of %zu blocks", period);
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

/* Which level holds the working set, as far as the driver reports caches. */
static void name_level(struct bl_workload *workload, const struct bl_device *device)
{
    if (!device || device->cache_bytes == 0)
        return;
    const bool fits = workload->buffers.data_bytes <= device->cache_bytes;
    snprintf(workload->note, sizeof workload->note,
             "%s the %llu KiB of cache that the driver reports", fits ? "within" : "beyond",
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
                  "-DT=%s -DSCALAR=%s -DGROUP=%zu -DSTRIDE=%zu -DUNROLL=%zu "
                  "-DREPEAT=%zu -DBLOCKS=%zu",
                  launch->type->name, launch->type->scalar, walk.group, walk.stride, walk.unroll,
                  walk.repeat, walk.blocks);
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
    name_level(workload, setting->device);
    bl_check_caches(workload, setting->device);
}

/* clang-format off */ /* a case a row */
#define CASE(name, words, size, log2_bytes, variant_, type_, against, ...)                      \
    {.id = "level/" name "-" size, .title = words ", working set of " size, .n = (log2_bytes),  \
     .document = "memory access overview, L3 cache and last-level cache", .variant = variant_,  \
     .memory = BL_MEMORY_GLOBAL, .type = &type_, .baseline = "level/" name "-" against,         \
     .lay_out = lay_out, .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}
#define CONTIGUOUS_READS(size, log2_bytes, ...)                                                 \
    CASE("contiguous", "contiguous vectors of 4", size, log2_bytes, CONTIGUOUS, bl_type_int4,   \
         "4K", __VA_ARGS__)
#define BOTH(size, log2_bytes, ...)                                                             \
    CONTIGUOUS_READS(size, log2_bytes, __VA_ARGS__),                                            \
    CASE("stride-16", "a line for each work-item", size, log2_bytes, STRIDE_16, bl_type_int,    \
         "16K", __VA_ARGS__)

static const struct bl_case cases[] = {
    CONTIGUOUS_READS("4K", 12, .skip_in_quick = true),
    BOTH("16K", 14, .skip_in_quick = true),
    BOTH("64K", 16, .skip_in_quick = true),
    BOTH("256K", 18, .skip_in_quick = true),
    BOTH("1M", 20, .skip_in_quick = true),
    BOTH("4M", 22, .skip_in_quick = false),
    BOTH("16M", 24, .skip_in_quick = true),
    BOTH("64M", 26, .skip_in_quick = true),
    BOTH("256M", 28, .direction = BL_SLOWER, .skip_in_quick = true),
    BOTH("1G", 30, .direction = BL_SLOWER, .skip_in_quick = true),
    BOTH("4G", 32, .direction = BL_SLOWER, .skip_in_quick = true),
};
/* clang-format on */

BL_SUITE(level, "level", "working sets from 4 KiB to beyond the last cache");
