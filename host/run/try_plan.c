/* From a probed expression to a plan's item. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/reference.h"
#include "run/try.h"

/* Groups that write to global memory at once, for each compute unit; each set of them has an array
 * of its own, as long as all together stay below the bytes. */
enum { WRITING_SUB_GROUPS_PER_CU = 16 };
static const uint64_t MAX_WRITTEN_BYTES = 1024u << 20;

static enum bl_status read_reference(const struct bl_workload *workload, uint32_t rounds,
                                     uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* 1: the sums are linear */
    const struct bl_replicas *replicas = &workload->replicas;
    struct bl_launch first = workload->launch;
    first.groups = replicas->start_count / bl_launch_group_items(&first);
    const enum bl_status status = bl_expected_sums(&first, replicas->starts, 1, expected, error);
    bl_repeat_group(expected, replicas->start_count, workload->buffers.outputs);
    return status;
}

static enum bl_status write_reference(const struct bl_workload *workload, uint32_t rounds,
                                      uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const struct bl_replicas *replicas = &workload->replicas;
    const struct bl_launch *launch = &workload->launch;
    for (size_t i = 0; i < workload->buffers.outputs; i++) {
        const size_t moved = i / replicas->start_count * launch->spread;
        expected[i] =
            bl_written_sum(launch, replicas->starts[i % replicas->start_count] + moved, rounds);
    }
    return BL_OK;
}

/* Bytes of the lines that a launch of so many steps touches, at most: every start brings a line for
 * each step, but not more than lie between the first start and the last step. */
static uint64_t touched_bytes(const struct bl_try *try, const struct bl_machine *machine,
                              const struct bl_launch *launch, unsigned steps)
{
    const uint64_t line_bytes = machine->line_bytes,
                   step_bytes = (uint64_t)launch->step * launch->type->element_bytes;
    const uint64_t span_bytes =
        (try->max - try->min + 1) * launch->type->element_bytes + (steps - 1) * step_bytes;
    const uint64_t between = span_bytes / line_bytes + 2;
    const uint64_t reached = try->touched_lines * steps;
    return (reached < between ? reached : between) * line_bytes;
}

/* As many steps as leave what the launch touches in the cache, and room for its array: the more,
 * the less of a round is arithmetic. */
static unsigned steps_for(const struct bl_try *try, const struct bl_try_setup *setup,
                          const struct bl_bench *bench, const struct bl_launch *launch)
{
    const uint64_t cache_bytes = bench->machine->cache_bytes;
    unsigned steps = launch->unroll;
    while (steps > launch->steps) {
        struct bl_launch longer = *launch;
        longer.steps = steps;
        const bool in_cache = !cache_bytes || setup->memory == BL_MEMORY_LOCAL || setup->is_write ||
                              touched_bytes(try, bench->machine, launch, steps) <= cache_bytes;
        if (in_cache && bl_launch_array_bytes(&longer) <= bl_try_max_bytes(setup, bench))
            break;
        steps /= 2;
    }
    return steps;
}

/* Groups of local memory, in one resident wave, as machine.h says: together they take no more of it
 * than the documented cases' tiles of 8 KiB. Where that makes too few to hide latency, 4 or 8 of
 * them share a tile: a multiple of the 4 schedulers that a compute unit of NVIDIA deals sub-groups
 * out to, for one more on a single one of them would be waited for. */
enum {
    MIN_GROUPS_PER_LAUNCH_GROUP = 4,
    MAX_GROUPS_PER_LAUNCH_GROUP = 8,
    MAX_LAUNCH_GROUP_ITEMS = 256
};

