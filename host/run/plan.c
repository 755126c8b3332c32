/* Decides which cases are measured, in which work-group shapes, and whether the device has enough
 * memory for them. */
#include "run/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "run/runner.h"

const struct bl_case *bl_case_find(const struct bl_catalogue *catalogue, const char *id)
{
    for (size_t s = 0; s < catalogue->count; s++)
        for (size_t c = 0; c < catalogue->suites[s]->count; c++)
            if (strcmp(catalogue->suites[s]->cases[c].id, id) == 0)
                return &catalogue->suites[s]->cases[c];
    return NULL;
}

struct bl_shape bl_shape_of(enum bl_form form, unsigned lanes)
{
    unsigned side = 1; /* the smallest power of two whose square is at least `lanes` */
    while (side * side < lanes)
        side *= 2;
    const unsigned width = form == BL_FORM_WIDE     ? lanes / 2
                           : form == BL_FORM_SQUARE ? side
                           : form == BL_FORM_TALL   ? 2
                           : form == BL_FORM_COLUMN ? 1
                                                    : lanes;
    return (struct bl_shape){width, lanes / width};
}

/* The shape of the policy's first form with this many lanes. If the policy has a fixed group, a row
 * of that size. */
static struct bl_shape first_shape(const struct bl_shape_policy *policy, unsigned lanes)
{
    if (policy->group)
        return (struct bl_shape){policy->group, 1};
    return bl_shape_of((enum bl_form)(policy->forms & ~(policy->forms - 1)), lanes);
}

/* The number of compute units that is assumed if there is no device. The number matters only for
 * machines whose tag banks are chosen by a hash. For such machines bl_predict samples the launch's
 * requests, and the size of the launch depends on this number. For nvidia-hopper, the catalogue's
 * predictions differ by less than 0.3 % between 8 and 144 compute units. */
enum { MODEL_COMPUTE_UNITS = 8 };

const char *bl_sampling_words(const struct bl_machine *machine)
{
    return machine->has_rule && machine->tag_masks[0]
               ? " A hash chooses this machine's tag banks, so a prediction is the mean over "
                 "a sample of a launch's reads. 'run' launches as many groups as fit on the "
                 "device, so its sample differs, and its prediction differs by up to 0.3 %."
               : "";
}

struct builder {
    const struct bl_catalogue *catalogue;
    const struct bl_plan_filter *filter;
    const struct bl_machine *machine;
    const struct bl_device *device;
    struct bl_plan_item *items;
    size_t count, capacity;
    struct bl_error *error;
};

static bool is_selected(const struct bl_plan_filter *filter, const char *id)
{
    return bl_case_is_selected(id, filter->selectors, filter->selector_count);
}

static enum bl_status check_selector(const struct bl_catalogue *catalogue, const char *selector,
                                     struct bl_error *error)
{
    bool found = false;
    struct bl_nearest nearest = bl_nearest_begin(selector);
    for (size_t s = 0; s < catalogue->count; s++) {
        const struct bl_suite *suite = catalogue->suites[s];
        bl_nearest_offer(&nearest, suite->name);
        for (size_t c = 0; c < suite->count; c++) {
            found |= bl_selects(selector, suite->cases[c].id);
            bl_nearest_offer(&nearest, suite->cases[c].id);
        }
    }
    char meant[128];
    return found ? BL_OK
                 : bl_fail(error, BL_UNKNOWN_CASE,
                           "no case matches '%s'; 'bankline list' shows them all, and a glob "
                           "such as 'local/*' selects several%s",
                           selector, bl_did_you_mean(&nearest, meant));
}

/* Marks the workload as unsupported if its group's shape does not fit the device, or if it needs
 * more memory than the device has. */
static void check_limits(struct bl_workload *workload, const struct bl_device *device)
{
    if (!device)
        return;
    struct bl_error misfit;
    if (bl_check_shape(device, workload->launch.shape, &misfit) != BL_OK)
        bl_unsupported(workload, "%s", misfit.sentence);
    const struct bl_buffers *buffers = &workload->buffers;
    const uint64_t output_bytes = buffers->outputs * sizeof(uint32_t);
    const uint64_t bytes = buffers->data_bytes + output_bytes;
    const uint64_t largest =
        buffers->data_bytes > output_bytes ? buffers->data_bytes : output_bytes;
    if (buffers->local_bytes > device->local_bytes && !buffers->local_argument)
        bl_unsupported(workload,
                       "it needs %zu bytes of local memory, and a group has at most %" PRIu64,
                       buffers->local_bytes, device->local_bytes);
    if (largest > device->max_buffer_bytes)
        bl_unsupported(
            workload, "it needs a buffer of %" PRIu64 " bytes, and the device has at most %" PRIu64,
            largest, device->max_buffer_bytes);
    if (bytes > device->memory_bytes)
        bl_unsupported(workload,
                       "it needs %" PRIu64 " bytes of memory, and the device has %" PRIu64, bytes,
                       device->memory_bytes);
}

