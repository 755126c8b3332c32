/* The rows of a card over its last runs, and the changes of their level. */
#ifndef BANKLINE_PAGE_NIGHTS_H
#define BANKLINE_PAGE_NIGHTS_H

#include "page/plot.h"
#include "report/compare.h"

enum { BL_NIGHT_PICTURES = 6, BL_NIGHT_CHANGES = 20 };

struct bl_night_series {
    struct bl_row_key key;
    struct bl_points points; /* the runs that have a number and the same kernels as the last run */
    size_t changes[BL_NIGHT_CHANGES]; /* points at which a new level begins, oldest first */
    size_t change_count;
    double last_step; /* last change of the level, after / before - 1; NAN if there is none */
};

struct bl_nights {
    struct bl_night_series *all;
    size_t count, capacity;
    struct bl_page_curve curves[BL_NIGHT_PICTURES];
    size_t curve_count;
    /* comparison of the typical run with the last run, or NULL; not owned */
    const struct bl_comparison *comparison;
    size_t runs; /* number of runs from which the typical run is computed */
};

/* Adds the series of a row: `count` earlier rows with their runs, oldest first, and the newest row
 * with its run. Fails with BL_NO_MEMORY. */
enum bl_status bl_nights_add(struct bl_nights *nights, const struct bl_row points[],
                             const struct bl_run_info runs[], size_t count,
                             const struct bl_row *now, const struct bl_run_info *run,
                             struct bl_error *error);

/* Finds the changes of at least `threshold`, a fraction (bl_change_points defines a change), and
 * sorts the series by their last change, largest first. Fails with BL_NO_MEMORY. */
enum bl_status bl_nights_search(struct bl_nights *nights, double threshold, struct bl_error *error);

/* Draws the first series with changes. If no series has a change, draws one whose ratio can change.
 * Fails with BL_NO_MEMORY or BL_FILE_FAILED. */
enum bl_status bl_nights_draw(struct bl_plotter *plotter, struct bl_nights *nights,
                              struct bl_error *error);

void bl_nights_free(struct bl_nights *nights);

#endif
