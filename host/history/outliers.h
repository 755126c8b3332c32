/* The cards of a history, side by side: which differs from the others of its model and driver. */
#ifndef BANKLINE_HISTORY_OUTLIERS_H
#define BANKLINE_HISTORY_OUTLIERS_H

#include "history/database.h"
#include "report/fleet.h"

struct bl_outlier_search {
    const char *since;            /* runs of this time on; NULL: the 20 hours before the newest */
    const char *const *selectors; /* of cases (bl_selects); none: all */
    size_t selector_count;
    double least, least_speed; /* differences of a ratio and of a speed that count: fractions */
    bool absolute;             /* also each row's own time */
};

/* Fills the fleet with what the runs of that time have: of each card the median of its runs.
 *
 * Rows are compared where model, driver, key and kernels are the same, their ratios as logarithms.
 * A card is an outlier where it lies further from the median of the cards than chance reaches in
 * all comparisons together in 1 of 100 fleets, and by `least`; its own interval, where that is
 * wider than the others', counts too. How far chance reaches is learnt from all cards and rows
 * (measure/spread.h): a row's own spread is taken for at least what rows have in the median, which
 * a few cards do not show row by row. BL_ODD_SPEED compares the median of a card's own times over
 * all rows with that of the others.
 *
 * BL_FILE_FAILED, BL_NO_MEMORY, BL_BAD_FORMAT. Free it with bl_fleet_free, whatever is returned. */
enum bl_status bl_history_outliers(struct bl_history *history,
                                   const struct bl_outlier_search *search, struct bl_fleet *fleet,
                                   struct bl_error *error);

/* A card's value of one row. */
struct bl_fleet_value {
    size_t model, card;
    size_t key; /* any number that names it, the same for all cards */
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, error; /* logarithms; error: a standard deviation */
    double time, time_error;
};

/* The same for given values, in any order, which is changed. keys: value.key is an index into them.
 * The fleet's models and cards are already set. BL_NO_MEMORY */
enum bl_status bl_fleet_search(struct bl_fleet *fleet, struct bl_fleet_value values[], size_t count,
                               const struct bl_row_key keys[],
                               const struct bl_outlier_search *search, struct bl_error *error);

#endif
