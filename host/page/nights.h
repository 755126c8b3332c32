/* The rows of a card over its last runs, and the change points of their ratios. */
#ifndef BANKLINE_PAGE_NIGHTS_H
#define BANKLINE_PAGE_NIGHTS_H

#include "page/plot.h"
#include "report/compare.h"
#include "report/row.h"

enum { BL_NIGHT_PICTURES = 6, BL_NIGHT_CHANGES = 20 };

struct bl_night_series {
    struct bl_row_key key;
    struct bl_points points; /* a point per measurement of the row since its kernels last changed */
    size_t changes[BL_NIGHT_CHANGES]; /* indices of the change points, oldest first */
    size_t change_count;
    double last_step; /* latest change of the typical ratio, after / before - 1; NAN if there is no
                         change */
};

struct bl_nights {
    struct bl_night_series *all;
    size_t count, capacity;
    struct bl_page_curve curves[BL_NIGHT_PICTURES];
    size_t curve_count;
    /* comparison of the typical run with the last run, or NULL; borrowed */
    const struct bl_comparison *comparison;
    size_t runs; /* number of runs from which the typical run is computed */
};

/* Adds the series of a row: `count` earlier rows and their runs, oldest first; then the newest row
 * and its run. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_nights_add(struct bl_nights *nights, const struct bl_row points[],
                             const struct bl_run_info runs[], size_t count,
                             const struct bl_row *now, const struct bl_run_info *run,
                             struct bl_error *error);

/* Finds the change points (bl_change_points) whose step is at least `threshold`, a fraction. Sorts
 * the series by their latest step, the largest first. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_nights_search(struct bl_nights *nights, double threshold, struct bl_error *error);

/* Draws the series with change points, at most BL_NIGHT_PICTURES. If no series has a change point,
 * draws one series whose ratios are not all equal. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_nights_draw(struct bl_plotter *plotter, struct bl_nights *nights,
                              struct bl_error *error);

void bl_nights_free(struct bl_nights *nights);

#endif
