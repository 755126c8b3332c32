/* Lays out accesses over a working set that is too large for a compute unit's cache
 * (kernels/tiles.h): chooses the tiles and the order in which replicas visit them, and computes the
 * expected outputs.
 */
#include "run/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "model/granules.h"
#include "model/launch.h"
#include "run/case.h"

/* The maximum number of accesses per round. Registers can hold this many results, so the accesses'
 * latencies overlap. */
enum { MOST_PER_BLOCK = 32 };

/* The maximum size of one array, because NVIDIA's driver takes half a second to release a GiB. */
static const uint64_t MAX_ARRAY_BYTES = (uint64_t)8 << 30;

/* The first number, counting up from `number` modulo `blocks`, that is coprime to `blocks`. */
static uint64_t coprime(uint64_t number, uint64_t blocks)
{
    uint64_t n = number % blocks;
    while (bl_common_divisor(blocks, n) != 1)
        n = (n + 1) % blocks;
    return n;
}

/* Rounds down to an integer of at most three significant bits, at least 1. The number of tiles is
 * then usually a multiple of the number after which the data repeat. */
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
    /* Replica r begins at block r * begin_on, modulo the number of blocks. begin_on is near 0.618
     * times the number of blocks, so consecutive replicas begin far apart. further_on is near
     * replicas * begin_on, so a replica moves on to a block at which no other replica has just
     * begun. */
    tiles->begin_on = coprime((uint64_t)(0.6180339887 * (double)tiles->blocks), tiles->blocks);
    tiles->further_on = coprime(tiling->replicas % tiles->blocks * tiles->begin_on, tiles->blocks);
    return 4 * (double)count >= wanted && (double)count <= 2 * wanted &&
           tiles->elements <= INT32_MAX;
}

/* The functions below compute the sums that kernels/tiles.cl and tiles_write.cl must output. */

/* The number of blocks after which the sums of blocks repeat, because the data repeat. This number
 * divides the total number of blocks. */
static uint64_t tiles_period(const struct bl_launch *launch, uint64_t blocks)
{
    const uint64_t words = (uint64_t)launch->step * launch->steps * launch->type->element_bytes / 4;
    uint64_t period = BL_DATA_PERIOD;
    for (uint64_t rest = words; period > 1 && rest % 2 == 0; rest /= 2)
        period /= 2;
    return blocks % period == 0 ? period : blocks;
}

/* Computes the sums that reads must output. All replicas visit the blocks in the same order, but
 * begin at different blocks. So the running sums along that order are computed once, and a
 * replica's sum is the difference of two running sums. */
static enum bl_status add_up(const struct bl_workload *workload, const uint64_t starts[],
                             uint32_t rounds, uint32_t expected[], struct bl_error *error)
{
    const size_t count = workload->replicas.start_count;
    const struct bl_tiles *tiles = &workload->replicas.tiles;
    struct bl_launch first = workload->launch;
    first.groups = count / bl_launch_group_items(&first);
    const uint64_t block_elements = (uint64_t)first.step * first.steps;
    const uint64_t period = tiles_period(&first, tiles->blocks);
    uint64_t *moved = calloc(count, sizeof *moved);
    uint64_t *when = calloc(period, sizeof *when); /* for each block, the step at which the
                                                      block is read */
    /* For each step, the sum of all earlier blocks, per work-item of a replica. */
    uint32_t *before = calloc((period + 1) * count, sizeof *before);
    enum bl_status status = moved && when && before ? BL_OK : BL_NO_MEMORY;
    if (status != BL_OK)
        bl_fail(error, status, "out of memory while computing the sums of blocks");
    for (uint64_t step = 0, block = 0; step < period && status == BL_OK; step++) {
        uint32_t *last = &before[step * count], *sums = last + count;
        when[block] = step;
        for (size_t i = 0; i < count; i++)
            moved[i] = starts[i] + block * block_elements;
        status = bl_expected_sums(&first, moved, 1, sums, error);
        for (size_t i = 0; i < count; i++)
            sums[i] += last[i];
        block = (block + tiles->further_on) % period;
    }
    for (size_t out = 0; out < workload->buffers.outputs && status == BL_OK; out++) {
        const size_t i = out % count;
        const uint64_t from = when[out / count * tiles->begin_on % period];
        const uint64_t to = from + rounds % period;
        expected[out] = before[period * count + i] * (uint32_t)(rounds / period + to / period) +
                        before[to % period * count + i] - before[from * count + i];
    }
    free(before);
    free(when);
    free(moved);
    return status;
}

