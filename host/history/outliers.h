/* Finds the cards of a history that differ from the others of the same model and driver, and models
 * whose cards form two groups. */
#ifndef BANKLINE_HISTORY_OUTLIERS_H
#define BANKLINE_HISTORY_OUTLIERS_H

#include "history/database.h"
#include "measure/stats.h"
#include "report/fleet.h"

struct bl_outlier_search {
    const char *since; /* only runs since this time; NULL: from 20 hours before the newest run on */
    const char *const *selectors; /* selectors of cases (bl_selects); empty: all cases */
    size_t selector_count;
    double least,
        least_speed; /* smallest differences of a ratio and of a speed that count, fractions */
    bool absolute;   /* whether to compare each row's own time as well */
};

/* Fills the fleet from the runs that the search asks for. A card's value of a row is the median of
 * the card's runs.
 *
 * Rows are compared between cards if model, driver, key and kernels are the same; ratios are
 * compared as logarithms. A card is an outlier if it differs from the median of the cards by at
 * least `least` and by more than chance explains, which is learnt from all cards and rows
 * (measure/spread.h). Chance alone makes an outlier in 1 of 100 fleets. A card whose interval is
 * wider than the others' gets a wider limit. A row's spread is at least the median spread of all
 * rows, because few cards do not show each row's spread. For BL_ODD_SPEED, the median of a card's
 * own times over all rows is compared with the medians of the other cards' times.
 *
 * Fails with BL_FILE_FAILED, BL_NO_MEMORY or BL_BAD_FORMAT. Free the fleet with bl_fleet_free, even
 * after a failure. */
enum bl_status bl_history_outliers(struct bl_history *history,
                                   const struct bl_outlier_search *search, struct bl_fleet *fleet,
                                   struct bl_error *error);

/* The value of one row on one card. */
struct bl_fleet_value {
    size_t model, card;
    size_t key; /* identifies the row; the same for all cards */
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, error; /* logarithm of the ratio, and its standard deviation */
    double time, time_error;
};

/* Like bl_history_outliers, for given values, which it reorders. value.key is an index into keys.
 * The fleet's models and cards must be set. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_fleet_search(struct bl_fleet *fleet, struct bl_fleet_value values[], size_t count,
                               const struct bl_row_key keys[],
                               const struct bl_outlier_search *search, struct bl_error *error);

/* Detects models whose cards form two groups, for example with two firmware versions. */

/* One row over the fleet: the range of its values, and the medians and spreads of its ratios and of
 * its own times. */
struct bl_fleet_part {
    size_t first, end;
    size_t cards[2]; /* number of cards with a ratio, and with a time */
    struct bl_usual usual[2];
    double error[2]; /* median of the values' standard deviations */
};

/* Finds rows whose ratios split the cards of a model into the same two groups, and pairs of models
 * that have the same device but different drivers and differ in many rows. Subtracts the groups'
 * difference from the values of those rows, so that each card is compared with its own group.
 * Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_fleet_find_groups(struct bl_fleet *fleet, struct bl_fleet_value values[],
                                    const struct bl_fleet_part parts[], struct bl_error *error);

#endif
