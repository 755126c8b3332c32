/* For how many runs in a row a comparison with the history was inconclusive. */
#ifndef BANKLINE_HISTORY_INCONCLUSIVE_H
#define BANKLINE_HISTORY_INCONCLUSIVE_H

#include "history/database.h"
#include "report/compare.h"

/* Of a row: in how many consecutive comparisons, from the newest back, it was `unclear`. */
struct bl_inconclusive {
    size_t runs;
    bool is_over; /* the run before was judged, or the maximum is reached: no earlier run matters */
};

/* Takes one more comparison into account, older than those before it. rows are those of `newest`,
 * sorted by key. `same`, `slower`, `faster` and `baseline-moved` are judgements; a row that was not
 * there, had no number or nothing to be compared with is passed over. Counts up to `enough`;
 * returns how many rows are not over. */
size_t bl_inconclusive_before(const struct bl_comparison *comparison,
                              const struct bl_run_rows *newest, size_t enough,
                              struct bl_inconclusive rows[]);

/* In how many consecutive runs, `now` the last of them, each of now's rows was `unclear`
 * (measure/stats.h) when compared with the `max` runs before. Runs that did not have the row, or
 * nothing to compare it with, are passed over. Of each row at most `enough` runs are counted;
 * counts has room for now->count. As bl_history_typical; BL_NO_MEMORY. */
enum bl_status bl_history_inconclusive(struct bl_history *history, const struct bl_run_rows *now,
                                       size_t max, double threshold, size_t enough, size_t counts[],
                                       struct bl_error *error);

#endif
