/* Counts for how many consecutive runs the comparison with the history was inconclusive. */
#ifndef BANKLINE_HISTORY_INCONCLUSIVE_H
#define BANKLINE_HISTORY_INCONCLUSIVE_H

#include "history/database.h"
#include "report/compare.h"

/* For one row: in how many consecutive comparisons, counted back from the newest, it was `unclear`.
 */
struct bl_inconclusive {
    size_t runs;
    bool is_over; /* counting has ended: a run was conclusive, or the maximum is reached */
};

/* Adds a comparison that is older than those added before. rows[] belongs to the rows of `newest`,
 * which are sorted by key. `same`, `slower`, `faster` and `baseline-moved` are conclusive; a row
 * that is missing, has no number or cannot be compared is skipped. Counts up to `enough`; returns
 * the number of rows whose counting has not ended. */
size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[]);

/* Counts, for each row of `now`, in how many consecutive runs up to `now` it was `unclear`
 * (measure/stats.h), each run compared with the `max` runs before it. Runs without the row, or with
 * nothing to compare it with, are skipped. Counts at most `enough` runs per row; counts[] has
 * now->count elements. Fails as bl_history_typical does; BL_NO_MEMORY. */
enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error);

#endif
