#include "run/plan.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Compute units assumed when there is no device; a prediction is a mean over requests and does
 * not depend on it. */
enum { MODEL_COMPUTE_UNITS = 8 };

struct builder {
    const struct bl_catalogue *catalogue;
    const struct bl_plan_filter *filter;
    const struct bl_machine *machine;
    const struct bl_device *device;
    struct bl_plan_item *items;
    size_t count, capacity;
};

static bool is_selected(const struct bl_plan_filter *filter, const char *id)
{
    for (size_t i = 0; i < filter->selector_count; i++)
        if (fnmatch(filter->selectors[i], id, 0) == 0)
            return true;
    return filter->selector_count == 0;
}

static enum bl_status check_selectors(const struct bl_catalogue *catalogue,
                                      const struct bl_plan_filter *filter, struct bl_error *error)
{
    const struct bl_suite *const *suites = catalogue->suites;
    const size_t suite_count = catalogue->count;
    for (size_t i = 0; i < filter->selector_count; i++) {
        bool found = false;
        for (size_t s = 0; s < suite_count; s++)
            for (size_t c = 0; c < suites[s]->count; c++)
                found |= fnmatch(filter->selectors[i], suites[s]->cases[c].id, 0) == 0;
        if (!found)
            return bl_fail(error, BL_UNKNOWN_CASE,
                           "no case matches '%s'; 'bankline list' shows them all, and a glob "
                           "such as 'local/*' selects several",
                           filter->selectors[i]);
    }
    return BL_OK;
}

static bool shape_fits(const struct bl_device *device, struct bl_shape shape)
{
    return !device || ((size_t)shape.x * shape.y <= device->max_group_items &&
                       shape.x <= device->max_items[0] && shape.y <= device->max_items[1]);
}

enum bl_status bl_check_shape(const struct bl_device *device, struct bl_shape shape,
                              struct bl_error *error)
{
    if (shape_fits(device, shape))
        return BL_OK;
    return bl_fail(error, BL_BAD_SHAPE,
                   "shape %ux%u does not fit %s: a group has at most %zu work-items there, at most "
                   "%zu in x and %zu in y",
                   shape.x, shape.y, device->name, device->max_group_items, device->max_items[0],
                   device->max_items[1]);
}

