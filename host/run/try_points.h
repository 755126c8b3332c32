/* Collects what `try` predicted and measured for each trial: the costliest request with its
 * bottleneck, and points for the table and the picture of sweeps. */
#ifndef BANKLINE_RUN_TRY_POINTS_H
#define BANKLINE_RUN_TRY_POINTS_H

#include "model/predict.h"
#include "run/trials.h"

struct bl_run_rows;

/* The costliest request of a trial's groups. Do not move the struct: the request points into it. */
struct bl_costliest {
    struct bl_request request;
    uint64_t addresses_bytes[BL_MAX_LANES];
    struct bl_pattern_explanation explained; /* the request's bottleneck */
};

/* Finds the costliest request of trial i, whose item can run. Fails with BL_NO_MEMORY, or with
 * BL_BAD_MACHINE if the machine has no rule. */
enum bl_status bl_try_costliest(const struct bl_trying *trying, size_t i,
                                struct bl_costliest *costliest, struct bl_error *error);

/* Returns the size, in work-items, of the largest group that the machine's devices run, if the
 * shape exceeds it; else 0. */
unsigned bl_try_group_limit(const struct bl_machine *machine, struct bl_shape shape);

/* Why an item has no prediction; NULL if the item has a prediction. Borrowed from the machine, or
 * static. */
const char *bl_why_no_prediction(const struct bl_plan_item *item);

/* Predictions and measurements of `try`, as points of one table and one picture, for sweeps,
 * several shapes and several machines. */

struct bl_try_point {
    char *name;        /* name of the trial; owned */
    const char *sweep; /* if the point was expanded from a text with braces, that text, borrowed;
                          else NULL */
    int64_t values[BL_MAX_BRACES];
    char machine[sizeof((struct bl_machine *)0)->name], shape[24];
    struct bl_mean_cost cost;
    double predicted, measured, measured_lo, measured_hi; /* NAN if unknown */
    char *why;            /* why there is no prediction; owned; NULL if there is a prediction */
    unsigned group_limit; /* see bl_try_group_limit */
};

struct bl_try_points {
    struct bl_try_point *all;
    size_t count, capacity;
    char title[128]; /* title of the table and of the picture: operation, type, memory */
};

/* Adds a point for each trial whose item can run. The run must be planned from the trials. Fails
 * with BL_NO_MEMORY. */
enum bl_status bl_try_points_add(struct bl_try_points *points, const struct bl_trying *trying,
                                 struct bl_error *error);
void bl_try_points_free(struct bl_try_points *points);

/* Sets the points' measured ratios from the rows for the compute unit's cache. */
void bl_try_points_measured(struct bl_try_points *points, const struct bl_run_rows *rows);

#endif
