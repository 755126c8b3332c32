/* What `try` predicts and measures, as points of one table and one picture: of a sweep, of several
 * shapes and of several machines. */
#ifndef BANKLINE_RUN_TRY_POINTS_H
#define BANKLINE_RUN_TRY_POINTS_H

#include "report/run.h"
#include "run/trials.h"

struct bl_try_point {
    char *name;        /* of the trial; owned */
    const char *sweep; /* the text with braces that it is of, borrowed; NULL: of none */
    int64_t values[BL_MAX_BRACES];
    char machine[sizeof((struct bl_row_key *)0)->machine], shape[24];
    struct bl_mean_cost cost;
    double predicted, measured, measured_lo, measured_hi; /* NAN: unknown */
    char *why;            /* why nothing is predicted; owned; NULL: something is */
    unsigned group_limit; /* of the machine's devices, if the shape exceeds it; else 0 */
};

struct bl_try_points {
    struct bl_try_point *all;
    size_t count, capacity;
    char title[128]; /* what all have in common */
};

/* Adds a point for each trial whose item can run; the run is that of the trials. BL_NO_MEMORY. */
enum bl_status bl_try_points_add(struct bl_try_points *points, const struct bl_trying *trying,
                                 struct bl_error *error);
void bl_try_points_free(struct bl_try_points *points);

/* Takes the measured ratios from the rows of the compute unit's cache. */
void bl_try_points_measured(struct bl_try_points *points, const struct bl_run_rows *rows);

/* The largest group that devices of the machine take, if the shape exceeds it; else 0. */
unsigned bl_try_group_limit(const struct bl_machine *machine, struct bl_shape shape);

/* Why an item has no prediction; NULL if it has one. Borrowed from the machine, or static. */
const char *bl_try_why_no_prediction(const struct bl_plan_item *item);

#endif
