/* The table of points, and how they are collected; try_picture.c draws them. */
#include "cli/try_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/layout.h"

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
        char *name = point ? strdup(bl_trial_name(trial)) : NULL;
        if (!name) {
            points->count -= point != NULL;
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu points", points->count);
        }
        *point = (struct bl_try_point){
            .name = name,
            .sweep = trial->sweep,
            .cost = item->own.cost,
            .predicted = bl_planned_row(item, run->bench.machine).predicted,
            .measured = NAN,
            .measured_lo = NAN,
            .measured_hi = NAN,
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
        free(points->all[i].name);
    free(points->all);
    *points = (struct bl_try_points){0};
}

/* The first row of a case is that of the compute unit's cache; rows come in the trials' order. */
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

enum { MAX_NAME = 72 }; /* longer ones move the numbers */
enum { MACHINE, SHAPE, NAME, MEANS, PREDICTED = MEANS + 5, COLUMNS };

static const struct bl_layout_column columns[COLUMNS] = {
    [MACHINE] = {.name = "machine", .width = 20},
    [SHAPE] = {.name = "shape", .width = 7},
    [NAME] = {.name = "means over all requests", .width = 36, .min_width = 20},
    [MEANS] = {.name = "lines", .width = 7, .is_right = true},
    {.name = "sectors", .width = 7, .rank = 1, .is_right = true},
    {.name = "tags", .width = 6, .is_right = true},
    {.name = "banks", .width = 6, .is_right = true},
    {.name = "clocks", .width = 6, .is_right = true},
    [PREDICTED] = {.name = "predicted", .width = 9},
};

void bl_try_points_table(FILE *file, const struct bl_try_points *points)
{
    struct bl_layout_column used[COLUMNS];
    bool differ[2] = {false, false};
    for (size_t i = 1; i < points->count; i++) {
        differ[MACHINE] |= strcmp(points->all[i].machine, points->all[0].machine) != 0;
        differ[SHAPE] |= strcmp(points->all[i].shape, points->all[0].shape) != 0;
    }
    memcpy(used, columns, sizeof used);
    for (size_t i = 0; i < points->count; i++) {
        const unsigned width = bl_text_width(points->all[i].name);
        if (width > used[NAME].width)
            used[NAME].width = width < MAX_NAME ? width : MAX_NAME;
    }
    for (int c = MACHINE; c <= SHAPE; c++)
        if (!differ[c])
            used[c].width = 0;
    const struct bl_layout layout = bl_layout_for(used, COLUMNS, bl_line_width(file));
    if (points->count > 0)
        bl_print(file, "%s%s%s%s%s\n", points->title, differ[MACHINE] ? "" : ", machine ",
                 differ[MACHINE] ? "" : points->all[0].machine, differ[SHAPE] ? "" : ", groups of ",
                 differ[SHAPE] ? "" : points->all[0].shape);
    fputc('\n', file);
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        const double means[] = {point->cost.lines, point->cost.sectors, point->cost.tag_passes,
                                point->cost.bank_passes, point->cost.clocks};
        char texts[6][16];
        const char *cells[COLUMNS] = {
            [MACHINE] = point->machine, [SHAPE] = point->shape, [NAME] = point->name};
        for (int m = 0; m < 5; m++) {
            snprintf(texts[m], 16, isfinite(means[m]) ? "%.2f" : "-", means[m]);
            cells[MEANS + m] = texts[m];
        }
        cells[PREDICTED] = bl_format_ratio(point->predicted, texts[5]);
        bl_layout_row(&layout, file, cells);
    }
}
