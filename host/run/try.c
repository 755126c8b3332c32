#include "run/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/granules.h"

static const uint64_t DEFAULT_ARRAY_BYTES = 256u << 20; /* of global memory */
static const uint64_t MAX_WORK_ITEMS = 1u << 28;
static const uint64_t CONSTANT_ARRAY_BYTES = 64u << 10; /* what OpenCL promises at least */

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
                           struct bl_error *error)
{
    set_name(try, name ? name : text);
    return bl_expression_parse(text, &try->expression, error);
}

enum bl_status bl_try_open_contiguous(struct bl_try *try, enum bl_memory memory,
                                      struct bl_error *error)
{
    const char *within = "get_local_id(1) * get_local_size(0) + get_local_id(0)";
    const char *over = "(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * "
                       "get_local_size(0) * get_local_size(1) + "
                       "get_local_id(1) * get_local_size(0) + get_local_id(0)";
    return bl_try_open(try, "contiguous", memory == BL_MEMORY_LOCAL ? within : over, error);
}

void bl_try_close(struct bl_try *try)
{
    bl_expression_free(&try->expression);
    free(try->starts);
    try->starts = NULL;
}

struct bl_launch bl_try_launch(const struct bl_try_setup *setup, const struct bl_bench *bench)
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

uint64_t bl_try_max_bytes(const struct bl_try_setup *setup, const struct bl_bench *bench)
{
    const struct bl_device *device = bench->device;
    if (setup->memory == BL_MEMORY_CONSTANT)
        return CONSTANT_ARRAY_BYTES;
    return setup->memory == BL_MEMORY_LOCAL ? device->local_bytes
                                            : bl_max_array_bytes(device, &setup->type);
}

/* What an array may have beside the steps beyond it. */
static uint64_t max_elements(const struct bl_try_setup *setup, const struct bl_bench *bench)
{
    const struct bl_launch launch = bl_try_launch(setup, bench);
    const uint64_t beyond = (uint64_t)(launch.steps - 1) * launch.step;
    uint64_t bytes = bl_try_max_bytes(setup, bench);
    if (setup->memory == BL_MEMORY_GLOBAL && !setup->array_elements && DEFAULT_ARRAY_BYTES < bytes)
        bytes = DEFAULT_ARRAY_BYTES;
    const uint64_t elements = bytes / setup->type.element_bytes;
    return elements > beyond ? elements - beyond : 0;
}

static enum bl_status check_groups(const struct bl_try_setup *setup, const struct bl_device *device,
                                   struct bl_error *error)
{
    const uint64_t capacity = device->max_buffer_bytes / sizeof(uint64_t);
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
    enum bl_status status = bl_check_shape(device, setup->shape, error);
    if (status != BL_OK) {
        bl_error_context(error, "%s", device->name);
        return status;
    }
    if (setup->is_write && setup->memory == BL_MEMORY_CONSTANT)
        return bl_fail(error, BL_USAGE, "constant memory cannot be written to");
    if (setup->type.component_bytes == 8 && strcmp(setup->type.scalar, "double") == 0 &&
        !device->has_double)
        return bl_fail(error, BL_USAGE, "%s has no double", device->name);
    status = check_groups(setup, device, error);
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

/* "work-item (5,0) of group (2,0)" */
static void name_item(const struct bl_try_setup *setup, size_t item, char words[96])
{
    const size_t items = (size_t)setup->shape.x * setup->shape.y;
    const size_t group = item / items, local = item % items;
    snprintf(words, 96, "work-item (%zu,%zu) of group (%zu,%zu)", local % setup->shape.x,
             local / setup->shape.x, group % setup->groups.x, group / setup->groups.x);
}

static enum bl_status check_indices(struct bl_try *try, const struct bl_try_setup *setup,
                                    const uint64_t marks[], size_t items, struct bl_error *error)
{
    char who[96];
    try->min = UINT64_MAX;
    for (size_t item = 0; item < items; item++) {
        const uint64_t index = try->starts[item];
        if (marks[item] >> 2 != 2 * item + 1) {
            name_item(setup, item, who);
            return bl_fail(error, BL_WRONG_RESULT,
                           "%s of the probe left 0x%" PRIx64 " instead of 0x%zx: the device "
                           "does not run kernels as it should",
                           who, marks[item], 8 * item + 4);
        }
        if (marks[item] & (BL_FAULT_DIVISION | BL_FAULT_CONVERSION)) {
            name_item(setup, item, who);
            return bl_fail(error, BL_BAD_EXPRESSION, "%s %s", who,
                           marks[item] & BL_FAULT_DIVISION
                               ? "divides by zero (or the smallest number by -1)"
                               : "converts a number that is out of the integer's range, or NaN");
        }
        if (index >= setup->array_elements) {
            name_item(setup, item, who);
            return bl_fail(error, BL_OUT_OF_RANGE,
                           "%s has index %" PRId64 ", outside the array of %" PRIu64 " elements "
                           "(%s)",
                           who, (int64_t)index, setup->array_elements,
                           (int64_t)index < 0 ? "indices begin at 0"
                                              : "--array-elements gives it another size, --groups "
                                                "another range to the ids");
        }
        try->min = index < try->min ? index : try->min;
        try->max = index > try->max ? index : try->max;
    }
    return BL_OK;
}

enum bl_status bl_try_probe(struct bl_try *try, const struct bl_try_setup *setup,
                            const struct bl_bench *bench, struct bl_error *error)
{
    const struct bl_launch launch = bl_try_launch(setup, bench);
    const size_t items = bl_launch_items(&launch);
    char options[128];
    snprintf(options, sizeof options, "-DGROUPS_X=%u -DGROUPS_Y=%u -DREPLICA_SPREAD=0",
             setup->groups.x, setup->groups.y);
    const struct bl_kernel_source source = {"probe_expression.cl", "probe_expression", options,
                                            &try->expression};
    const struct bl_dispatch dispatch = {.shape = setup->shape, .groups = launch.groups};
    struct bl_kernel *kernel = NULL;
    enum bl_status status =
        bl_expression_check_double(&try->expression, bench->device->has_double, error);
    if (status == BL_OK)
        status = bl_session_kernel(bench->session, &source, &kernel, error);
    if (status == BL_BUILD_FAILED)
        status = bl_expression_blame(&try->expression, error);
    if (status != BL_OK)
        return status;
    uint64_t *marks = malloc(items * sizeof *marks);
    try->starts = malloc(items * sizeof *try->starts);
    if (!marks || !try->starts) {
        free(marks);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the indices of %zu work-items", items);
    }
    status = bl_session_probe(bench->session, kernel, &dispatch, try->starts, marks, error);
    if (status == BL_OK)
        status = check_indices(try, setup, marks, items, error);
    free(marks);
    if (status == BL_OK) /* from here on it counts as probed */
        try->touched_lines = bl_lines_touched(try->starts, items, setup->type.element_bytes,
                                              bench->machine->line_bytes);
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
