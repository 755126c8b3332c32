/* What `try` shows: the pictures and means that it prints, the picture of --requests, and the table
 * and pictures of points. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "report/run.h"
#include "run/trials.h"

/* Prints, of every expression that can run, its costliest request as a picture, what limits it and
 * what would help, and the means over all requests; with is_brief those alone. has_device: the
 * bench's device is a real one. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) of the costliest request of every trial whose item can
 * run, two to a row; the run is that of the trials. BL_NO_MEMORY; BL_USAGE for more than
 * BL_MOST_TRY_REQUESTS of them, which would be too many to look at; BL_BAD_MACHINE: the machine has
 * no rule for them. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

/* What `try` predicts and measures, as points of one table and one picture: of a sweep, of several
 * shapes and of several machines. */

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

/* A line for each point; machine and shape where they differ. Machines without any prediction
 * have no lines: below the table it says why, and which groups are too large for the devices. */
void bl_try_points_table(FILE *file, const struct bl_try_points *points);

/* The points as SVG: predictions as lines, over the first number that is swept, else over what
 * differs, and measurements with their intervals. */
void bl_try_points_svg(FILE *file, const struct bl_try_points *points);

/* A page with the picture and the table. */
void bl_try_points_html(FILE *file, const struct bl_try_points *points);

#endif
