/* Inside host/history only: what the parts of a search for outliers share. */
#ifndef BANKLINE_HISTORY_OUTLIERS_INSIDE_H
#define BANKLINE_HISTORY_OUTLIERS_INSIDE_H

#include "history/outliers.h"
#include "measure/outliers.h"

struct bl_outlier_searching {
    struct bl_fleet *fleet;
    struct bl_fleet_value *values;
    size_t count;
    const struct bl_row_key *keys;
    const struct bl_outlier_search *search;
    double chance;   /* of each kind of comparison */
    double *scratch; /* room for count */
    double *speeds;  /* sums become medians: of each card */
    struct bl_error *error;
};

/* BL_NO_MEMORY */
enum bl_status bl_outlier_add(struct bl_outlier_searching *searching,
                              const struct bl_outlier *outlier);

/* The median of a member of the values from first on, before `end`, those that are known; NAN:
 * none is. */
double bl_outlier_median(struct bl_outlier_searching *searching, size_t first, size_t end,
                         size_t offset);

/* How many spreads a value lies off. A card that was measured worse than the others has that on
 * top. */
double bl_outlier_spreads(const struct bl_usual *usual, double value, double error,
                          double usual_error);

/* Names cards that lack rows; the values are sorted by model and key. */
enum bl_status bl_outliers_missing(struct bl_outlier_searching *searching);

/* Names cards by their speed; the values' times are against the row's median, and their order
 * changes. */
enum bl_status bl_outliers_speed(struct bl_outlier_searching *searching);

#endif
