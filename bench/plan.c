#include "plan.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Compute units assumed when there is no device; a prediction is a mean over requests and does
 * not depend on it. */
enum { MODEL_COMPUTE_UNITS = 8 };

struct builder {
    const struct bl_plan_wish *wish;
    const struct bl_machine *machine;
    const struct bl_device *device;
    struct bl_plan_item *items;
    size_t count, room;
};

static bool is_selected(const struct bl_plan_wish *wish, const char *id)
{
    for (size_t i = 0; i < wish->selector_count; i++)
        if (fnmatch(wish->selectors[i], id, 0) == 0)
            return true;
    return wish->selector_count == 0;
}

static enum bl_status check_selectors(const struct bl_plan_wish *wish, struct bl_error *error)
{
    size_t suite_count;
    const struct bl_suite *const *suites = bl_suites(&suite_count);
    for (size_t i = 0; i < wish->selector_count; i++) {
        bool found = false;
        for (size_t s = 0; s < suite_count; s++)
            for (size_t c = 0; c < suites[s]->count; c++)
                found |= fnmatch(wish->selectors[i], suites[s]->cases[c].id, 0) == 0;
        if (!found)
            return bl_fail(error, BL_UNKNOWN_CASE,
                           "no case matches '%s'; 'bankline list' shows them all, and a glob "
                           "such as 'local/*' selects several", wish->selectors[i]);
    }
    return BL_OK;
}

static bool shape_fits(const struct bl_device *device, struct bl_shape shape)
{
    return !device || ((size_t)shape.x * shape.y <= device->max_group_items &&
                       shape.x <= device->max_items[0] && shape.y <= device->max_items[1]);
}

static enum bl_status check_shape(const struct bl_plan_wish *wish, const struct bl_device *device,
                                  struct bl_error *error)
{
    if (wish->shape.x == 0 || shape_fits(device, wish->shape))
        return BL_OK;
    return bl_fail(error, BL_BAD_SHAPE,
                   "shape %ux%u does not fit %s: a group has at most %zu work-items there, at most "
                   "%zu in x and %zu in y", wish->shape.x, wish->shape.y, device->name,
                   device->max_group_items, device->max_items[0], device->max_items[1]);
}

/* Refuses what the device cannot run, before a driver could. */
static void check_item(struct bl_plan_item *item, const struct bl_device *device)
{
    const struct bl_shape shape = item->launch.shape;
    if (!device)
        return;
    if (!shape_fits(device, shape)) {
        item->status = BL_ROW_UNSUPPORTED;
        snprintf(item->reason, sizeof item->reason,
                 "a group of %ux%u does not fit: the device takes at most %zu work-items, at most "
                 "%zu in x and %zu in y", shape.x, shape.y, device->max_group_items,
                 device->max_items[0], device->max_items[1]);
        return;
    }
    const size_t local_bytes = item->launch.memory == BL_MEMORY_LOCAL
                                   ? bl_launch_array_elements(&item->launch) * BL_ELEMENT_BYTES
                                   : 0;
    if (local_bytes > device->local_bytes) {
        item->status = BL_ROW_UNSUPPORTED;
        snprintf(item->reason, sizeof item->reason,
                 "needs %zu bytes of local memory, and a group has at most %llu", local_bytes,
                 (unsigned long long)device->local_bytes);
    }
}

static struct bl_plan_item *add(struct builder *builder)
{
    if (builder->count == builder->room) {
        const size_t room = builder->room ? 2 * builder->room : 64;
        struct bl_plan_item *more = realloc(builder->items, room * sizeof *more);
        if (!more)
            return NULL;
        builder->items = more;
        builder->room = room;
    }
    return &builder->items[builder->count++];
}

