#include "run/tiles.h"

#include <math.h>
#include <stdlib.h>

#include "model/reference.h"
#include "run/case.h"
#include "run/level_workload.h"

/* What kernels/tiles.cl and tiles_write.cl must compute. */

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

/* Accesses of a round: as many as there are registers for, so that they wait together. */
enum { MOST_PER_BLOCK = 32 };

/* Of one array. NVIDIA's driver takes half a second to release a GiB. */
static const uint64_t MAX_ARRAY_BYTES = (uint64_t)8 << 30;

/* The next number from this one on, modulo that of the blocks, that has no divisor in common with
 * it. */
static uint64_t coprime(uint64_t number, uint64_t blocks)
{
    for (uint64_t n = number % blocks;; n = (n + 1) % blocks) {
        uint64_t a = blocks, b = n;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return n;
    }
}

/* The largest number up to this one that is 4 to 7 times a power of two, so that the data's
 * repetitions mostly fit into it; at least 1. */
static uint64_t rounded(double most)
{
    uint64_t unit = 1;
    while (8 * (double)unit <= most)
        unit *= 2;
    return most >= 1 ? (uint64_t)(most / (double)unit) * unit : 1;
}

bool bl_choose_tiles(const struct bl_tiling *tiling, struct bl_tiles *tiles)
{
    const uint64_t element = tiling->element_bytes;
    const uint64_t unit = tiling->line_bytes > element ? tiling->line_bytes : element;
    const uint64_t reach = (tiling->max - tiling->min + 1) * element;
    const uint64_t tile_bytes = (reach + unit - 1) / unit * unit;
    const uint64_t touched = tiling->touched_lines * tiling->line_bytes;
    const double wanted = (double)tiling->wanted_bytes / (double)touched;
    const uint64_t beyond = (tiling->max + 1) * element;
    const uint64_t limit =
        tiling->max_bytes < MAX_ARRAY_BYTES ? tiling->max_bytes : MAX_ARRAY_BYTES;
    const double room = ((double)limit - (double)beyond) / (double)tile_bytes;
    const uint64_t count = rounded(fmin(1.1 * wanted, room));
    *tiles = (struct bl_tiles){.elements = tile_bytes / element};
    tiles->per_block = count < MOST_PER_BLOCK ? (unsigned)count : MOST_PER_BLOCK;
    while (count % tiles->per_block)
        tiles->per_block--;
    tiles->blocks = count / tiles->per_block;
    /* The golden ratio of them all: any few replicas in a row begin far apart. A replica goes on
     * past those that the others take meanwhile. */
    tiles->begin_on = coprime((uint64_t)(0.6180339887 * (double)tiles->blocks), tiles->blocks);
    tiles->further_on = coprime(tiling->replicas % tiles->blocks * tiles->begin_on, tiles->blocks);
    return 3 * (double)count >= wanted && (double)count <= 2 * wanted &&
           tiles->elements <= INT32_MAX;
}