/* Computes the sums that writing kernels must output: each work-item finally adds up the elements
 * of its first block. */
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
        .n = 1, .shape = shape, .groups = groups, .elements = (size_t)1 << 63 /* so large that no
                                                                                 index wraps
                                                                                 around */};
    return bl_pattern_starts(pattern, &ids);
}

/* Computes the expected outputs. If the replicas have no starts, uses the starts of the case's
 * pattern. */
static enum bl_status tiles_reference(const struct bl_workload *workload, uint32_t rounds,
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
            return bl_fail(error, BL_NO_MEMORY,
                           "out of memory while computing the starts of work-items");
    }
    enum bl_status status = BL_OK;
    if (workload->launch.is_write)
        read_back(workload, starts, rounds, expected);
    else
        status = add_up(workload, starts, rounds, expected, error);
    free(own);
    return status;
}

/* The functions below lay out the workload. */

/* In a third of a millisecond, a GPU reads a working set of at least this size only in part, or a
 * few times. */
static const uint64_t PASSED_OVER_ONCE = 512u << 20;

/* The maximum numbers of work-items: MAX_TOGETHER in a group that launch_together makes, MAX_ITEMS
 * in all groups over which ids range. */
enum { MAX_TOGETHER = 256, MAX_ITEMS = 1 << 18 };

/* The maximum number of reference sums, with which outputs are compared; the sums take 256 MiB. */
enum { MAX_SUMS = 1 << 26 };

/* Launches all groups over which ids range as one group, unless that group would be too large.
 * Lines that neighbouring groups share are then fetched once, as in a kernel with larger groups. */
static void launch_together(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_device *device = setting->device;
    const unsigned lanes = setting->machine->lanes;
    const size_t items = bl_launch_group_items(launch);
    const size_t own = (items + lanes - 1) / lanes * lanes, all = own * launch->groups;
    if (launch->groups == 1 || all > MAX_TOGETHER ||
        (device && (all > device->max_group_items || all > device->max_items[0])))
        return;
    workload->replicas.groups_per_launch_group = (unsigned)launch->groups;
    workload->replicas.lanes_per_group = (unsigned)own;
    bl_add_option(&workload->build, "-DGROUP_LANES=%zu -DGROUP_WIDTH=%u -DGROUP_HEIGHT=%u", own,
                  launch->shape.x, launch->shape.y);
}

/* The larger of the two numbers; NAN if `charged` is NAN. */
static double at_least(double least, double charged) { return charged < least ? least : charged; }

/* Fills in the granules per request at each level. `fetched` and `charged`: every request fetches
 * its own granules. `fetched_together` and `charged_together`: the requests of a launched group
 * share granules. `charged_shared`: requests share granules as the rule for sharing says. */
static enum bl_status count_granules(const struct bl_machine *machine, const uint64_t starts[],
                                     struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_launch *launch = &workload->launch;
    const struct bl_replicas *replicas = &workload->replicas;
    struct bl_mean_cost *cost = &workload->cost;
    const size_t group = bl_launch_group_items(launch), count = replicas->start_count;
    const double requests =
        workload->work.requests / launch->unroll * (double)count / (double)bl_launch_items(launch);
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < BL_LEVELS && status == BL_OK; i++) {
        const struct bl_level *level = &machine->levels[i];
        struct bl_granules sum = {0}, part, shared = {0};
        if (!level->granule_bytes)
            continue;
        const struct bl_accessed all = {
            .machine = machine,
            .level = level,
            .type = launch->type,
            .is_write = launch->is_write,
            .starts = starts,
            .count = count,
            .together = group * replicas->groups_per_launch_group,
            .tile_bytes = replicas->tiles.elements * launch->type->element_bytes,
        };
        for (size_t first = 0; first < count && status == BL_OK; first += group) {
            struct bl_accessed request = all;
            request.starts += first;
            request.count = group;
            request.together = launch->lanes;
            status = bl_granules_of(&request, &part, error);
            sum.fetched += part.fetched;
            sum.charged += part.charged;
        }
        if (status == BL_OK)
            status = bl_granules_of(&all, &shared, error);
        double by_rule = NAN;
        if (status == BL_OK)
            status = bl_charge_shared(&all, &by_rule, error);
        const double least = launch->is_write ? 0 : level->least_of_request_percent / 100.0;
        cost->fetched[i] = sum.fetched / requests;
        cost->charged[i] = at_least(least, sum.charged / requests);
        cost->fetched_together[i] = shared.fetched / requests;
        cost->charged_together[i] = at_least(least, shared.charged / requests);
        cost->charged_shared[i] = at_least(least, by_rule / requests);
    }
    return status;
}

