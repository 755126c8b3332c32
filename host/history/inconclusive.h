/* For how many runs in a row a comparison with the history was inconclusive. */
#ifndef BANKLINE_HISTORY_INCONCLUSIVE_H
#define BANKLINE_HISTORY_INCONCLUSIVE_H

#include "history/database.h"
#include "report/compare.h"

/* For one row: the number of consecutive comparisons, from the newest back, in which it was
 * `unclear`. */
struct bl_inconclusive {
    size_t runs;
    bool is_over; /* an earlier run was conclusive, or the maximum is reached: older runs do not
                     matter */
};

/* Takes one more comparison into account, older than those before it. rows belong to the rows of
 * `newest`, sorted by key. `same`, `slower`, `faster` and `baseline-moved` are conclusive; a row
 * that was missing, had no number or nothing to be compared with is skipped. Counts up to `enough`;
 * returns how many rows are not over. */
size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[]);

/* In how many consecutive runs, `now` the last of them, each of now's rows was `unclear`
 * (measure/stats.h) when compared with the `max` runs before. Runs without the row, or with nothing
 * to compare it with, are skipped. At most `enough` runs are counted per row; counts has now->count
 * elements. Errors as of bl_history_typical; BL_NO_MEMORY. */
enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error);

#endif
