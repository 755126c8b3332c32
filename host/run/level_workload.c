/* A person's expression over a working set that no compute unit's cache keeps: kernels/tiles.cl,
 * and what it must compute. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "model/granules.h"
#include "model/reference.h"
#include "run/level_workload.h"

/* Reads of a round: as many as there are registers for, so that they wait together. */
enum { READS = 32 };

enum { MAX_TOGETHER = 256, MAX_ITEMS = 1 << 18 }; /* work-items */

/* That the outputs are checked with: 256 MiB of them. */
enum { MAX_SUMS = 1 << 26 };

/* Of one array. NVIDIA's driver takes half a second to release a GiB. */
static const uint64_t MAX_ARRAY_BYTES = (uint64_t)8 << 30;

struct tiles {
    uint64_t elements, blocks; /* of a tile; of the array */
    unsigned reads;            /* tiles of a block */
};

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

/* From the block that a replica begins with to that of the next one: the golden ratio of them all,
 * so that any few of them in a row lie far apart. */
static uint64_t begin_on(uint64_t blocks)
{
    return coprime((uint64_t)(0.6180339887 * (double)blocks), blocks);
}

/* From one block to the next: past those that the other replicas read meanwhile. */
static uint64_t further_on(const struct bl_workload *workload, uint64_t blocks)
{
    const size_t replicas = bl_launch_items(&workload->launch) / workload->replicas.start_count;
    return coprime(replicas % blocks * begin_on(blocks), blocks);
}

/* The data repeat, and so do the sums of blocks: of as many in a row as this, a divisor of their
 * number. */
static uint64_t period_of(const struct bl_launch *launch, uint64_t blocks)
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

static enum bl_status walk(const struct bl_workload *workload, const struct way *way,
                           struct bl_error *error)
{
    const struct bl_replicas *replicas = &workload->replicas;
    const size_t count = replicas->start_count;
    const uint64_t further = further_on(workload, replicas->blocks);
    struct bl_launch first = workload->launch;
    const uint64_t block_elements = (uint64_t)first.step * first.steps;
    enum bl_status status = BL_OK;
    first.groups = count / bl_launch_group_items(&first);
    for (uint64_t step = 0, block = 0; step < way->period && status == BL_OK; step++) {
        uint32_t *last = &way->before[step * count], *sums = last + count;
        way->when[block] = step;
        for (size_t i = 0; i < count; i++)
            way->starts[i] = replicas->starts[i] + block * block_elements;
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
    const uint64_t begin_on_ = begin_on(workload->replicas.blocks), period = way->period;
    for (size_t out = 0; out < workload->buffers.outputs; out++) {
        const size_t i = out % count;
        const uint64_t number = out / count;
        const uint64_t from = way->when[number * begin_on_ % period];
        const uint64_t to = from + rounds % period;
        const uint32_t whole = way->before[period * count + i];
        expected[out] = whole * (uint32_t)(rounds / period + to / period) +
                        way->before[to % period * count + i] - way->before[from * count + i];
    }
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const size_t count = workload->replicas.start_count;
    struct way way = {.period = period_of(&workload->launch, workload->replicas.blocks)};
    way.starts = calloc(count, sizeof *way.starts);
    way.when = calloc(way.period, sizeof *way.when);
    way.before = calloc((way.period + 1) * count, sizeof *way.before);
    enum bl_status status;
    if (!way.starts || !way.when || !way.before) {
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the sums of blocks");
    } else {
        status = walk(workload, &way, error);
        if (status == BL_OK)
            take_differences(workload, &way, rounds, expected);
    }
    free(way.before);
    free(way.when);
    free(way.starts);
    return status;
}

/* The largest number up to this one that is 4 to 7 times a power of two, so that the data's
 * repetitions mostly fit into it; at least 1. */
static uint64_t rounded(double most)
{
    uint64_t unit = 1;
    while (8 * (double)unit <= most)
        unit *= 2;
    const uint64_t units = (uint64_t)(most / (double)unit);
    return units > 0 ? units * unit : 1;
}

/* Tiles as long as the expression reaches, and so many of them that their lines fill the working
 * set, or nearly; false: memory has no room for them, or one is too many. */
static bool choose_tiles(const struct bl_try *try, const struct bl_launch *launch,
                         unsigned line_bytes, uint64_t wanted_bytes, uint64_t max_bytes,
                         struct tiles *tiles)
{
    const uint64_t element = launch->type->element_bytes;
    const uint64_t unit = line_bytes > element ? line_bytes : element;
    const uint64_t reach = (try->max - try->min + 1) * element;
    const uint64_t tile_bytes = (reach + unit - 1) / unit * unit;
    const uint64_t touched = try->touched_lines * line_bytes;
    const double wanted = (double)wanted_bytes / (double)touched;
    const uint64_t beyond = (try->max + 1) * element; /* of the last tile */
    const uint64_t limit = max_bytes < MAX_ARRAY_BYTES ? max_bytes : MAX_ARRAY_BYTES;
    const double room = ((double)limit - (double)beyond) / (double)tile_bytes;
    const uint64_t count = rounded(fmin(1.1 * wanted, room));
    tiles->reads = count < READS ? (unsigned)count : READS;
    while (count % tiles->reads)
        tiles->reads--;
    tiles->blocks = count / tiles->reads;
    tiles->elements = tile_bytes / element;
    return 3 * (double)count >= wanted && (double)count <= 2 * wanted &&
           tiles->elements <= INT32_MAX;
}

/* The groups of the ids are launched as one, where a compute unit takes so many work-items: what
 * neighbours share is then fetched once, as in a kernel of larger groups. */
static void launch_together(const struct bl_try_setup *setup, const struct bl_bench *bench,
                            struct bl_workload *workload)
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_device *device = bench->device;
    const unsigned lanes = bench->machine->lanes;
    const size_t items = bl_launch_group_items(launch);
    const size_t own = (items + lanes - 1) / lanes * lanes, all = own * launch->groups;
    if (launch->groups == 1 || all > MAX_TOGETHER || all > device->max_group_items ||
        all > device->max_items[0])
        return;
    workload->replicas.groups_per_launch_group = (unsigned)launch->groups;
    workload->replicas.lanes_per_group = (unsigned)own;
    bl_add_option(&workload->build, "-DGROUP_LANES=%zu -DGROUP_WIDTH=%u -DGROUP_HEIGHT=%u", own,
                  setup->shape.x, setup->shape.y);
}

