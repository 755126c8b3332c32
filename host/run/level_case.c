/* An index pattern over a working set at a level of memory, for the suites. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/granules.h"
#include "run/case.h"
#include "run/level.h"
#include "run/level_workload.h"

/* Groups over which a pattern's ids range: as many as `try` takes; of columns one, for neighbours
 * would fetch the same. */
enum { GROUPS = 8 };

/* The machine's level that a case means; BL_LEVELS: it has none, or no rule of it. */
static unsigned level_of(const struct bl_machine *machine, enum bl_place_in_memory place)
{
    unsigned level = place == BL_IN_MEMORY ? BL_LEVELS - 1 : 0;
    while (level < BL_LEVELS - 1 && !machine->levels[level].granule_bytes)
        level++;
    const bool is_there = machine->has_rule && machine->levels[level].granule_bytes &&
                          (place == BL_IN_MEMORY || level < BL_LEVELS - 1);
    return is_there ? level : BL_LEVELS;
}

/* By the machine, or else by what the driver says. */
static uint64_t bytes_of(const struct bl_setting *setting, unsigned level,
                         enum bl_place_in_memory place)
{
    static const struct bl_device nobody_knows = {.cache_bytes = 32 << 20};
    const struct bl_device *device =
        setting->device && setting->device->cache_bytes ? setting->device : &nobody_knows;
    if (level < BL_LEVELS)
        return bl_level_bytes(setting->machine, device, level);
    return place == BL_IN_MEMORY ? 32 * device->cache_bytes : device->cache_bytes / 2;
}

static enum bl_status lay_out(const struct bl_setting *setting, uint64_t bytes,
                              struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_case *test_case = setting->test_case;
    struct bl_tiled tiled = {
        .type = test_case->type ? test_case->type : &bl_type_int,
        .is_write = test_case->is_write,
        .groups = {setting->shape.y > 1 ? 1 : GROUPS, 1},
    };
    uint64_t *starts = bl_tile_starts(test_case->pattern, setting->shape, tiled.groups.x);
    if (!starts)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the starts of work-items");
    const size_t count = (size_t)setting->shape.x * setting->shape.y * tiled.groups.x;
    tiled.starts = starts;
    tiled.min = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        tiled.min = starts[i] < tiled.min ? starts[i] : tiled.min;
        tiled.max = starts[i] > tiled.max ? starts[i] : tiled.max;
    }
    tiled.touched_lines =
        bl_lines_touched(starts, count, tiled.type->element_bytes, setting->machine->line_bytes);
    const enum bl_status status = bl_lay_out_tiles(&tiled, setting, bytes, workload, error);
    free(starts);
    return status;
}

void bl_lay_out_level(const struct bl_setting *setting, struct bl_workload *workload)
{
    const enum bl_place_in_memory place = setting->test_case->place;
    const unsigned level = level_of(setting->machine, place);
    struct bl_error error;
    if (lay_out(setting, bytes_of(setting, level, place), workload, &error) != BL_OK) {
        workload->status = BL_ROW_ERROR;
        snprintf(workload->reason, sizeof workload->reason, "%.250s", error.sentence);
        return;
    }
    if (workload->replicas.tiles.blocks == 0) { /* there is no room: nothing was counted */
        workload->cost.why_none = NULL;
        return;
    }
    bl_check_caches(workload, setting->device);
    if (level < BL_LEVELS) {
        bl_level_charge(setting->machine, level, workload);
    } else {
        workload->cost.clocks = NAN;
        workload->cost.why_none = "the machine has no rule of this level";
    }
}
