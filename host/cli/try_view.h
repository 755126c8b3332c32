/* What `try` prints and draws: pictures and means of requests, the picture of --requests, and the
 * table and pictures of points. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "report/run.h"
#include "run/trials.h"

/* Prints a picture of the costliest request of every expression that can run, with its limit and
 * what would help, then the means over all requests; only the means if is_brief. has_device: the
 * bench's device is real. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) with the costliest request of every trial whose item can
 * run, two in a row. The run must be planned from the trials. BL_OK; BL_NO_MEMORY; BL_USAGE for
 * more than BL_MOST_TRY_REQUESTS requests, which would be too many to look at; BL_BAD_MACHINE if
 * the machine has no rule for the requests. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

/* Points: the predictions and measurements of sweeps, of several shapes or of several machines, for
 * one table and one picture. */

struct bl_try_point {
    char *name; /* the trial's name, owned */
    const char
        *sweep; /* the text with braces from which the point was expanded, borrowed; or NULL */
    int64_t values[BL_MAX_BRACES];
    char machine[sizeof((struct bl_row_key *)0)->machine], shape[24];
    struct bl_mean_cost cost;
    double predicted, measured, measured_lo, measured_hi; /* NAN: unknown */
    char *why; /* why there is no prediction, owned; NULL if there is one */
    unsigned
        group_limit; /* largest group of the machine's devices, if the shape exceeds it; else 0 */
};

struct bl_try_points {
    struct bl_try_point *all;
    size_t count, capacity;
    char title[128]; /* what all points have in common */
};

/* Adds a point for each trial whose item can run. The run must be planned from the trials. BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_try_points_add(struct bl_try_points *points, const struct bl_trying *trying,
                                 struct bl_error *error);
void bl_try_points_free(struct bl_try_points *points);

/* Takes the measured ratios from the rows of the compute unit's cache. */
void bl_try_points_measured(struct bl_try_points *points, const struct bl_run_rows *rows);

/* Prints a line for each point, with machine and shape if they differ between points. Machines
 * without any prediction have no lines. Below the table are the reasons, and the groups that are
 * too large for the devices. */
void bl_try_points_table(FILE *file, const struct bl_try_points *points);

/* Draws the points as SVG: predictions as lines, measurements with their intervals. The x axis
 * shows the first swept number, or else what differs between the points. */
void bl_try_points_svg(FILE *file, const struct bl_try_points *points);

/* Writes an HTML page with the picture and the table. */
void bl_try_points_html(FILE *file, const struct bl_try_points *points);

#endif