void bl_plan_check(struct bl_plan_item *item, const struct bl_device *device)
{
    check_limits(&item->own, device);
    check_limits(&item->baseline, device);
    const struct bl_workload *stopped_by =
        item->own.status != BL_ROW_OK ? &item->own : &item->baseline;
    item->status = stopped_by->status;
    snprintf(item->reason, sizeof item->reason, "%s", stopped_by->reason);
}

/* Whether the case's claim applies to groups of this shape. The shape must be the document's. For a
 * claim about banks, a shape whose requests have one lane per bank is enough. */
static bool is_claimed(const struct builder *builder, const struct bl_case *test_case,
                       struct bl_shape shape)
{
    const struct bl_machine *machine = builder->machine;
    const unsigned own = test_case->shapes.claim_lanes, items = shape.x * shape.y;
    unsigned lanes = own ? own : builder->catalogue->claim_lanes;
    if (test_case->claim_is_of_banks && machine->has_rule) {
        lanes = machine->banks;
        if ((items < machine->lanes ? items : machine->lanes) != lanes)
            return false;
    }
    const struct bl_shape claimed = first_shape(&test_case->shapes, lanes);
    return test_case->claim > 0 && shape.x == claimed.x && shape.y == claimed.y;
}

static double clocks_per_unit(const struct bl_workload *workload)
{
    const struct bl_work *work = &workload->work;
    return workload->cost.clocks * (isfinite(work->requests) ? work->requests / work->units : 1);
}

double bl_predicted_ratio(const struct bl_workload *own, const struct bl_workload *baseline)
{
    return clocks_per_unit(baseline) / clocks_per_unit(own);
}

static struct bl_workload laid_out_for(const struct bl_workload *workload,
                                       const struct bl_machine *machine)
{
    struct bl_setting setting = workload->setting;
    struct bl_workload other;
    setting.machine = machine;
    setting.test_case->lay_out(&setting, &other);
    return other;
}

/* If the item's cost depends on banks that are not known for certain, fills in the prediction by
 * each of the machine's alternatives. */
static void predict_alternatives(const struct bl_machine *machine, struct bl_plan_item *item)
{
    item->alternative_count = 0;
    if (item->own.cost.why_none != bl_banks_are_unknown &&
        item->baseline.cost.why_none != bl_banks_are_unknown)
        return;
    for (unsigned i = 0; i < bl_machine_alternatives(machine); i++) {
        const struct bl_machine one = bl_machine_alternative(machine, i);
        const struct bl_workload own = laid_out_for(&item->own, &one);
        const struct bl_workload baseline = laid_out_for(&item->baseline, &one);
        item->alternatives[item->alternative_count++] = (struct bl_alternative){
            machine->banks_alternatives[i], bl_predicted_ratio(&own, &baseline)};
    }
}

static enum bl_status add_item(struct builder *builder, const struct bl_case *test_case,
                               struct bl_shape shape)
{
    const struct bl_case *baseline = bl_case_find(builder->catalogue, test_case->baseline);
    if (!baseline)
        return bl_fail(builder->error, BL_UNKNOWN_CASE,
                       "the baseline of case '%s' is '%s', but there is no such case",
                       test_case->id, test_case->baseline);
    struct bl_plan_item *item =
        bl_array_append(&builder->items, &builder->count, &builder->capacity, sizeof *item);
    if (!item)
        return bl_fail(builder->error, BL_NO_MEMORY, "out of memory while making the plan");
    const struct bl_device *device = builder->device;
    struct bl_setting setting = {
        .test_case = test_case,
        .machine = builder->machine,
        .device = device,
        .compute_units = device ? device->compute_units : MODEL_COMPUTE_UNITS,
        .shape = shape,
        .quick = builder->filter->quick,
    };
    item->test_case = test_case;
    item->claim = is_claimed(builder, test_case, shape) ? test_case->claim : NAN;
    test_case->lay_out(&setting, &item->own);
    /* A baseline with a fixed group size keeps that size. */
    const unsigned row = baseline->shapes.group;
    setting.test_case = baseline;
    setting.shape = (struct bl_shape){row ? row : shape.x * shape.y, 1};
    baseline->lay_out(&setting, &item->baseline);
    predict_alternatives(builder->machine, item);
    bl_plan_check(item, device);
    return item->status == BL_ROW_ERROR
               ? bl_fail(builder->error, BL_NO_MEMORY, "%s: %s", test_case->id, item->reason)
               : BL_OK;
}

static bool is_wanted(const struct bl_plan_filter *filter, const struct bl_case *test_case)
{
    if (filter->quick && test_case->skip_in_quick && filter->selector_count == 0)
        return false;
    return is_selected(filter, test_case->id);
}

/* Whether the case is measured in this form with this many lanes. */
static bool has_form(const struct builder *builder, const struct bl_shape_policy *policy,
                     unsigned form, unsigned lanes)
{
    if ((policy->widths == BL_NATIVE_WIDTH && lanes != builder->machine->lanes) ||
        (policy->widths == BL_GUIDE_WIDTH && lanes != builder->catalogue->claim_lanes))
        return false;
    const bool row_alone = builder->filter->quick && policy->forms & BL_FORM_ROW;
    return (row_alone ? BL_FORM_ROW : policy->forms) & form;
}

