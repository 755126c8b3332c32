/* An access over a working set that no compute unit's cache keeps: kernels/tiles.h. */
#include "run/level_workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "model/granules.h"
#include "run/case.h"

/* Bytes of a working set that a launch of a third of a millisecond does not go over twice. */
static const uint64_t PASSED_OVER_ONCE = 512u << 20;

enum { MAX_TOGETHER = 256, MAX_ITEMS = 1 << 18 }; /* work-items */

/* That the outputs are checked with: 256 MiB of them. */
enum { MAX_SUMS = 1 << 26 };

/* The groups of the ids are launched as one, where a compute unit takes so many work-items: what
 * neighbours share is then fetched once, as in a kernel of larger groups. */
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

/* At one level, in requests of so many work-items each. */
static enum bl_status count_at(const struct bl_machine *machine, const struct bl_level *level,
                               const struct bl_launch *launch, const uint64_t starts[],
                               size_t count, size_t together, uint64_t tile_bytes,
                               struct bl_granules *granules, struct bl_error *error)
{
    if (launch->is_write && level->write_block_bytes)
        return bl_granules_written(level, machine, launch->type, starts, count, together,
                                   tile_bytes, granules, error);
    return bl_granules_of(level, machine->line_bytes, launch->type, starts, count, together,
                          tile_bytes, granules, error);
}

/* NAN stays what it is. */
static double at_least(double least, double charged) { return charged < least ? least : charged; }

/* Of one access of all work-items: requests have granules of their own; whether others have them
 * too, in the same launched group, is in `shared`. */
static enum bl_status count_granules(const struct bl_machine *machine, const uint64_t starts[],
                                     uint64_t tile_bytes, struct bl_workload *workload,
                                     struct bl_error *error)
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
            status = count_at(machine, level, launch, starts + first, group, launch->lanes,
                              tile_bytes, &part, error);
            sum.fetched += part.fetched;
            sum.charged += part.charged;
        }
        if (status == BL_OK)
            status =
                count_at(machine, level, launch, starts, count,
                         group * replicas->groups_per_launch_group, tile_bytes, &shared, error);
        const double least = launch->is_write ? 0 : level->least_of_request_percent / 100.0;
        workload->cost.fetched[i] = sum.fetched / requests;
        workload->cost.charged[i] = at_least(least, sum.charged / requests);
        workload->cost.fetched_together[i] = shared.fetched / requests;
        workload->cost.charged_together[i] = at_least(least, shared.charged / requests);
    }
    return status;
}

/* One that the model alone asks about has no limits. */
static uint64_t max_bytes(const struct bl_setting *setting, const struct bl_type *type)
{
    return setting->device ? bl_max_array_bytes(setting->device, type) : UINT64_MAX;
}

/* What the kernel needs to know. */
static void define(const struct bl_tiled *tiled, const struct bl_setting *setting,
                   struct bl_workload *workload)
{
    const struct bl_tiles *tiles = &workload->replicas.tiles;
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
}

enum bl_status bl_lay_out_tiles(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                uint64_t wanted_bytes, struct bl_workload *workload,
                                struct bl_error *error)
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
    if (count > MAX_ITEMS) {
        bl_unsupported(workload, "its ids range over more than %d work-items", MAX_ITEMS);
        return BL_OK;
    }
    launch_together(setting, workload);
    bl_repeat_groups(workload, setting, machine->global_sub_groups_per_cu);
    const struct bl_tiling tiling = {
        .min = tiled->min,
        .max = tiled->max,
        .touched_lines = tiled->touched_lines,
        .element_bytes = launch->type->element_bytes,
        .line_bytes = machine->line_bytes,
        .wanted_bytes = wanted_bytes,
        .max_bytes = max_bytes(setting, launch->type),
        .replicas = launch->groups / set,
    };
    struct bl_tiles tiles;
    if (!bl_choose_tiles(&tiling, &tiles)) {
        bl_unsupported(workload,
                       "what its ids touch is more than this level is to hold, or reaches "
                       "so far that memory has no room for enough of it");
        return BL_OK;
    }
    launch->step = (unsigned)tiles.elements;
    launch->steps = launch->unroll = tiles.per_block;
    launch->elements = (tiles.blocks - 1) * tiles.per_block * tiles.elements + tiled->max + 1;
    workload->replicas.start_count = count;
    workload->replicas.tiles = tiles;
    workload->build.expression = tiled->expression;
    bl_lay_out_accesses(workload, machine);
    if (bl_tiles_period(launch, tiles.blocks) * count > MAX_SUMS)
        bl_unsupported(workload, "its ids range over too many work-items");
    define(tiled, setting, workload);
    workload->check.reference = bl_tiles_reference;
    workload->work.working_set_bytes =
        tiles.blocks * tiles.per_block * tiled->touched_lines * machine->line_bytes;
    /* A short launch goes over a cache's set many times, and over memory's not once. */
    workload->work.settles_slowly = wanted_bytes >= PASSED_OVER_ONCE;
    workload->work.bytes_per_delivered = NAN; /* banks do not bind */
    bl_lay_out_cost(workload, machine, tiled->starts, set);
    return count_granules(machine, tiled->starts, tiles.elements * launch->type->element_bytes,
                          workload, error);
}