static struct bl_plan_item *add(struct builder *builder)
{
    if (builder->count == builder->capacity) {
        const size_t capacity = builder->capacity ? 2 * builder->capacity : 64;
        struct bl_plan_item *more = realloc(builder->items, capacity * sizeof *more);
        if (!more)
            return NULL;
        builder->items = more;
        builder->capacity = capacity;
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
    struct bl_setting setting = {
        .machine = builder->machine,
        .device = device,
        .compute_units = device ? device->compute_units : MODEL_COMPUTE_UNITS,
        .shape = shape,
        .quick = builder->filter->quick,
    };
    const struct bl_case *baseline = bl_case_find(builder->catalogue, test_case->baseline);
    *item = (struct bl_plan_item){
        .test_case = test_case,
        .claim = is_claimed && test_case->claim > 0 ? test_case->claim : NAN,
    };
    test_case->lay_out(test_case, &setting, &item->own);
    setting.shape = (struct bl_shape){shape.x * shape.y, 1};
    if (baseline->group) /* its own size of group is what the case is compared with */
        setting.shape.x = baseline->group;
    baseline->lay_out(baseline, &setting, &item->baseline);
    bl_check_limits(&item->own, device);
    bl_check_limits(&item->baseline, device);
    const struct bl_workload *stopped_by =
        item->own.status != BL_ROW_OK ? &item->own : &item->baseline;
    item->status = stopped_by->status;
    snprintf(item->reason, sizeof item->reason, "%s", stopped_by->reason);
    return item->own.status != BL_ROW_ERROR && item->baseline.status != BL_ROW_ERROR;
}

static bool is_wanted(const struct builder *builder, const struct bl_case *test_case)
{
    const struct bl_plan_filter *filter = builder->filter;
    if (filter->quick && test_case->skip_in_quick && filter->selector_count == 0)
        return false;
    return is_selected(filter, test_case->id);
}

static bool add_form(struct builder *builder, const struct bl_suite *suite, enum bl_form form,
                     unsigned lanes)
{
    for (size_t c = 0; c < suite->count; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        const bool kept = test_case->own_forms || !builder->filter->quick || form == BL_FORM_ROW;
        const bool has_width =
            (!test_case->native_width_only || lanes == builder->machine->lanes) &&
            (!test_case->guide_width_only || lanes == BL_GUIDE_LANES);
        if (!(test_case->forms & form) || !kept || !has_width || !is_wanted(builder, test_case))
            continue;
        const unsigned claim_lanes =
            test_case->claim_lanes ? test_case->claim_lanes : BL_GUIDE_LANES;
        const bool is_claimed = lanes == claim_lanes && form == test_case->claimed;
        if (!add_item(builder, test_case, bl_shape_of(form, lanes), is_claimed))
            return false;
    }
    return true;
}

/* Every form, at the guide's width and at the machine's own; then the cases that say themselves
 * how large their groups are. */
static bool add_sweep(struct builder *builder, const struct bl_suite *suite)
{
    const unsigned widths[] = {BL_GUIDE_LANES, builder->machine->lanes};
    const size_t width_count = widths[0] == widths[1] ? 1 : 2;
    for (size_t w = 0; w < width_count; w++)
        for (unsigned f = 0; f < BL_FORM_COUNT; f++)
            if (!add_form(builder, suite, (enum bl_form)(1u << f), widths[w]))
                return false;
    for (size_t c = 0; c < suite->count; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        const struct bl_shape shape = {test_case->group, 1};
        if (test_case->group && is_wanted(builder, test_case) &&
            !add_item(builder, test_case, shape, true))
            return false;
    }
    return true;
}

/* The shape in which a case runs first at the guide's width. */
static struct bl_shape first_shape(const struct bl_case *test_case)
{
    unsigned form = BL_FORM_ROW;
    while (test_case->forms && !(test_case->forms & form))
        form *= 2;
    return test_case->group ? (struct bl_shape){test_case->group, 1}
                            : bl_shape_of((enum bl_form)form, BL_GUIDE_LANES);
}

static bool add_requested_shape(struct builder *builder, const struct bl_suite *suite)
{
    const struct bl_shape shape = builder->filter->shape;
    for (size_t c = 0; c < suite->count; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        const bool left = !test_case->any_shape && builder->filter->selector_count == 0;
        if (left || !is_selected(builder->filter, test_case->id))
            continue;
        const struct bl_shape row = bl_shape_of(BL_FORM_ROW, BL_GUIDE_LANES);
        const bool is_claimed =
            test_case->claimed == BL_FORM_ROW && shape.x == row.x && shape.y == row.y;
        const struct bl_shape taken = test_case->any_shape ? shape : first_shape(test_case);
        if (!add_item(builder, test_case, taken, is_claimed))
            return false;
        struct bl_plan_item *item = &builder->items[builder->count - 1];
        if (test_case->any_shape)
            continue;
        item->status = BL_ROW_SKIPPED;
        snprintf(item->reason, sizeof item->reason, "has groups of its own and takes no --shape");
    }
    return true;
}

enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error)
{
    *items = NULL;
    *count = 0;
    enum bl_status status = check_selectors(catalogue, filter, error);
    if (status == BL_OK && filter->shape.x)
        status = bl_check_shape(device, filter->shape, error);
    if (status != BL_OK)
        return status;
    struct builder builder = {
        .catalogue = catalogue, .filter = filter, .machine = machine, .device = device};
    const struct bl_suite *const *suites = catalogue->suites;
    const size_t suite_count = catalogue->count;
    bool added = true;
    for (size_t s = 0; s < suite_count && added; s++)
        added = filter->shape.x ? add_requested_shape(&builder, suites[s])
                                : add_sweep(&builder, suites[s]);
    if (!added) {
        free(builder.items);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the plan");
    }
    *items = builder.items;
    *count = builder.count;
    return BL_OK;
}