static void fill_with_tiles(const struct bl_bench *bench, struct bl_workload *workload)
{
    const struct bl_machine *machine = bench->machine;
    const struct bl_device *device = bench->device;
    const struct bl_launch *launch = &workload->launch;
    const size_t items = bl_launch_group_items(launch), set = launch->groups;
    const size_t wanted =
        bl_groups_for(machine, items, machine->local_sub_groups_per_cu, device->compute_units);
    size_t tiles = (size_t)8192 * machine->local_sub_groups_per_cu * device->compute_units /
                   bl_launch_array_bytes(launch);
    tiles = tiles < 1 ? 1 : tiles < wanted ? tiles : wanted;
    const unsigned lanes =
        (unsigned)((items + machine->lanes - 1) / machine->lanes) * machine->lanes;
    size_t max = MAX_LAUNCH_GROUP_ITEMS < device->max_group_items ? MAX_LAUNCH_GROUP_ITEMS
                                                                  : device->max_group_items;
    max = max < device->max_items[0] ? max : device->max_items[0];
    unsigned together = MIN_GROUPS_PER_LAUNCH_GROUP;
    while (together < MAX_GROUPS_PER_LAUNCH_GROUP && tiles * together < wanted &&
           2 * together * lanes <= max)
        together *= 2;
    if (tiles < wanted && together * lanes <= max) {
        workload->replicas.groups_per_launch_group = together;
        workload->replicas.lanes_per_group = lanes;
        bl_add_option(&workload->build, "-DGROUP_LANES=%u", lanes);
    }
    /* Whole sets of groups, and whole launched groups of them. */
    const size_t sets = tiles / set;
    bl_set_groups(workload,
                  set * (sets > 0 ? sets : 1) * workload->replicas.groups_per_launch_group);
}

/* The distance of the arrays that sets of groups write to, in elements; 0 where they must share. */
static size_t spread_of(const struct bl_try_setup *setup, const struct bl_bench *bench,
                        const struct bl_launch *launch, size_t sets)
{
    if (!setup->is_write || setup->memory != BL_MEMORY_GLOBAL)
        return 0;
    const uint64_t bytes = bl_launch_array_bytes(launch);
    const uint64_t own = (bytes / launch->type->element_bytes / launch->step + 1) * launch->step;
    const uint64_t all_bytes = sets * own * launch->type->element_bytes;
    const bool fits = all_bytes <= MAX_WRITTEN_BYTES && all_bytes <= bl_try_max_bytes(setup, bench);
    return fits ? own : 0;
}

static void lay_out(const struct bl_try *try, const struct bl_try_setup *setup,
                    const struct bl_bench *bench, uint64_t elements, unsigned steps,
                    struct bl_workload *workload)
{
    const struct bl_setting setting = bl_try_setting(try, setup, bench);
    const bool is_local = setup->memory == BL_MEMORY_LOCAL;
    const unsigned all_at_once = bench->machine->global_sub_groups_per_cu;
    const unsigned writing = WRITING_SUB_GROUPS_PER_CU;
    const char *file = setup->is_write ? is_local ? "local_write.cl" : "global_write.cl"
                       : is_local      ? "local.cl"
                                       : "global.cl";
    bl_workload_begin(workload, &setting, file, setup->is_write ? "write_pattern" : "read_pattern");
    struct bl_launch *launch = &workload->launch;
    *launch = bl_try_launch(setup, bench);
    launch->elements = elements;
    launch->steps = steps;
    const size_t set = launch->groups;
    if (is_local)
        fill_with_tiles(bench, workload);
    else
        bl_repeat_groups(workload, &setting,
                         setup->is_write && writing < all_at_once ? writing : all_at_once);
    const size_t replicas = launch->groups / set;
    launch->spread = spread_of(setup, bench, launch, replicas);
    workload->replicas.starts = try->starts;
    workload->replicas.start_count = set * bl_launch_group_items(launch);
    workload->build.expression = &try->expression;
    bl_lay_out_accesses(workload, bench->machine);
    bl_add_option(&workload->build,
                  "-DGROUPS_X=%u -DGROUPS_Y=%u -DGROUP_WIDTH=%u "
                  "-DGROUP_HEIGHT=%u -DREPLICA_SPREAD=%zu",
                  setup->groups.x, setup->groups.y, setup->shape.x, setup->shape.y, launch->spread);
    workload->buffers.data_bytes += (replicas - 1) * launch->spread * launch->type->element_bytes;
    workload->check = (struct bl_check){setup->is_write ? write_reference : read_reference,
                                        .is_linear = !setup->is_write};
    struct bl_work *work = &workload->work;
    work->working_set_bytes = touched_bytes(try, bench->machine, launch, steps);
    /* Writes merge on their way to memory, and compilers merge what a lane reads twice. */
    if (setup->is_write)
        work->bytes_per_delivered = NAN;
    const uint64_t cache_bytes = bench->machine->cache_bytes;
    if (setup->memory == BL_MEMORY_GLOBAL && bench->machine->has_rule && cache_bytes &&
        work->working_set_bytes > cache_bytes)
        snprintf(workload->note, sizeof workload->note,
                 "touches up to %llu KiB, and the rule is of what stays in %llu KiB",
                 (unsigned long long)(work->working_set_bytes >> 10),
                 (unsigned long long)(cache_bytes >> 10));
}

