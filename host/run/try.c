/* Turns an index expression into a workload on a device, and predicts its cost. */
#include "run/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/granules.h"
#include "model/launch.h"
#include "model/lookup.h"

static const uint64_t DEFAULT_ARRAY_BYTES = 256u << 20; /* in global memory */
static const uint64_t MAX_WORK_ITEMS = 1u << 28;
static const uint64_t CONSTANT_ARRAY_BYTES = 64u << 10; /* minimum that OpenCL guarantees */

static void set_name(struct bl_try *try, const char *name)
{
    *try = (struct bl_try){0};
    snprintf(try->id, sizeof try->id, "try/%s", name);
    try->test_case =
        (struct bl_case){.id = try->id, .title = "", .document = "", .baseline = "try/contiguous"};
}

enum bl_status bl_try_open_recorded(struct bl_try *try, const char *name, const uint64_t starts[],
                                    size_t count, struct bl_error *error)
{
    set_name(try, name);
    return bl_expression_of_table(name, starts, count, &try->expression, error);
}

enum bl_status bl_try_open(struct bl_try *try, const char *name, const char *text,
                           const struct bl_lookup *lookup, struct bl_error *error)
{
    set_name(try, name ? name : text);
    try->lookup = lookup;
    return bl_expression_parse(text, lookup, &try->expression, error);
}

enum bl_status bl_try_open_contiguous(struct bl_try *try, enum bl_memory memory,
                                      struct bl_error *error)
{
    return bl_try_open(try, "contiguous",
                       memory == BL_MEMORY_LOCAL
                           ? "get_local_id(1) * get_local_size(0) + get_local_id(0)"
                           : "(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * "
                             "get_local_size(0) * get_local_size(1) + "
                             "get_local_id(1) * get_local_size(0) + get_local_id(0)",
                       NULL, error);
}

void bl_try_close(struct bl_try *try)
{
    bl_expression_free(&try->expression);
    free(try->starts);
    try->starts = NULL;
}

/* A launch of the setup's groups without repetition; the address of the array is not set yet. */
static struct bl_launch try_launch(const struct bl_try_setup *setup, const struct bl_bench *bench)
{
    struct bl_launch launch = bl_launch_for(bench->machine, setup->memory, &setup->type,
                                            setup->shape, bench->device->compute_units);
    launch.is_write = setup->is_write;
    launch.groups = (size_t)setup->groups.x * setup->groups.y;
    launch.spread = 0;
    launch.steps = launch.unroll < BL_TRY_MIN_STEPS ? launch.unroll : BL_TRY_MIN_STEPS;
    return launch;
}

struct bl_setting bl_try_setting(const struct bl_try *try, const struct bl_try_setup *setup,
                                 const struct bl_bench *bench)
{
    return (struct bl_setting){
        .test_case = &try->test_case,
        .machine = bench->machine,
        .device = bench->device,
        .compute_units = bench->device->compute_units,
        .shape = setup->shape,
    };
}

/* The maximum size in bytes of the array in the setup's memory on this device. The size includes
 * the elements that later steps of a round reach beyond the expression's largest index. */
static uint64_t try_max_bytes(const struct bl_try_setup *setup, const struct bl_bench *bench)
{
    const struct bl_device *device = bench->device;
    if (setup->memory == BL_MEMORY_CONSTANT)
        return CONSTANT_ARRAY_BYTES;
    return setup->memory == BL_MEMORY_LOCAL ? device->local_bytes
                                            : bl_max_array_bytes(device, &setup->type);
}

/* The maximum number of elements of an array, without the elements that later steps reach. */
static uint64_t max_elements(const struct bl_try_setup *setup, const struct bl_bench *bench)
{
    const struct bl_launch launch = try_launch(setup, bench);
    const uint64_t beyond = (uint64_t)(launch.steps - 1) * launch.step;
    uint64_t bytes = try_max_bytes(setup, bench);
    if (setup->memory == BL_MEMORY_GLOBAL && !setup->array_elements && DEFAULT_ARRAY_BYTES < bytes)
        bytes = DEFAULT_ARRAY_BYTES;
    const uint64_t elements = bytes / setup->type.element_bytes;
    return elements > beyond ? elements - beyond : 0;
}

