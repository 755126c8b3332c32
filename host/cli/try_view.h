/* The pictures and the means that `try` prints, and the picture of --requests. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "report/layout.h"
#include "run/try_points.h"

/* Prints, of every expression that can run, its costliest request as a picture, what limits it and
 * what would help, and the means over all requests; with is_brief those alone. has_device: the
 * bench's device is a real one. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

/* The last columns of tables of expressions: lines to clocks, and the predicted ratio. They get
 * their widths by bl_try_widen. */
enum { BL_TRY_MEANS = 6 };
extern const struct bl_layout_column bl_try_mean_columns[BL_TRY_MEANS];
void bl_try_mean_cells(const struct bl_mean_cost *cost, double predicted,
                       char texts[BL_TRY_MEANS][16], const char *cells[BL_TRY_MEANS]);

/* Makes columns as wide as these cells of a row, and their names, need. */
void bl_try_widen(struct bl_layout_column columns[], size_t count, const char *const cells[]);

/* Says that a group of this shape is a prediction only; nothing if the limit is 0. */
void bl_try_print_group_limit(FILE *file, const char *machine, const char *shape, unsigned limit);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) of the costliest request of every trial whose item can
 * run, two to a row; the run is that of the trials. BL_NO_MEMORY; BL_USAGE for more than
 * BL_MOST_TRY_REQUESTS of them, which would be too many to look at; BL_BAD_MACHINE: the machine has
 * no rule for them. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

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
