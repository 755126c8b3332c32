/* What a level costs, measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/granules.h"
#include "run/level.h"
#include "run/plan.h"

enum { LONGEST_CAUSE = 160 }; /* characters */

/* How far a working set's cost may be from that of half of it, if both are at one level. */
static const double KNEE = 0.25;

/* Measures one contiguous workload, of a level, against another; the row has both their times. */
static enum bl_status measure(struct bl_bench *bench, struct bl_plan_item *item,
                              struct bl_rates *rates, struct bl_row *row, struct bl_error *error)
{
    *row = bl_planned_row(item, bench->machine);
    bl_plan_check(item, bench->device);
    if (item->status != BL_ROW_OK)
        return bl_fail(error, BL_USAGE, "%.150s", item->reason);
    enum bl_status status = bl_place(bench, item, 1, &bench->arrays, error);
    if (status == BL_OK)
        status = bl_measure_case(bench, item, row, error);
    const struct bl_arrays *arrays = &bench->arrays;
    const struct bl_level *level = item->own.level;
    if (arrays->why_fewer[0])
        snprintf(rates->remark[level - bench->machine->levels], sizeof rates->remark[0],
                 "%s was measured at %u placements only: %s", level->name, arrays->placements,
                 arrays->why_fewer);
    free(row->sample_ratios);
    row->sample_ratios = NULL;
    return status;
}

/* ns of a compute unit for a request, from those for a unit of work. */
static double request_ns(double unit_ns, const struct bl_workload *workload)
{
    return unit_ns * workload->work.units / workload->work.requests;
}

/* What a granule takes: of contiguous int, for narrower accesses wait for themselves; of writes, of
 * vectors of 4, for int is written 2 to 16 % slower. */
static enum bl_status measure_granule(struct bl_bench *bench, const struct bl_try *contiguous,
                                      const struct bl_try_setup *setup, unsigned level,
                                      struct bl_rates *rates, double *slower,
                                      struct bl_error *error)
{
    const uint64_t bytes = bl_level_bytes(bench->machine, bench->device, level);
    struct bl_try_setup unit = *setup;
    struct bl_try try = *contiguous;
    struct bl_plan_item item = {0}, half = {0};
    struct bl_row row;
    unit.type = setup->is_write ? bl_type_int4 : bl_type_int;
    const struct bl_launch launch = bl_try_launch(setup, bench);
    /* As of what is held against it: else its tiles would lie otherwise. */
    try.touched_lines = bl_lines_touched(try.starts, bl_launch_items(&launch),
                                         unit.type.element_bytes, bench->machine->line_bytes);
    enum bl_status status = bl_level_plan(&try, &try, &unit, bench, level, bytes, &item, error);
    if (status == BL_OK)
        status = bl_level_plan(&try, &try, &unit, bench, level, bytes / 2, &half, error);
    item.baseline = half.own;
    if (status == BL_OK)
        status = measure(bench, &item, rates, &row, error);
    if (status != BL_OK)
        return status;
    rates->granule_ns[level] = request_ns(row.case_ns, &item.own) / item.own.cost.charged[level];
    *slower = 1 / row.measured;
    return BL_OK;
}

/* What the contiguous access of the setup's type takes there, and a clock of the cache. */
static enum bl_status measure_contiguous(struct bl_bench *bench, const struct bl_try *contiguous,
                                         const struct bl_try_setup *setup, unsigned level,
                                         struct bl_rates *rates, struct bl_error *error)
{
    const uint64_t base = 0;
    struct bl_plan_item item = {0}, cached = {0};
    struct bl_row row;
    enum bl_status status =
        bl_level_plan(contiguous, contiguous, setup, bench, level,
                      bl_level_bytes(bench->machine, bench->device, level), &item, error);
    bl_try_plan(contiguous, contiguous, setup, bench, &cached);
    bl_try_predict(bench, &base, 1, &cached);
    item.baseline = cached.own;
    if (status == BL_OK)
        status = measure(bench, &item, rates, &row, error);
    if (status != BL_OK)
        return status;
    rates->contiguous_ns[level] = request_ns(row.case_ns, &item.own);
    rates->clock_ns = request_ns(row.baseline_ns, &cached.own) / cached.own.cost.clocks;
    return BL_OK;
}

/* A failure's sentence as it fits into a row's note: without the contexts that make it too long,
 * such as a kernel's options. */
static const char *cause(const struct bl_error *failure)
{
    const char *words = failure->sentence, *rest;
    while (strlen(words) > LONGEST_CAUSE && (rest = strstr(words, ": ")))
        words = rest + 2;
    return words;
}

enum bl_status bl_level_calibrate(struct bl_bench *bench, const struct bl_try *contiguous,
                                  const struct bl_try_setup *setup, unsigned level,
                                  struct bl_rates *rates, struct bl_error *error)
{
    const char *why_no_rule = bl_why_no_rule_of_level(bench->machine, level, setup->is_write);
    if (why_no_rule) {
        snprintf(rates->why_none[level], sizeof rates->why_none[level], "%s", why_no_rule);
        return BL_OK;
    }
    struct bl_error failure = {0};
    double slower = NAN;
    enum bl_status status =
        measure_granule(bench, contiguous, setup, level, rates, &slower, &failure);
    if (status == BL_OK)
        status = measure_contiguous(bench, contiguous, setup, level, rates, &failure);
    if (status == BL_INTERRUPTED || status == BL_NO_MEMORY || status == BL_HANGS) {
        *error = failure;
        return status;
    }
    char *why = rates->why_none[level];
    const size_t room = sizeof rates->why_none[level];
    const char *name = bench->machine->levels[level].name;
    if (status != BL_OK)
        snprintf(why, room, "what %s delivers could not be measured: %.*s", name, LONGEST_CAUSE,
                 cause(&failure));
    else if (fabs(slower - 1) > KNEE)
        snprintf(
            why, room,
            "the working set of %llu MiB is not at one level: half of it is %.2f times as fast",
            (unsigned long long)(bl_level_bytes(bench->machine, bench->device, level) >> 20),
            slower);
    return BL_OK;
}