static enum bl_status check_groups(const struct bl_try_setup *setup, const struct bl_device *device,
                                   struct bl_error *error)
{
    const uint64_t capacity =
        device->max_buffer_bytes / sizeof(uint32_t); /* entries of a kernel's table */
    const uint64_t max = capacity < MAX_WORK_ITEMS ? capacity : MAX_WORK_ITEMS;
    const uint64_t groups = (uint64_t)setup->groups.x * setup->groups.y;
    const uint64_t items = (uint64_t)setup->shape.x * setup->shape.y;
    if (groups <= max / items)
        return BL_OK;
    return bl_fail(error, BL_USAGE,
                   "--groups %ux%u: ids may range over %" PRIu64 " work-items at most, so over "
                   "%" PRIu64 " groups of %ux%u",
                   setup->groups.x, setup->groups.y, max, max / items, setup->shape.x,
                   setup->shape.y);
}

enum bl_status bl_try_settle(struct bl_try_setup *setup, const struct bl_bench *bench,
                             struct bl_error *error)
{
    const struct bl_device *device = bench->device;
    if (!setup->shape.x)
        setup->shape = (struct bl_shape){bench->machine->lanes, 1};
    if (!setup->groups.x)
        setup->groups = (struct bl_shape){setup->memory == BL_MEMORY_LOCAL ? 1 : 8, 1};
    if (bl_check_shape(device, setup->shape, error) != BL_OK) {
        bl_error_context(error, "%s", device->name);
        return BL_BAD_SHAPE;
    }
    if (setup->is_write && setup->memory == BL_MEMORY_CONSTANT)
        return bl_fail(error, BL_USAGE, "constant memory cannot be written to");
    if (strcmp(setup->type.scalar, "double") == 0 && !device->has_double)
        return bl_fail(error, BL_USAGE, "%s has no double", device->name);
    const enum bl_status status = check_groups(setup, device, error);
    if (status != BL_OK)
        return status;
    const uint64_t max = max_elements(setup, bench);
    if (setup->array_elements > max)
        return bl_fail(error, BL_USAGE,
                       "--array-elements %" PRIu64 ": %s can hold %" PRIu64 " %s in %s memory",
                       setup->array_elements, device->name, max, setup->type.name,
                       bl_memory_name(setup->memory));
    if (!setup->array_elements)
        setup->array_elements = max;
    return BL_OK;
}

/* The ids and sizes of the work-item with the number `item`, counted group by group, x fastest. */
static struct bl_work_item work_item_of(const struct bl_try_setup *setup, size_t item)
{
    const struct bl_shape shape = setup->shape, groups = setup->groups;
    const size_t items = (size_t)shape.x * shape.y, group = item / items, local = item % items;
    const uint64_t group_x = group % groups.x, group_y = group / groups.x;
    const uint64_t local_x = local % shape.x, local_y = local / shape.x;
    return (struct bl_work_item){{
        [BL_GLOBAL_ID] = {group_x * shape.x + local_x, group_y * shape.y + local_y},
        [BL_LOCAL_ID] = {local_x, local_y},
        [BL_GROUP_ID] = {group_x, group_y},
        [BL_GLOBAL_SIZE] = {(uint64_t)groups.x * shape.x, (uint64_t)groups.y * shape.y},
        [BL_LOCAL_SIZE] = {shape.x, shape.y},
        [BL_NUM_GROUPS] = {groups.x, groups.y},
    }};
}

/* Computes the element at which a work-item starts. Fails if the index is invalid; the message
 * names the work-item. */
static enum bl_status find_start(const struct bl_try *try, const struct bl_try_setup *setup,
                                 size_t number, uint64_t *start, struct bl_error *error)
{
    const struct bl_work_item item = work_item_of(setup, number);
    const uint64_t *local = item.of[BL_LOCAL_ID], *group = item.of[BL_GROUP_ID];
    char who[128]; /* "work-item (5,0) of group (2,0)" */
    int64_t index;
    const enum bl_fault fault = bl_expression_compute(&try->expression, &item, &index);
    *start = (uint64_t)index;
    if (fault == BL_NO_FAULT && *start < setup->array_elements)
        return BL_OK;
    snprintf(who, sizeof who,
             "work-item (%" PRIu64 ",%" PRIu64 ") of group (%" PRIu64 ",%" PRIu64 ")", local[0],
             local[1], group[0], group[1]);
    if (fault == BL_FAULT_TABLE)
        return bl_fail(error, BL_OUT_OF_RANGE,
                       "%s reads table[%" PRId64 "], and the table has %zu entries", who, index,
                       try->lookup->count);
    if (fault == BL_FAULT_DIVISION)
        return bl_fail(error, BL_BAD_EXPRESSION,
                       "%s divides by zero (or the smallest number by -1)", who);
    return bl_fail(
        error, BL_OUT_OF_RANGE,
        "%s has index %" PRId64 ", outside the array of %" PRIu64 " elements (%s)", who, index,
        setup->array_elements,
        index < 0 ? "indices begin at 0"
                  : "--array-elements sets the array's size, and --groups the range of the ids");
}

