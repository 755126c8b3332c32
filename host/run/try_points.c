/* Collects what `try` predicted and measured for each trial. */
#include "run/try_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/run.h"

enum bl_status bl_try_costliest(const struct bl_trying *trying, size_t i,
                                struct bl_costliest *costliest, struct bl_error *error)
{
    const struct bl_machine *machine = trying->run->bench.machine;
    const struct bl_workload *own = &trying->run->items[i].own;
    const size_t *starts = trying->trials.all[i].try.starts;
    struct bl_pattern_explanation *explained = &costliest->explained;
    struct bl_launch launch = own->launch;
    launch.groups = own->replicas.start_count / bl_launch_group_items(&launch);
    const enum bl_status status = bl_explain_pattern(machine, &launch, starts, explained, error);
    if (status != BL_OK)
        return status;
    for (unsigned lane = 0; lane < explained->lanes; lane++)
        costliest->addresses_bytes[lane] =
            launch.base_bytes + starts[explained->first_item + lane] * launch.type->element_bytes;
    struct bl_part parts[BL_MAX_PARTS];
    bl_parts_of(machine, launch.memory, launch.is_write, launch.type, parts);
    costliest->request = (struct bl_request){
        .memory = launch.memory,
        .is_write = launch.is_write,
        .access_bytes = parts[0].bytes,
        .lanes = explained->lanes,
        .addresses_bytes = costliest->addresses_bytes,
    };
    return BL_OK;
}

unsigned bl_try_group_limit(const struct bl_machine *machine, struct bl_shape shape)
{
    const unsigned max_items = bl_machine_max_group_items(machine);
    return max_items && (uint64_t)shape.x * shape.y > max_items ? max_items : 0;
}

const char *bl_why_no_prediction(const struct bl_plan_item *item)
{
    const char *own = item->own.cost.why_none;
    return own ? own : item->baseline.cost.why_none;
}

enum bl_status bl_try_points_add(struct bl_try_points *points, const struct bl_trying *trying,
                                 struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    const struct bl_try_setup *setup = &trying->setup;
    for (size_t i = 0; i < trying->trials.count; i++) {
        const struct bl_trial *trial = &trying->trials.all[i];
        const struct bl_plan_item *item = &run->items[i];
        if (item->status != BL_ROW_OK)
            continue;
        struct bl_try_point *point =
            bl_array_append(&points->all, &points->count, &points->capacity, sizeof *point);
        const char *why = bl_why_no_prediction(item);
        char *name = point ? strdup(bl_trial_name(trial)) : NULL, *copy = why ? strdup(why) : NULL;
        if (!name || (why && !copy)) {
            free(name), free(copy);
            points->count -= point != NULL;
            return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu points", points->count);
        }
        *point = (struct bl_try_point){
            .name = name,
            .sweep = trial->sweep,
            .cost = item->own.cost,
            .predicted = bl_planned_row(item, run->bench.machine).predicted,
            .measured = NAN,
            .measured_lo = NAN,
            .measured_hi = NAN,
            .why = copy,
            .group_limit = bl_try_group_limit(run->bench.machine, setup->shape),
        };
        memcpy(point->values, trial->values, sizeof point->values);
        snprintf(point->machine, sizeof point->machine, "%s", run->bench.machine->name);
        snprintf(point->shape, sizeof point->shape, "%ux%u", setup->shape.x, setup->shape.y);
    }
    snprintf(points->title, sizeof points->title, "%s of %s in %s memory",
             setup->is_write ? "writes" : "reads", setup->type.name, bl_memory_name(setup->memory));
    return BL_OK;
}

void bl_try_points_free(struct bl_try_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        free(points->all[i].name), free(points->all[i].why);
    free(points->all);
    *points = (struct bl_try_points){0};
}

/* The first row of a case is for the compute unit's cache. Rows have the same order as the
 * trials. */
void bl_try_points_measured(struct bl_try_points *points, const struct bl_run_rows *rows)
{
    size_t row = 0;
    for (size_t i = 0; i < points->count; i++) {
        struct bl_try_point *point = &points->all[i];
        while (row < rows->count &&
               strcmp(rows->rows[row].key.case_id + strlen("try/"), point->name) != 0)
            row++;
        if (row == rows->count)
            return;
        point->measured = rows->rows[row].measured;
        point->measured_lo = rows->rows[row].measured_lo;
        point->measured_hi = rows->rows[row].measured_hi;
    }
}
