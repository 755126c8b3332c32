/* What kernels/tiles.cl and tiles_write.cl must compute. */
#include <stdlib.h>

#include "model/reference.h"
#include "run/case.h"
#include "run/level_workload.h"

uint64_t bl_tiles_period(const struct bl_launch *launch, uint64_t blocks)
{
    const uint64_t words = (uint64_t)launch->step * launch->steps * launch->type->element_bytes / 4;
    uint64_t period = BL_DATA_PERIOD;
    for (uint64_t rest = words; period > 1 && rest % 2 == 0; rest /= 2)
        period /= 2;
    return blocks % period == 0 ? period : blocks;
}

/* The sums of the work-items of a replica, `count` of them, on their way round the blocks: before
 * the first block they are 0. when[b]: the step at which block b, modulo the period, comes. */
struct way {
    uint64_t period;
    uint64_t *starts, *when;
    uint32_t *before; /* period + 1 times count */
};

static enum bl_status walk(const struct bl_workload *workload, const uint64_t starts[],
                           const struct way *way, struct bl_error *error)
{
    const struct bl_replicas *replicas = &workload->replicas;
    const size_t count = replicas->start_count;
    const uint64_t further = replicas->tiles.further_on;
    struct bl_launch first = workload->launch;
    const uint64_t block_elements = (uint64_t)first.step * first.steps;
    enum bl_status status = BL_OK;
    first.groups = count / bl_launch_group_items(&first);
    for (uint64_t step = 0, block = 0; step < way->period && status == BL_OK; step++) {
        uint32_t *last = &way->before[step * count], *sums = last + count;
        way->when[block] = step;
        for (size_t i = 0; i < count; i++)
            way->starts[i] = starts[i] + block * block_elements;
        status = bl_expected_sums(&first, way->starts, 1, sums, error);
        for (size_t i = 0; i < count; i++)
            sums[i] += last[i];
        block = (block + further) % way->period;
    }
    return status;
}

/* Every replica goes the same way round the blocks and begins somewhere else. So the sums along
 * that way are added up once, and a replica's is the difference of two. */
static void take_differences(const struct bl_workload *workload, const struct way *way,
                             uint32_t rounds, uint32_t expected[])
{
    const size_t count = workload->replicas.start_count;
    const uint64_t begin_on = workload->replicas.tiles.begin_on, period = way->period;
    for (size_t out = 0; out < workload->buffers.outputs; out++) {
        const size_t i = out % count;
        const uint64_t number = out / count;
        const uint64_t from = way->when[number * begin_on % period];
        const uint64_t to = from + rounds % period;
        const uint32_t whole = way->before[period * count + i];
        expected[out] = whole * (uint32_t)(rounds / period + to / period) +
                        way->before[to % period * count + i] - way->before[from * count + i];
    }
}

static enum bl_status add_up(const struct bl_workload *workload, const uint64_t starts[],
                             uint32_t rounds, uint32_t expected[], struct bl_error *error)
{
    const size_t count = workload->replicas.start_count;
    struct way way = {.period =
                          bl_tiles_period(&workload->launch, workload->replicas.tiles.blocks)};
    way.starts = calloc(count, sizeof *way.starts);
    way.when = calloc(way.period, sizeof *way.when);
    way.before = calloc((way.period + 1) * count, sizeof *way.before);
    enum bl_status status;
    if (!way.starts || !way.when || !way.before) {
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the sums of blocks");
    } else {
        status = walk(workload, starts, &way, error);
        if (status == BL_OK)
            take_differences(workload, &way, rounds, expected);
    }
    free(way.before);
    free(way.when);
    free(way.starts);
    return status;
}

/* What a work-item reads back is what it wrote first, whoever wrote there after it. */
static void read_back(const struct bl_workload *workload, const uint64_t starts[], uint32_t rounds,
                      uint32_t expected[])
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_tiles *tiles = &workload->replicas.tiles;
    const size_t count = workload->replicas.start_count;
    const uint64_t block_elements = (uint64_t)launch->step * launch->steps;
    for (size_t out = 0; out < workload->buffers.outputs; out++) {
        const uint64_t block = out / count * tiles->begin_on % tiles->blocks;
        expected[out] =
            bl_written_sum(launch, starts[out % count] + block * block_elements, rounds);
    }
}

uint64_t *bl_tile_starts(enum bl_pattern pattern, struct bl_shape shape, size_t groups)
{
    const struct bl_launch ids = {
        .n = 1, .shape = shape, .groups = groups, .elements = (size_t)1 << 63 /* none wraps */};
    return bl_pattern_starts(pattern, &ids);
}

enum bl_status bl_tiles_reference(const struct bl_workload *workload, uint32_t rounds,
                                  uint32_t expected[], struct bl_error *error)
{
    const struct bl_replicas *replicas = &workload->replicas;
    const uint64_t *starts = replicas->starts;
    uint64_t *own = NULL;
    if (!starts) {
        const struct bl_launch *launch = &workload->launch;
        starts = own = bl_tile_starts(workload->setting.test_case->pattern, launch->shape,
                                      replicas->start_count / bl_launch_group_items(launch));
        if (!own)
            return bl_fail(error, BL_NO_MEMORY, "no memory for the starts of work-items");
    }
    enum bl_status status = BL_OK;
    if (workload->launch.is_write)
        read_back(workload, starts, rounds, expected);
    else
        status = add_up(workload, starts, rounds, expected, error);
    free(own);
    return status;
}
