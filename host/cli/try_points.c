/* The table of points, and how they are collected; try_picture.c draws them. */
#include "cli/try_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/try_view.h"
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
        const char *why = bl_try_why_no_prediction(item);
        char *name = point ? strdup(bl_trial_name(trial)) : NULL, *copy = why ? strdup(why) : NULL;
        if (!name || (why && !copy)) {
            free(name), free(copy);
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

enum { MACHINE, SHAPE, NAME, MEANS, COLUMNS = MEANS + BL_TRY_MEANS };

/* Whether anything is predicted for the point's machine; unless it is known why not, yes. */
static bool has_predictions(const struct bl_try_points *points, const struct bl_try_point *point)
{
    bool has = !point->why;
    for (size_t i = 0; i < points->count && !has; i++)
        has = !points->all[i].why && strcmp(points->all[i].machine, point->machine) == 0;
    return has;
}

/* Prints why there is no prediction, and which groups no device of a machine takes; each sentence
 * once, also if it holds for many points. */
static void print_remarks(FILE *file, const struct bl_try_points *points)
{
    const unsigned width = bl_line_width(file);
    bool has_blank_line = false;
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        bool is_first_why = point->why, is_first_limit = point->group_limit > 0;
        for (size_t k = 0; k < i && (is_first_why || is_first_limit); k++) {
            const struct bl_try_point *other = &points->all[k];
            if (strcmp(other->machine, point->machine) != 0)
                continue;
            is_first_why = is_first_why && (!other->why || strcmp(other->why, point->why) != 0);
            is_first_limit &= strcmp(other->shape, point->shape) != 0;
        }
        if (!has_blank_line && (is_first_why || is_first_limit))
            fputc('\n', file);
        has_blank_line |= is_first_why || is_first_limit;
        if (is_first_why && has_predictions(points, point))
            bl_put_paragraph(file, 0, 0, width, "machine %s: no prediction of %s: %s",
                             point->machine, point->name, point->why);
        else if (is_first_why)
            bl_put_paragraph(file, 0, 0, width, "machine %s: no predictions: %s", point->machine,
                             point->why);
        if (is_first_limit)
            bl_try_print_group_limit(file, point->machine, point->shape, point->group_limit);
    }
}

static void fill_cells(const struct bl_try_point *point, char texts[BL_TRY_MEANS][16],
                       const char *cells[COLUMNS])
{
    cells[MACHINE] = point->machine;
    cells[SHAPE] = point->shape;
    cells[NAME] = point->name;
    bl_try_mean_cells(&point->cost, point->predicted, texts, cells + MEANS);
}

void bl_try_points_table(FILE *file, const struct bl_try_points *points)
{
    struct bl_layout_column columns[COLUMNS] = {
        [MACHINE] = {.name = "machine"},
        [SHAPE] = {.name = "shape"},
        [NAME] = {.name = "means over all requests", .min_width = 12},
    };
    char texts[BL_TRY_MEANS][16];
    const char *cells[COLUMNS];
    memcpy(columns + MEANS, bl_try_mean_columns, sizeof bl_try_mean_columns);
    bool differ[2] = {false, false};
    for (size_t i = 1; i < points->count; i++) {
        differ[MACHINE] |= strcmp(points->all[i].machine, points->all[0].machine) != 0;
        differ[SHAPE] |= strcmp(points->all[i].shape, points->all[0].shape) != 0;
    }
    for (size_t i = 0; i < points->count; i++) {
        fill_cells(&points->all[i], texts, cells);
        bl_try_widen(columns, COLUMNS, cells);
    }
    for (int c = MACHINE; c <= SHAPE; c++)
        if (!differ[c])
            columns[c].width = 0;
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    if (points->count > 0)
        bl_print(file, "%s%s%s%s%s\n", points->title, differ[MACHINE] ? "" : ", machine ",
                 differ[MACHINE] ? "" : points->all[0].machine, differ[SHAPE] ? "" : ", groups of ",
                 differ[SHAPE] ? "" : points->all[0].shape);
    fputc('\n', file);
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < points->count; i++)
        if (has_predictions(points, &points->all[i])) {
            fill_cells(&points->all[i], texts, cells);
            bl_layout_row(&layout, file, cells);
        }
    print_remarks(file, points);
}
