/* What `try` predicts and measures, as points of one table and one picture: of a sweep, of several
 * shapes and of several machines. */
#ifndef BANKLINE_CLI_TRY_POINTS_H
#define BANKLINE_CLI_TRY_POINTS_H

#include <stdio.h>

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

/* A line for each point; machine and shape where they differ. Machines
 * without any prediction have no lines: below the table it says why, and which groups are too large
 * for the devices. */
void bl_try_points_table(FILE *file, const struct bl_try_points *points);

/* The points as SVG: predictions as lines, over the first number that is swept, else over what
 * differs, and measurements with their intervals. */
void bl_try_points_svg(FILE *file, const struct bl_try_points *points);

/* A page with the picture and the table. */
void bl_try_points_html(FILE *file, const struct bl_try_points *points);

#endif
