/* Measures documented cases and compares them with the predictions of an inferred machine and of
 * the built-in one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/infer.h"
#include "report/run.h"
#include "run/measure_case.h"
#include "run/plan.h"

/* Suites about lines, banks and shapes. */
static const char *const suites[] = {"global", "lines", "shape", "local", "local-banks"};

struct plan {
    struct bl_plan_item *items;
    size_t count;
};

static enum bl_status make(const struct bl_catalogue *catalogue, const struct bl_device *device,
                           const struct bl_machine *machine, struct plan *plan,
                           struct bl_error *error)
{
    const struct bl_plan_filter filter = {suites, sizeof suites / sizeof suites[0], false, {0}};
    return bl_plan(catalogue, &filter, machine, device, &plan->items, &plan->count, error);
}

/* The prediction for this row by a plan's machine; NAN if the plan lacks the row or its prediction.
 */
static double predicted_of(const struct plan *plan, const struct bl_machine *machine,
                           const struct bl_row_key *key)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct bl_row row = bl_planned_row(&plan->items[i], machine);
        if (strcmp(row.key.case_id, key->case_id) == 0 && strcmp(row.key.shape, key->shape) == 0)
            return row.predicted;
    }
    return NAN;
}

static void add(struct bl_infer_distance *distance, const struct bl_row *row, double predicted)
{
    const double measured = bl_row_ratio(row).median, off = fabs(measured / predicted - 1);
    if (!isfinite(off))
        return;
    distance->mean = (distance->mean * distance->rows + off) / (distance->rows + 1);
    distance->rows++;
    if (off < distance->largest)
        return;
    distance->largest = off;
    snprintf(distance->worst, sizeof distance->worst, "%.60s %.16s", row->key.case_id,
             row->key.shape);
}

enum bl_status bl_infer_compare_cases(const struct bl_catalogue *catalogue, struct bl_bench *bench,
                                      const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error)
{
    /* The cases are laid out for one of the machines, and predicted by both. */
    const bool has_own = inferred->has_rule;
    const struct bl_machine *machine = has_own ? inferred : documented,
                            *other = has_own ? documented : inferred;
    struct bl_infer_distance *by_machine = has_own ? by_inferred : by_documented,
                             *by_other = has_own ? by_documented : by_inferred;
    struct plan own = {0}, others = {0};
    *by_inferred = *by_documented = (struct bl_infer_distance){0};
    if (!machine->has_rule)
        return BL_OK;
    enum bl_status status = make(catalogue, bench->device, machine, &own, error);
    if (status == BL_OK)
        status = make(catalogue, bench->device, other, &others, error);
    bench->machine = machine;
    if (status == BL_OK)
        bl_queue_builds(bench, own.items, own.count);
    for (size_t i = 0; i < own.count && status == BL_OK; i++) {
        struct bl_row row = bl_planned_row(&own.items[i], machine);
        struct bl_error failure = {0};
        if (row.status != BL_ROW_OK || !isfinite(row.predicted))
            continue;
        status = bl_measure_case(bench, &own.items[i], &row, &failure);
        free(row.sample_ratios);
        if (status == BL_OK) {
            add(by_machine, &row, row.predicted);
            add(by_other, &row, predicted_of(&others, other, &row.key));
        }
        if (status == BL_INTERRUPTED || status == BL_HANGS || status == BL_NO_MEMORY)
            *error = failure;
        else
            status = BL_OK;
    }
    free(own.items);
    free(others.items);
    return status;
}
