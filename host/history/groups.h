/* Detects models whose cards form two groups, for example with two firmware versions. */
#ifndef BANKLINE_HISTORY_GROUPS_H
#define BANKLINE_HISTORY_GROUPS_H

#include "history/outliers.h"
#include "measure/stats.h"

/* One row over the fleet: which values it has, and the median and spread of its ratio and of its
 * own time. */
struct bl_fleet_part {
    size_t first, end;
    size_t cards[2]; /* cards with a ratio, cards with a time */
    struct bl_usual usual[2];
    double error[2]; /* median of the values' standard deviations */
};

/* Finds rows whose ratios split the cards of a model into the same two groups, and models that
 * differ in many rows and only in their driver. Subtracts the groups' common difference from the
 * values of those rows, so that each card is compared with its own group. BL_NO_MEMORY. */
enum bl_status bl_fleet_find_groups(struct bl_fleet *fleet, struct bl_fleet_value values[],
                                    const struct bl_fleet_part parts[], struct bl_error *error);

#endif