/* Of one access of all work-items: requests have granules of their own; whether others have them
 * too, in the same launched group, is in `shared`. */
static enum bl_status count_granules(const struct bl_machine *machine, uint64_t tile_bytes,
                                     struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_replicas *replicas = &workload->replicas;
    const size_t group = bl_launch_group_items(launch), count = replicas->start_count;
    const double requests =
        workload->work.requests / launch->unroll * (double)count / (double)bl_launch_items(launch);
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < BL_LEVELS && status == BL_OK; i++) {
        const struct bl_level *level = &machine->levels[i];
        struct bl_granules sum = {0}, part, shared = {0};
        if (!level->granule_bytes)
            continue;
        for (size_t first = 0; first < count && status == BL_OK; first += group) {
            status =
                bl_granules_of(level, machine->line_bytes, launch->type, replicas->starts + first,
                               group, launch->lanes, tile_bytes, &part, error);
            sum.fetched += part.fetched;
            sum.charged += part.charged;
        }
        if (status == BL_OK)
            status = bl_granules_of(level, machine->line_bytes, launch->type, replicas->starts,
                                    count, group * replicas->groups_per_launch_group, tile_bytes,
                                    &shared, error);
        workload->cost.fetched[i] = sum.fetched / requests;
        workload->cost.charged[i] = sum.charged / requests;
        workload->cost.fetched_together[i] = shared.fetched / requests;
        workload->cost.charged_together[i] = shared.charged / requests;
    }
    return status;
}

enum bl_status bl_lay_out_tiles(const struct bl_try *try, const struct bl_try_setup *setup,
                                const struct bl_bench *bench, uint64_t wanted_bytes,
                                struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    const struct bl_setting setting = {
        .test_case = &try->test_case,
        .machine = machine,
        .device = bench->device,
        .compute_units = bench->device->compute_units,
        .shape = setup->shape,
    };
    bl_workload_begin(workload, &setting, "tiles.cl", "read_tiles");
    struct bl_launch *launch = &workload->launch;
    *launch = bl_try_launch(setup, bench);
    const size_t set = launch->groups;
    struct tiles tiles;
    if (set * bl_launch_group_items(launch) > MAX_ITEMS) {
        bl_unsupported(workload, "its ids range over more than %d work-items", MAX_ITEMS);
        return BL_OK;
    }
    if (!choose_tiles(try, launch, machine->line_bytes, wanted_bytes,
                      bl_try_max_bytes(setup, bench), &tiles)) {
        bl_unsupported(workload,
                       "what its ids touch is more than this level is to hold, or reaches "
                       "so far that memory has no room for enough of it");
        return BL_OK;
    }
    launch->step = (unsigned)tiles.elements;
    launch->steps = launch->unroll = tiles.reads;
    launch->elements = (tiles.blocks * tiles.reads - tiles.reads) * tiles.elements + try->max + 1;
    launch_together(setup, bench, workload);
    bl_try_fill_device(setup, bench, workload);
    workload->replicas.starts = try->starts;
    workload->replicas.start_count = set * bl_launch_group_items(launch);
    workload->build.expression = &try->expression;
    bl_lay_out_accesses(workload, machine);
    const uint64_t blocks = workload->replicas.blocks = tiles.blocks;
    if (period_of(launch, blocks) * workload->replicas.start_count > MAX_SUMS)
        bl_unsupported(workload, "its ids range over too many work-items");
    bl_add_option(&workload->build,
                  "-DGROUPS_X=%u -DGROUPS_Y=%u -DREPLICA_SPREAD=0 -DTILE=%" PRIu64
                  " -DBLOCKS=%" PRIu64 "u -DBEGIN_ON=%" PRIu64 "u -DFURTHER_ON=%" PRIu64 "u",
                  setup->groups.x, setup->groups.y, tiles.elements, blocks, begin_on(blocks),
                  further_on(workload, blocks));
    workload->check.reference = reference;
    workload->work.working_set_bytes =
        tiles.blocks * tiles.reads * try->touched_lines * machine->line_bytes;
    workload->work.settles_slowly = true;
    workload->work.bytes_per_delivered = NAN; /* banks do not bind */
    bl_lay_out_cost(workload, machine, try->starts, set);
    return count_granules(machine, tiles.elements * launch->type->element_bytes, workload, error);
}
