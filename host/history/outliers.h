/* Finds the cards of a history that differ from other cards of the same model and driver, and
 * models whose cards form two groups. */
#ifndef BANKLINE_HISTORY_OUTLIERS_H
#define BANKLINE_HISTORY_OUTLIERS_H

#include "history/database.h"
#include "measure/stats.h"
#include "report/fleet.h"

struct bl_outlier_search {
    const char *since; /* use the medians over the runs since this time; if NULL, use the newest
                          values of the last night */
    const char *const *selectors; /* selectors of cases (bl_selects); empty: all cases */
    size_t selector_count;
    double least, least_speed; /* smallest difference that counts, a fraction: `least` of a ratio or
                                  a time, `least_speed` of a speed */
    bool absolute;             /* whether to compare each row's time (case_ns), too */
};

/* Reads the runs that the search selects, and fills in the fleet with the cards and their outliers.
 * If several runs of a card have a row, the card's value is that of the newest of these runs or, if
 * `since` is set, the median over these runs.
 *
 * The last night begins 20 hours before the newest run. A run of only some cases (asked_for) may be
 * a single run that somebody made during the day, and would then hide the night before. So such a
 * run counts as the newest only if
 *   - its card had no other run in the week before it,
 *   - its card had a run of the same cases in that week, at least 20 hours earlier, or
 *   - many cards had a run of the same cases in the 20 hours before it: at least four cards, and at
 *     least half of the model's cards that had a run in that week.
 *
 * Rows of two cards are compared if model, driver, key and kernels are the same; ratios are
 * compared as logarithms. A card is an outlier if its value differs from the cards' median by at
 * least `least`, and by more than chance explains. The limit for chance is learnt from the model's
 * cards and rows (measure/spread.h). By chance alone, about 1 of 100 fleets has an outlier. A card
 * whose interval is wider than usual has a wider limit. A row's spread is at least the median
 * spread of the model's rows, because a few cards do not show a row's whole spread. For
 * BL_ODD_SPEED, a card's speed in a row is the median time of all cards divided by the card's time;
 * the card's speed is the median over all rows.
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
    size_t run; /* a number that increases with the time of the run */
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, error;     /* logarithm of the ratio, and the logarithm's standard deviation */
    double time, time_error; /* the same for case_ns; `time` is NAN if unknown */
};

/* The values of a fleet. */
struct bl_fleet_values {
    struct bl_fleet_value *all;
    size_t count;
    const struct bl_row_key *keys; /* indexed by value.key */
    /* What each card's runs were asked for (bl_run_asked_for): a line for each different request,
     * sorted. A row that a card lacks counts as missing only if the card was asked for the row, or
     * if another card with the same requests has the row. NULL: all cards were asked for all rows.
     */
    char *const *asked;
};

/* Like bl_history_outliers, but for the given values, which are reordered. Finds no absent cards,
 * and does not set `since`. The caller has set the fleet's models and cards. Returns BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_fleet_search(struct bl_fleet *fleet, const struct bl_fleet_values *values,
                               const struct bl_outlier_search *search, struct bl_error *error);

/* The search for models whose cards form two groups, for example with two firmware versions. */

/* One row over the cards of a model: the range of its values (from `first` to `end` - 1), and
 * figures of its ratios ([0]) and of its times ([1]). */
struct bl_fleet_part {
    size_t first, end;
    size_t cards[2];          /* number of cards with a ratio, and number of cards with a time */
    struct bl_usual usual[2]; /* of the logarithms */
    double error[2];          /* the cards' median of `error` and of `time_error` */
};

/* Finds models whose cards fall into the same two groups by the ratios of many rows. Subtracts the
 * groups' difference from the ratios of these rows, so that each card is compared with the cards of
 * its own group. Also finds pairs of models that are the same device with different drivers and
 * that differ in many rows. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_fleet_find_groups(struct bl_fleet *fleet, struct bl_fleet_value values[],
                                    const struct bl_fleet_part parts[], struct bl_error *error);

#endif
