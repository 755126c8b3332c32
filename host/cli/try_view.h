/* Prints and draws the results of `try`: pictures and means of requests, the picture of --requests,
 * and the table and pictures of points. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "run/try_points.h"

/* Prints a picture of the costliest request of every expression that can run, with the request's
 * limit and what would help. Then prints the means over all requests. If is_brief, prints only the
 * means. If the machine has no rule, prints only a sentence that says so. has_device: whether the
 * bench's device is real (not bl_any_device). Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) with the costliest request of every trial whose item can
 * run, two in each row. The run must be planned from the trials. Returns BL_OK; BL_NO_MEMORY;
 * BL_USAGE for more than BL_MOST_TRY_REQUESTS requests, because the picture would become too long;
 * or BL_BAD_MACHINE if the machine has no rule for the requests. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

/* Prints a line for each point. The columns machine and shape are shown only if they differ between
 * points. Machines without any prediction have no lines. Prints, below the table, why predictions
 * are missing, and which groups are too large for the machines' devices. */
void bl_try_points_table(FILE *file, const struct bl_try_points *points);

/* Draws the points as SVG: predictions as lines (as circles without a sweep), measurements as
 * squares with their intervals. The x axis shows the numbers of the sweep's first braces; without a
 * sweep, the first of name, shape and machine that differs. */
void bl_try_points_svg(FILE *file, const struct bl_try_points *points);

/* Writes an HTML page with the picture and the table. */
void bl_try_points_html(FILE *file, const struct bl_try_points *points);

#endif
