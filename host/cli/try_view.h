/* Prints and draws the results of `try`: pictures and means of requests, the picture of --requests,
 * and the table and pictures of points. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "model/access.h"
#include "run/try_points.h"

/* Pictures of requests as text. They show which lanes share a cache line and which share a bank.
 *
 *   lane 0               8               16              24
 *   line A A A A A A A A B B B B B B B B C C C C C C C C D D D D D D D D
 *   bank 0 4 8 c g k o s 0 4 8 c g k o s 0 4 8 c g k o s 0 4 8 c g k o s
 *   pass 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 4 4 4 4 4 4 4 4
 *
 * Lines get letters in the order in which lanes touch them. A lane's bank is the bank of the first
 * word that the lane accesses; lanes with the same bank in different passes conflict. */

/* Draws the request, 32 lanes per row. Draws nothing if the machine has no rule for it. */
void bl_picture(FILE *file, const struct bl_machine *machine, const struct bl_request *request);

/* Explains the rows of a picture, in lines of at most `width` characters. */
void bl_picture_legend(FILE *file, const struct bl_machine *machine, enum bl_memory memory,
                       unsigned width);

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
