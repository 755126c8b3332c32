/* A card's rows over its last runs, and the changes of their level. */
#ifndef BANKLINE_PAGE_NIGHTS_H
#define BANKLINE_PAGE_NIGHTS_H

#include "page/plot.h"
#include "report/compare.h"

enum { BL_NIGHT_PICTURES = 6, BL_NIGHT_CHANGES = 20 };

struct bl_night_series {
    struct bl_row_key key;
    struct bl_points points;          /* runs with numbers and the last run's kernels */
    size_t changes[BL_NIGHT_CHANGES]; /* points at which a new level begins, oldest first */
    size_t change_count;
    double last_step; /* step of the level, after / before - 1; NAN without a change */
};

struct bl_nights {
    struct bl_night_series *all;
    size_t count, capacity;
    struct bl_page_curve curves[BL_NIGHT_PICTURES];
    size_t curve_count;
    /* comparison of the typical run with the last run; or NULL; borrowed */
    const struct bl_comparison *comparison;
    size_t runs; /* number of runs behind the typical one */
};

/* Adds the series of a row: `count` rows, oldest first, and their runs, and the row that is newer
 * than these, with its run. BL_NO_MEMORY */
enum bl_status bl_nights_add(struct bl_nights *nights, const struct bl_row points[],
                             const struct bl_run_info runs[], size_t count,
                             const struct bl_row *now, const struct bl_run_info *run,
                             struct bl_error *error);

/* Finds the changes of at least `threshold`, a fraction, and sorts the series by the last one, the
 * largest first (bl_change_points says what counts as one). BL_NO_MEMORY */
enum bl_status bl_nights_search(struct bl_nights *nights, double threshold, struct bl_error *error);

/* Draws the first of them; if none has a change, a row whose ratio can change. BL_NO_MEMORY,
 * BL_FILE_FAILED */
enum bl_status bl_nights_draw(struct bl_plotter *plotter, struct bl_nights *nights,
                              struct bl_error *error);

void bl_nights_free(struct bl_nights *nights);

#endif
