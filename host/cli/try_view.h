/* The pictures and the means that `try` prints, and the picture of --requests. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "report/layout.h"
#include "run/trials.h"

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

/* The largest group that devices of the machine take, if the shape exceeds it; else 0. */
unsigned bl_try_group_limit(const struct bl_machine *machine, struct bl_shape shape);

/* Says that a group of this shape is a prediction only; nothing if the limit is 0. */
void bl_try_print_group_limit(FILE *file, const char *machine, const char *shape, unsigned limit);

/* Why an item has no prediction; NULL if it has one. Borrowed from the machine, or static. */
const char *bl_try_why_no_prediction(const struct bl_plan_item *item);

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) of the costliest request of every trial whose item can
 * run, two to a row; the run is that of the trials. BL_NO_MEMORY; BL_USAGE for more than
 * BL_MOST_TRY_REQUESTS of them, which would be too many to look at; BL_BAD_MACHINE: the machine has
 * no rule for them. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

#endif