enum bl_status bl_try_probe(struct bl_try *try, const struct bl_try_setup *setup,
                            const struct bl_bench *bench, struct bl_error *error)
{
    const struct bl_launch launch = try_launch(setup, bench);
    const size_t items = bl_launch_items(&launch);
    try->starts = malloc(items * sizeof *try->starts);
    if (!try->starts)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while computing the indices of %zu work-items", items);
    try->min = UINT64_MAX;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < items && status == BL_OK; i++) {
        status = find_start(try, setup, i, &try->starts[i], error);
        try->min = try->starts[i] < try->min ? try->starts[i] : try->min;
        try->max = try->starts[i] > try->max ? try->starts[i] : try->max;
    }
    if (status == BL_OK)
        status = bl_expression_set_table(&try->expression, try->starts, items, error);
    if (status == BL_OK) /* a trial with touched_lines > 0 counts as probed */
        status = bl_lines_touched(bench->machine, &setup->type, try->starts, items,
                                  &try->touched_lines, error);
    return status;
}

enum bl_status bl_try_address(const struct bl_try_setup *setup, const struct bl_bench *bench,
                              uint64_t data_bytes, unsigned placement, uint64_t *base_bytes,
                              struct bl_error *error)
{
    *base_bytes = 0;
    if (setup->memory != BL_MEMORY_GLOBAL)
        return BL_OK;
    const struct bl_kernel_source source = {"address.cl", "address", "", NULL};
    const struct bl_dispatch dispatch = {.shape = {1, 1},
                                         .groups = 1,
                                         .data_bytes = data_bytes,
                                         .is_written = setup->is_write,
                                         .outputs = 2,
                                         .placement = placement};
    struct bl_kernel *kernel;
    struct bl_timing timing;
    uint32_t halves[2] = {0, 0};
    enum bl_status status = bl_session_kernel(bench->session, &source, &kernel, error);
    if (status == BL_OK)
        status = bl_session_run(bench->session, kernel, &dispatch, 1, &timing, error);
    if (status == BL_OK)
        status = bl_session_outputs(bench->session, &dispatch, halves, error);
    *base_bytes = (uint64_t)halves[1] << 32 | halves[0];
    return status;
}

/* The functions below make a plan's item from the starts. */

/* How many sub-groups per compute unit write to global memory simultaneously. The groups over which
 * ids range are one set; a launch repeats the set. Each set writes to a separate array if all
 * arrays together have at most MAX_WRITTEN_BYTES and fit on the device. */
enum { WRITING_SUB_GROUPS_PER_CU = 16 };
static const uint64_t MAX_WRITTEN_BYTES = 1024u << 20;

static enum bl_status read_reference(const struct bl_workload *workload, uint32_t rounds,
                                     uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* always 1: the runner multiplies linear sums by the rounds */
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

/* An upper bound for the bytes of all lines that one set of the expression's groups touches. The
 * bound counts, for each step, as many lines as the starts touch; but for all steps together at
 * most the lines from the smallest start to the last element of the last step. */
static uint64_t touched_bytes(const struct bl_try *try, const struct bl_machine *machine,
                              const struct bl_launch *launch)
{
    const uint64_t span = try->max - try->min + 1 + (launch->steps - 1) * (uint64_t)launch->step;
    const uint64_t between = span * launch->type->element_bytes / machine->line_bytes + 2;
    const uint64_t reached = try->touched_lines * launch->steps;
    return (reached < between ? reached : between) * machine->line_bytes;
}

/* Chooses the largest number of steps with which the data that the launch reads stay in the cache,
 * and the array fits on the device. With many steps, little of a round is arithmetic. */
static void choose_steps(const struct bl_try *try, const struct bl_try_setup *setup,
                         const struct bl_bench *bench, struct bl_launch *launch)
{
    const uint64_t cache_bytes = bench->machine->cache_bytes;
    const unsigned min = launch->steps;
    for (launch->steps = launch->unroll; launch->steps > min; launch->steps /= 2) {
        const bool in_cache = !cache_bytes || setup->memory == BL_MEMORY_LOCAL || setup->is_write ||
                              touched_bytes(try, bench->machine, launch) <= cache_bytes;
        if (in_cache && bl_launch_array_bytes(launch) <= try_max_bytes(setup, bench))
            return;
    }
}

/* Patterns in local memory are launched in one resident wave (machine.h). The wave occupies no more
 * local memory than the documented cases with their tiles of 8 KiB. If too few groups fit to hide
 * latency, a launched group runs 4 or 8 of the pattern's groups on one tile. Both numbers are
 * multiples of 4 because an NVIDIA compute unit divides its sub-groups among 4 schedulers: with
 * another number some schedulers would have more to do, and the launch would wait for them. */
enum {
    MIN_GROUPS_PER_LAUNCH_GROUP = 4,
    MAX_GROUPS_PER_LAUNCH_GROUP = 8,
    MAX_LAUNCH_GROUP_ITEMS = 256
};

/* Sets how many groups a launch of a pattern in local memory has, and how many of them one launched
 * group runs. */
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
    /* Round to whole sets of groups, and to whole launched groups. */
    const size_t sets = tiles / set;
    bl_set_groups(workload,
                  set * (sets > 0 ? sets : 1) * workload->replicas.groups_per_launch_group);
}