/* Adds the items of a suite: every form at the documents' width and at the machine's width, then
 * the cases with a fixed group size. */
static enum bl_status add_sweep(struct builder *builder, const struct bl_suite *suite)
{
    const unsigned widths[] = {builder->catalogue->claim_lanes, builder->machine->lanes};
    enum bl_status status = BL_OK;
    for (size_t w = 0; w < (widths[0] == widths[1] ? 1 : 2); w++)
        for (unsigned form = 1; form < 1u << BL_FORM_COUNT; form *= 2)
            for (size_t c = 0; c < suite->count && status == BL_OK; c++) {
                const struct bl_case *test_case = &suite->cases[c];
                if (has_form(builder, &test_case->shapes, form, widths[w]) &&
                    is_wanted(builder->filter, test_case))
                    status =
                        add_item(builder, test_case, bl_shape_of((enum bl_form)form, widths[w]));
            }
    for (size_t c = 0; c < suite->count && status == BL_OK; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        if (test_case->shapes.group && is_wanted(builder->filter, test_case))
            status = add_item(builder, test_case, first_shape(&test_case->shapes, 0));
    }
    return status;
}

/* Adds the items of a suite in the shape of --shape. A case that takes no --shape is omitted, or
 * skipped with a reason if it was selected. */
static enum bl_status add_requested_shape(struct builder *builder, const struct bl_suite *suite)
{
    const struct bl_plan_filter *filter = builder->filter;
    enum bl_status status = BL_OK;
    for (size_t c = 0; c < suite->count && status == BL_OK; c++) {
        const struct bl_case *test_case = &suite->cases[c];
        const struct bl_shape_policy *policy = &test_case->shapes;
        if ((!policy->takes_shape && filter->selector_count == 0) ||
            !is_selected(filter, test_case->id))
            continue;
        if (policy->takes_shape) {
            status = add_item(builder, test_case, filter->shape);
            continue;
        }
        status = add_item(builder, test_case, first_shape(policy, builder->catalogue->claim_lanes));
        if (status != BL_OK)
            break;
        struct bl_plan_item *item = &builder->items[builder->count - 1];
        item->claim = NAN; /* the claim is about the case's shape, not the requested one */
        item->status = BL_ROW_SKIPPED;
        snprintf(item->reason, sizeof item->reason, "takes no --shape: its shapes are fixed");
    }
    return status;
}

enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error)
{
    *items = NULL;
    *count = 0;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < filter->selector_count && status == BL_OK; i++)
        status = check_selector(catalogue, filter->selectors[i], error);
    if (status == BL_OK && filter->shape.x) {
        status = bl_check_shape(device, filter->shape, error);
        if (status != BL_OK && device)
            bl_error_context(error, "%s", device->name);
    }
    struct builder builder = {catalogue, filter, machine, device, .error = error};
    for (size_t s = 0; s < catalogue->count && status == BL_OK; s++)
        status = filter->shape.x ? add_requested_shape(&builder, catalogue->suites[s])
                                 : add_sweep(&builder, catalogue->suites[s]);
    if (status == BL_OK) {
        *items = builder.items;
        *count = builder.count;
    } else {
        free(builder.items);
    }
    return status;
}

/* The functions below prepare measuring: they make arrays, and queue kernels to be built. */

enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error)
{
    *arrays = (struct bl_arrays){0};
    struct bl_dispatch *dispatches = calloc(2 * count + 1, sizeof *dispatches);
    if (!dispatches)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while placing %zu dispatches",
                       2 * count);
    const struct bl_plan_item *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].status == BL_ROW_OK) {
            first = first ? first : &items[i];
            dispatches[n++] = bl_dispatch_of(&items[i].own);
            dispatches[n++] = bl_dispatch_of(&items[i].baseline);
        }
    enum bl_status status = BL_OK;
    struct bl_error why = {0};
    if (first) {
        char suite[BL_SUITE_BYTES];
        bl_suite_of(first->test_case->id, suite);
        status = bl_session_place(bench->session, suite, dispatches, n,
                                  bench->quick ? BL_QUICK_PLACEMENTS : BL_PLACEMENTS,
                                  &arrays->placements, &why);
    }
    if (status == BL_OK)
        snprintf(arrays->why_fewer, sizeof arrays->why_fewer, "%.*s",
                 (int)sizeof arrays->why_fewer - 1, why.sentence);
    else if (error)
        *error = why;
    free(dispatches);
    return status;
}

void bl_queue_builds(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count)
{
    if (bench->device->type != BL_DEVICE_GPU)
        return;
    struct bl_kernel_source *sources = calloc(2 * count + 1, sizeof *sources);
    size_t n = 0;
    for (size_t i = 0; i < count && sources; i++)
        if (items[i].status == BL_ROW_OK) {
            sources[n++] = bl_source_of(&items[i].baseline.build);
            sources[n++] = bl_source_of(&items[i].own.build);
        }
    if (n > 0)
        bl_session_queue_builds(bench->session, sources, n);
    free(sources);
}
