/* The cards of a history, side by side: those that differ from the others of their model and
 * driver. */
#ifndef BANKLINE_HISTORY_OUTLIERS_H
#define BANKLINE_HISTORY_OUTLIERS_H

#include "history/database.h"
#include "report/fleet.h"

struct bl_outlier_search {
    const char *since; /* only runs from this time on; NULL: the 20 hours before the newest */
    const char *const *selectors; /* selectors of cases (bl_selects); empty: all */
    size_t selector_count;
    double least, least_speed; /* min differences of a ratio and of a speed that count: fractions */
    bool absolute;             /* whether to compare each row's own time too */
};

/* Fills the fleet from the runs of that time: for each card the median of its runs.
 *
 * Rows are compared where model, driver, key and kernels are the same, their ratios as logarithms.
 * A card is an outlier if it lies further from the median of the cards than chance explains (in all
 * comparisons together, in 1 of 100 fleets), and by at least `least`; its own interval counts too
 * if it is wider than the others'. What chance explains is learnt from all cards and rows
 * (measure/spread.h): a row's spread is at least the median spread of the rows, because a few cards
 * cannot show it row by row. BL_ODD_SPEED compares the median of a card's own times over all rows
 * with that of the others.
 *
 * BL_FILE_FAILED, BL_NO_MEMORY, BL_BAD_FORMAT. Free it with bl_fleet_free, whatever is returned.
 */
enum bl_status bl_history_outliers(struct bl_history *history,
                                   const struct bl_outlier_search *search, struct bl_fleet *fleet,
                                   struct bl_error *error);

/* One card's value of one row. */
struct bl_fleet_value {
    size_t model, card;
    size_t key; /* a number that identifies the row, the same for all cards */
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, error; /* logarithm; error: its standard deviation */
    double time, time_error;
};

/* Like bl_history_outliers for given values, which are reordered. keys: value.key is an index into
 * them. The fleet's models and cards are already set. BL_NO_MEMORY */
enum bl_status bl_fleet_search(struct bl_fleet *fleet, struct bl_fleet_value values[], size_t count,
                               const struct bl_row_key keys[],
                               const struct bl_outlier_search *search, struct bl_error *error);

#endif
