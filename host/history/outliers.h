/* Finds the cards of a history that differ from other cards of the same model and driver, and
 * models whose cards form two groups. */
#ifndef BANKLINE_HISTORY_OUTLIERS_H
#define BANKLINE_HISTORY_OUTLIERS_H

#include "history/database.h"
#include "measure/stats.h"
#include "report/fleet.h"

struct bl_outlier_search {
    const char *since; /* use the medians of the runs since this time; NULL for the newest values in
                          the 20 hours before the newest run */
    const char *const *selectors; /* selectors of cases (bl_selects); empty: all cases */
    size_t selector_count;
    double least, least_speed; /* smallest difference that counts, a fraction: `least` of a ratio or
                                  a time, `least_speed` of a speed */
    bool absolute;             /* whether to compare each row's time (case_ns), too */
};

/* Fills the fleet from the runs that the search selects. If a card has several runs, its value for
 * a row is that of the newest run that has the row or, if `since` is set, the median over the runs
 * that have the row.
 *
 * The night begins 20 hours before the newest run. A run of only some cases (asked_for) counts as
 * the newest only if its card had no other run in the week before, or made such a run at least 20
 * hours earlier, or if at least four cards, and half of the model's cards with a run in that week,
 * made such a run in the last 20 hours.
 *
 * Rows of two cards are compared if model, driver, key and kernels are the same; ratios are
 * compared as logarithms. A card is an outlier if its value differs from the cards' median by at
 * least `least`, and by more than chance explains. The limit for chance is learnt from all cards
 * and rows (measure/spread.h). By chance alone, about 1 of 100 fleets has an outlier. If a card's
 * interval is wider than usual, its limit is wider, too. A row's spread is at least the median
 * spread of all rows, because a few cards do not show a row's whole spread. For BL_ODD_SPEED, a
 * card's speed in a row is the median time of all cards divided by the card's time; its speed is
 * the median over all rows.
 *
 * Fails with BL_FILE_FAILED, BL_NO_MEMORY or BL_BAD_FORMAT. Free the fleet with bl_fleet_free, even
 * after a failure. */
enum bl_status bl_history_outliers(struct bl_history *history,
                                   const struct bl_outlier_search *search, struct bl_fleet *fleet,
                                   struct bl_error *error);

/* The value of one row on one card. */
struct bl_fleet_value {
    size_t model, card;
    size_t key; /* index of the row's key; the same on all cards */
    size_t run; /* numbers a card's runs in order of time */
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, error; /* logarithm of the ratio, and its standard deviation */
    double time, time_error;
};

/* The values of a fleet. */
struct bl_fleet_values {
    struct bl_fleet_value *all;
    size_t count;
    const struct bl_row_key *keys; /* indexed by value.key */
    /* What each card's runs were asked for (bl_run_asked_for): a line for each different request.
     * A card lacks a row only if it was asked for the row, or if another card with the same
     * requests has the row. NULL: all cards were asked for all rows. */
    char *const *asked;
};

/* Like bl_history_outliers, but for the given values, which are reordered. The caller has set the
 * fleet's models and cards. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_fleet_search(struct bl_fleet *fleet, const struct bl_fleet_values *values,
                               const struct bl_outlier_search *search, struct bl_error *error);

/* The search for models whose cards form two groups, for example with two firmware versions. */

/* One row over the fleet: the range of its values (from first to end - 1), and the medians and
 * spreads of its ratios ([0]) and of its times ([1]). */
struct bl_fleet_part {
    size_t first, end;
    size_t cards[2]; /* number of cards with a ratio, and number of cards with a time */
    struct bl_usual usual[2];
    double error[2]; /* medians of the standard deviations of the cards' values */
};

/* Finds rows whose ratios split the cards of a model into the same two groups. Subtracts the
 * groups' difference from the ratios of these rows, so that each card is compared with the cards of
 * its own group. Also finds pairs of models that are the same device with different drivers and
 * that differ in many rows. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_fleet_find_groups(struct bl_fleet *fleet, struct bl_fleet_value values[],
                                    const struct bl_fleet_part parts[], struct bl_error *error);

#endif