/* The distance, in elements, between the arrays to which sets of groups write; 0 if all sets share
 * one array. */
static size_t spread_of(const struct bl_try_setup *setup, const struct bl_bench *bench,
                        const struct bl_launch *launch, size_t sets)
{
    if (!setup->is_write || setup->memory != BL_MEMORY_GLOBAL)
        return 0;
    const uint64_t bytes = bl_launch_array_bytes(launch);
    const uint64_t own = (bytes / launch->type->element_bytes / launch->step + 1) * launch->step;
    const uint64_t all_bytes = sets * own * launch->type->element_bytes;
    const bool fits = all_bytes <= MAX_WRITTEN_BYTES && all_bytes <= try_max_bytes(setup, bench);
    return fits ? own : 0;
}

static void lay_out(const struct bl_try *try, const struct bl_try_setup *setup,
                    const struct bl_bench *bench, const struct bl_launch *planned,
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
    *launch = *planned;
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
    work->working_set_bytes = touched_bytes(try, bench->machine, launch);
    /* Banks do not limit the bytes written, because writes are merged on their way to memory. */
    if (setup->is_write)
        work->bytes_per_delivered = NAN;
    const uint64_t cache_bytes = bench->machine->cache_bytes;
    if (setup->memory == BL_MEMORY_GLOBAL && bench->machine->has_rule && cache_bytes &&
        work->working_set_bytes > cache_bytes)
        snprintf(workload->note, sizeof workload->note,
                 "touches up to %llu KiB, but the rule holds only for data that stay in %llu KiB",
                 (unsigned long long)(work->working_set_bytes >> 10),
                 (unsigned long long)(cache_bytes >> 10));
}

/* The number of elements that the indices of `try` and `contiguous` need. If the array is large
 * enough, the number is rounded up, so that many expressions share one kernel for the contiguous
 * access. */
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
    const struct bl_try *own = is_probed ?
    try : contiguous
        ;
    struct bl_launch launch = try_launch(setup, bench);
    launch.elements = elements_for(own, contiguous, setup);
    choose_steps(own, setup, bench, &launch);
    lay_out(own, setup, bench, &launch, &item->own);
    lay_out(contiguous, setup, bench, &launch, &item->baseline);
    bl_plan_check(item, bench->device);
    if (!is_probed) {
        item->status = BL_ROW_ERROR;
        item->own.work.working_set_bytes = 0;
    }
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
    bl_try_predict_like(bench, base_bytes, count, NULL, item);
}

void bl_try_predict_like(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                         const struct bl_plan_item *other, struct bl_plan_item *item)
{
    struct bl_workload *baseline = &item->baseline;
    if (other && other->baseline.launch.steps == baseline->launch.steps) {
        baseline->cost = other->baseline.cost;
        baseline->work.bytes_per_delivered = other->baseline.work.bytes_per_delivered;
        baseline->launch.base_bytes = other->baseline.launch.base_bytes;
    } else {
        predict(bench, base_bytes, count, baseline);
    }
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
                "there is no rule for writes of all compute units to the same lines; the next "
                "levels have rules for writes";
            return;
        }
}