/* What bl_choose_tiles needs to know about an access with `count` starts, except touched_lines and
 * replicas, which the caller sets. */
static struct bl_tiling tiling_of(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                  size_t count)
{
    const unsigned element_bytes = tiled->type->element_bytes;
    struct bl_tiling tiling = {
        .min = UINT64_MAX,
        .element_bytes = element_bytes,
        .line_bytes = setting->machine->line_bytes,
        .wanted_bytes = tiled->wanted_bytes,
        /* the model alone, without a device, has no limits */
        .max_bytes =
            setting->device ? bl_max_array_bytes(setting->device, tiled->type) : UINT64_MAX,
    };
    for (size_t i = 0; i < count; i++) {
        tiling.min = tiled->starts[i] < tiling.min ? tiled->starts[i] : tiling.min;
        tiling.max = tiled->starts[i] > tiling.max ? tiled->starts[i] : tiling.max;
    }
    return tiling;
}

static const char TOO_LARGE[] =
    "its elements need more bytes than the working set of this level has, or lie so far apart that "
    "memory cannot hold enough copies of them";
static const char TOO_MANY_SUMS[] =
    "checking its result would need too many reference sums, because its expression uses the ids "
    "of too many work-items";

enum bl_status bl_lay_out_tiles(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_machine *machine = setting->machine;
    bl_workload_begin(workload, setting, tiled->is_write ? "tiles_write.cl" : "tiles.cl",
                      tiled->is_write ? "write_tiles" : "read_tiles");
    struct bl_launch *launch = &workload->launch;
    launch->memory = BL_MEMORY_GLOBAL;
    launch->type = tiled->type;
    launch->is_write = tiled->is_write;
    launch->spread = 0;
    launch->groups = (size_t)tiled->groups.x * tiled->groups.y;
    const size_t set = launch->groups, count = set * bl_launch_group_items(launch);
    workload->replicas.starts = tiled->expression ? tiled->starts : NULL;
    if (count > MAX_ITEMS) {
        bl_unsupported(workload, "its ids range over more than %d work-items", MAX_ITEMS);
        return BL_OK;
    }
    launch_together(setting, workload);
    bl_repeat_groups(workload, setting, machine->global_sub_groups_per_cu);
    struct bl_tiling tiling = tiling_of(tiled, setting, count);
    enum bl_status status =
        bl_lines_touched(machine, tiled->type, tiled->starts, count, &tiling.touched_lines, error);
    if (status != BL_OK)
        return status;
    tiling.replicas = launch->groups / set;
    struct bl_tiles *tiles = &workload->replicas.tiles, chosen;
    if (!bl_choose_tiles(&tiling, &chosen)) {
        bl_unsupported(workload, "%s", TOO_LARGE);
        return BL_OK;
    }
    *tiles = chosen;
    launch->step = (unsigned)tiles->elements;
    launch->steps = launch->unroll = tiles->per_block;
    launch->elements = (tiles->blocks - 1) * tiles->per_block * tiles->elements + tiling.max + 1;
    workload->replicas.start_count = count;
    workload->build.expression = tiled->expression;
    bl_lay_out_accesses(workload, machine);
    if (tiles_period(launch, tiles->blocks) * count > MAX_SUMS)
        bl_unsupported(workload, "%s", TOO_MANY_SUMS);
    bl_add_option(&workload->build,
                  "-DGROUPS_X=%u -DGROUPS_Y=%u -DTILE=%" PRIu64 " -DBLOCKS=%" PRIu64
                  "u -DBEGIN_ON=%" PRIu64 "u -DFURTHER_ON=%" PRIu64 "u",
                  tiled->groups.x, tiled->groups.y, tiles->elements, tiles->blocks, tiles->begin_on,
                  tiles->further_on);
    if (tiled->expression)
        bl_add_option(&workload->build, "-DREPLICA_SPREAD=0");
    else
        bl_add_option(&workload->build, "-DTILE_INDEX=index_%s -DN=1",
                      bl_pattern_name(setting->test_case->pattern));
    workload->check.reference = tiles_reference;
    struct bl_work *work = &workload->work;
    work->working_set_bytes =
        tiles->blocks * tiles->per_block * tiling.touched_lines * machine->line_bytes;
    /* A short launch reads a working set in a cache many times, but one in memory only in part or a
     * few times. */
    work->settles_slowly = tiled->wanted_bytes >= PASSED_OVER_ONCE;
    work->bytes_per_delivered = NAN; /* banks are not the limit */
    bl_lay_out_cost(workload, machine, tiled->starts, set);
    return count_granules(machine, tiled->starts, workload, error);
}