static bool add_item(struct builder *builder, const struct bl_case *test_case,
                     struct bl_shape shape, bool is_claimed)
{
    struct bl_plan_item *item = add(builder);
    if (!item)
        return false;
    const struct bl_device *device = builder->device;
    const unsigned compute_units = device ? device->compute_units : MODEL_COMPUTE_UNITS;
    const struct bl_case *baseline = bl_case_find(test_case->baseline);
    const struct bl_shape row = {shape.x * shape.y, 1};
    *item = (struct bl_plan_item){
        .test_case = test_case,
        .baseline = baseline,
        .launch = bl_launch_for(builder->machine, test_case->memory, shape, compute_units),
        .baseline_launch = bl_launch_for(builder->machine, baseline->memory, row, compute_units),
        .claim = is_claimed && test_case->claim > 0 ? test_case->claim : NAN,
        .status = BL_ROW_OK,
    };
    check_item(item, device);
    return true;
}

static bool add_form(struct builder *builder, const struct bl_suite *suite, enum bl_form form,
                     unsigned lanes)
{
    for (size_t c = 0; c < suite->count; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        const bool kept = test_case->own_forms || !builder->wish->quick || form == BL_FORM_ROW;
        if (!(test_case->forms & form) || !kept || !is_selected(builder->wish, test_case->id))
            continue;
        const bool is_claimed = lanes == BL_GUIDE_LANES && form == test_case->claimed;
        if (!add_item(builder, test_case, bl_shape_of(form, lanes), is_claimed))
            return false;
    }
    return true;
}

/* Every form, at the guide's width and at the machine's own. */
static bool add_sweep(struct builder *builder, const struct bl_suite *suite)
{
    const unsigned widths[] = {BL_GUIDE_LANES, builder->machine->lanes};
    const size_t width_count = widths[0] == widths[1] ? 1 : 2;
    for (size_t w = 0; w < width_count; w++)
        for (unsigned f = 0; f < BL_FORM_COUNT; f++)
            if (!add_form(builder, suite, (enum bl_form)(1u << f), widths[w]))
                return false;
    return true;
}

static bool add_wished_shape(struct builder *builder, const struct bl_suite *suite)
{
    const struct bl_shape shape = builder->wish->shape;
    for (size_t c = 0; c < suite->count; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        if (!is_selected(builder->wish, test_case->id))
            continue;
        if (test_case->any_shape) {
            const struct bl_shape row = bl_shape_of(BL_FORM_ROW, BL_GUIDE_LANES);
            const bool is_claimed = test_case->claimed == BL_FORM_ROW && shape.x == row.x &&
                                    shape.y == row.y;
            if (!add_item(builder, test_case, shape, is_claimed))
                return false;
            continue;
        }
        for (unsigned f = 0; f < BL_FORM_COUNT; f++) {
            const enum bl_form form = (enum bl_form)(1u << f);
            if (!(test_case->forms & form))
                continue;
            if (!add_item(builder, test_case, bl_shape_of(form, BL_GUIDE_LANES), false))
                return false;
            struct bl_plan_item *item = &builder->items[builder->count - 1];
            item->status = BL_ROW_SKIPPED;
            snprintf(item->reason, sizeof item->reason,
                     "has a shape of its own; with --shape, shape/other measures this array in %ux%u",
                     shape.x, shape.y);
        }
    }
    return true;
}

enum bl_status bl_plan(const struct bl_plan_wish *wish, const struct bl_machine *machine,
                       const struct bl_device *device, struct bl_plan_item **items, size_t *count,
                       struct bl_error *error)
{
    *items = NULL;
    *count = 0;
    enum bl_status status = check_selectors(wish, error);
    if (status == BL_OK)
        status = check_shape(wish, device, error);
    if (status != BL_OK)
        return status;
    struct builder builder = {.wish = wish, .machine = machine, .device = device};
    size_t suite_count;
    const struct bl_suite *const *suites = bl_suites(&suite_count);
    bool added = true;
    for (size_t s = 0; s < suite_count && added; s++)
        added = wish->shape.x ? add_wished_shape(&builder, suites[s])
                              : add_sweep(&builder, suites[s]);
    if (!added) {
        free(builder.items);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the plan");
    }
    *items = builder.items;
    *count = builder.count;
    return BL_OK;
}
