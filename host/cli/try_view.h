/* Prints and draws the results of `try`: pictures and means of requests, the picture of --requests,
 * and the table and pictures of points. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "run/try_points.h"

/* Prints a picture of the costliest request of every expression that can run, with its limit and
 * what would help, then the means over all requests; only the means if is_brief. has_device: the
 * bench's device is real. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) with the costliest request of every trial whose item can
 * run, two in a row. The run must be planned from the trials. Returns BL_OK; BL_NO_MEMORY; BL_USAGE
 * for more than BL_MOST_TRY_REQUESTS requests, which would be too many to look at; or
 * BL_BAD_MACHINE if the machine has no rule for the requests. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

/* Prints a line for each point, with machine and shape if they differ. Machines without any
 * prediction have no lines. Below the table are the reasons, and the groups that are too large for
 * the devices. */
void bl_try_points_table(FILE *file, const struct bl_try_points *points);

/* Draws the points as SVG: predictions as lines, measurements with their intervals. The x axis
 * shows the first swept number, or else what differs between the points. */
void bl_try_points_svg(FILE *file, const struct bl_try_points *points);

/* Writes an HTML page with the picture and the table. */
void bl_try_points_html(FILE *file, const struct bl_try_points *points);

#endif
