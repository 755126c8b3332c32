/* Working sets from 4 KiB to four times the last cache, from the guide "Memory Access Overview":
 * reads go through the L3 cache, then the last-level cache, then to memory. Contiguous vectors of 4
 * and the 16-element stride of global/5. Compared by useful bytes. */
#include <stdlib.h>

#include "model/reference.h"
#include "suite.h"

enum { GROUP = 64, LONGEST_UNROLL = 4 };
enum variant { CONTIGUOUS, STRIDE_16 };

struct walk {
    size_t stride, unroll, block_elements, blocks; /* as in kernels/level.cl */
};

static struct walk walk_of(const struct bl_case *test_case)
{
    const size_t elements = ((size_t)1 << test_case->n) / test_case->type->element_bytes;
    struct walk walk = {.stride = test_case->variant == STRIDE_16 ? 16 : 1};
    walk.unroll = elements / (GROUP * walk.stride);
    if (walk.unroll > LONGEST_UNROLL)
        walk.unroll = LONGEST_UNROLL;
    walk.block_elements = GROUP * walk.stride * walk.unroll;
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
            block * walk->block_elements + lid * walk->stride + j * GROUP * walk->stride;
        for (size_t c = 0; c < type->components; c++)
            sum += bl_data_element(element * type->components + c);
    }
    return sum;
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const struct bl_type *type = workload->launch.type;
    const struct walk walk = walk_of(workload->test_case);
    const size_t groups = workload->launch.groups, further = groups | 1;
    /* The data repeat, so blocks do; going on by an odd number visits all of them in a cycle. */
    size_t period = BL_DATA_PERIOD / (walk.block_elements * type->components);
    if (period > walk.blocks)
        period = walk.blocks;
    /* At [t * GROUP + lid]: what the first t blocks of the cycle add up to, from block 0 on. */
    uint32_t *before = calloc((2 * period + 1) * GROUP, sizeof *before);
    size_t *turn_of = calloc(period, sizeof *turn_of);
    if (!before || !turn_of) {
        free(before);
        free(turn_of);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the sums of %zu blocks", period);
    }
    for (size_t t = 0; t < 2 * period; t++) {
        const size_t block = t * further % period;
        turn_of[block] = t % period;
        for (size_t lid = 0; lid < GROUP; lid++)
            before[(t + 1) * GROUP + lid] =
                before[t * GROUP + lid] + block_sum(type, &walk, block, lid);
    }
    for (size_t i = 0; i < workload->outputs; i++) {
        const size_t lid = i % GROUP, start = turn_of[i / GROUP % period];
        const uint32_t whole = before[period * GROUP + lid] * (uint32_t)(rounds / period);
        const size_t rest = start + rounds % period;
        expected[i] = whole + before[rest * GROUP + lid] - before[start * GROUP + lid];
    }
    free(before);
    free(turn_of);
    return BL_OK;
}

static void lay_out(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload)
{
    bl_workload_begin(workload, test_case, setting, "level.cl", "walk");
    struct bl_launch *launch = &workload->launch;
    const struct walk walk = walk_of(test_case);
    bl_add_option(workload, "-DT=%s -DCOMPONENTS=%u -DGROUP=%d -DSTRIDE=%zu -DUNROLL=%zu "
                            "-DBLOCKS=%zu", launch->type->name, launch->type->components, GROUP,
                  walk.stride, walk.unroll, walk.blocks);
    workload->data_bytes = (size_t)1 << test_case->n;
    workload->working_set_bytes = workload->data_bytes;
    workload->reference = reference;
    workload->requests = (double)bl_launch_requests(launch) * (double)walk.unroll;
    workload->bytes = (double)bl_launch_items(launch) * (double)walk.unroll *
                      launch->type->access_bytes;
    workload->work = workload->bytes;
    const struct bl_device *device = setting->device;
    const bool is_cpu = device && device->type == BL_DEVICE_CPU;
    if (is_cpu && device->cache_bytes && workload->data_bytes > 4 * device->cache_bytes &&
        workload->data_bytes > (size_t)64 << 20)
        bl_unsupported(workload, "is more than four times the last cache, which has %llu KiB",
                       (unsigned long long)device->cache_bytes / 1024);
}

#define WALK .group = GROUP, .memory = BL_MEMORY_GLOBAL, .lay_out = lay_out, \
             .document = "memory access overview, L3 cache and last-level cache"

#define SIZE(name, log2_bytes, ...)                                                             \
    {.id = "level/contiguous-" name, .title = "contiguous vectors of 4, working set of " name,  \
     .n = (log2_bytes), .variant = CONTIGUOUS, .type = &bl_type_int4,                           \
     .baseline = "level/contiguous-4K", WALK, __VA_ARGS__},                                     \
    {.id = "level/stride-16-" name, .title = "a line for each work-item, working set of " name, \
     .n = (log2_bytes), .variant = STRIDE_16, .type = &bl_type_int,                             \
     .baseline = "level/stride-16-4K", WALK, __VA_ARGS__}

static const struct bl_case cases[] = {
    SIZE("4K", 12, .left_by_quick = true),
    SIZE("16K", 14, .left_by_quick = true),
    SIZE("64K", 16, .left_by_quick = true),
    SIZE("256K", 18, .left_by_quick = true),
    SIZE("1M", 20, .left_by_quick = true),
    SIZE("4M", 22, .left_by_quick = false),
    SIZE("16M", 24, .left_by_quick = true),
    SIZE("64M", 26, .left_by_quick = true),
    SIZE("256M", 28, .direction = BL_SLOWER, .left_by_quick = true),
    SIZE("1G", 30, .direction = BL_SLOWER, .left_by_quick = true),
    SIZE("4G", 32, .direction = BL_SLOWER, .left_by_quick = true),
};

const struct bl_suite bl_suite_level = {
    .name = "level",
    .title = "working sets from 4 KiB to beyond the last cache",
    .cases = cases,
    .count = sizeof cases / sizeof cases[0],
};