/* Room for the indices of both, rounded up so that many expressions share a contiguous kernel. */
static uint64_t elements_for(const struct bl_try *try, const struct bl_try *contiguous,
                             const struct bl_try_setup *setup)
{
    const uint64_t needed = (try->max > contiguous->max ? try->max : contiguous->max) + 1;
    const uint64_t unit =
        (setup->memory == BL_MEMORY_LOCAL ? 2048 : 65536) / setup->type.element_bytes;
    const uint64_t rounded = (needed + unit - 1) / unit * unit;
    return rounded <= setup->array_elements ? rounded : needed;
}

void bl_try_plan(const struct bl_try *try, const struct bl_try *contiguous,
                 const struct bl_try_setup *setup, const struct bl_bench *bench,
                 struct bl_plan_item *item)
{
    *item = (struct bl_plan_item){.test_case = &try->test_case, .claim = NAN};
    const bool is_probed = try->touched_lines > 0;
    const struct bl_try *own = contiguous;
    if (is_probed)
        own = try;
    const uint64_t elements = elements_for(own, contiguous, setup);
    struct bl_launch launch = bl_try_launch(setup, bench);
    launch.elements = elements;
    const unsigned steps = steps_for(own, setup, bench, &launch);
    lay_out(own, setup, bench, elements, steps, &item->own);
    lay_out(contiguous, setup, bench, elements, steps, &item->baseline);
    bl_plan_check(item, bench->device);
    if (is_probed)
        return;
    item->status = BL_ROW_ERROR;
    item->own.work.working_set_bytes = 0;
}

static void predict(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                    struct bl_workload *workload)
{
    const struct bl_replicas *replicas = &workload->replicas;
    const size_t groups = replicas->start_count / bl_launch_group_items(&workload->launch);
    const double share = 1 / (double)count;
    struct bl_mean_cost mean = {0};
    for (size_t i = 0; i < count; i++) {
        workload->launch.base_bytes = base_bytes[i];
        bl_lay_out_cost(workload, bench->machine, replicas->starts, groups);
        const struct bl_mean_cost *cost = &workload->cost;
        mean.clocks += cost->clocks * share;
        mean.lines += cost->lines * share;
        mean.sectors += cost->sectors * share;
        mean.tag_passes += cost->tag_passes * share;
        mean.bank_passes += cost->bank_passes * share;
        mean.why_none = cost->why_none;
    }
    workload->cost = mean;
}

void bl_try_predict(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                    struct bl_plan_item *item)
{
    predict(bench, base_bytes, count, &item->baseline);
    if (item->status == BL_ROW_OK)
        predict(bench, base_bytes, count, &item->own);
}

void bl_try_refuse_writes(const struct bl_machine *machine, struct bl_plan_item *item)
{
    const struct bl_launch *launch = &item->own.launch;
    if (!launch->is_write || launch->memory != BL_MEMORY_GLOBAL || item->status != BL_ROW_OK)
        return;
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (machine->levels[i].write_block_bytes) {
            item->own.cost.clocks = NAN;
            item->own.cost.why_none =
                "writes go through to the levels beyond, whose rows have rules; here "
                "all compute units write the same lines";
            return;
        }
}
