#include "cli/infer_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/run.h"
#include "run/plan.h"
#include "suites.h"

static const char *const suites[] = {"global", "lines", "shape", "local", "local-banks"};

struct plan {
    struct bl_plan_item *items;
    size_t count;
};

static enum bl_status make(struct bl_run *run, const struct bl_machine *machine, struct plan *plan,
                           struct bl_error *error)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = suites,
                                          .selector_count = sizeof suites / sizeof suites[0]};
    return bl_plan(&catalogue, &filter, machine, run->bench.device, &plan->items, &plan->count,
                   error);
}

/* What a plan's machine predicts of this row; NAN: it has no such row, or no prediction. */
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

enum bl_status bl_infer_compare_cases(struct bl_run *run, const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error)
{
    struct plan own = {0}, other = {0};
    *by_inferred = *by_documented = (struct bl_infer_distance){0};
    const struct bl_machine *measured_as = inferred->has_rule ? inferred : documented;
    if (!measured_as->has_rule)
        return BL_OK;
    enum bl_status status = make(run, measured_as, &own, error);
    if (status == BL_OK)
        status = make(run, measured_as == inferred ? documented : inferred, &other, error);
    run->bench.machine = measured_as;
    if (status == BL_OK)
        bl_queue_builds(&run->bench, own.items, own.count);
    for (size_t i = 0; i < own.count && status == BL_OK; i++) {
        struct bl_row row = bl_planned_row(&own.items[i], measured_as);
        struct bl_error failure = {0};
        if (row.status != BL_ROW_OK || !isfinite(row.predicted))
            continue;
        status = bl_measure_case(&run->bench, &own.items[i], &row, &failure);
        free(row.sample_ratios);
        if (status == BL_OK) {
            const double by_other =
                predicted_of(&other, measured_as == inferred ? documented : inferred, &row.key);
            add(by_inferred, &row, measured_as == inferred ? row.predicted : by_other);
            add(by_documented, &row, measured_as == inferred ? by_other : row.predicted);
        }
        if (status == BL_INTERRUPTED || status == BL_HANGS || status == BL_NO_MEMORY)
            *error = failure;
        else
            status = BL_OK;
    }
    free(own.items);
    free(other.items);
    return status;
}
