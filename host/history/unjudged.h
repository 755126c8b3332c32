/* For how long nobody could judge a row. */
#ifndef BANKLINE_HISTORY_UNJUDGED_H
#define BANKLINE_HISTORY_UNJUDGED_H

#include "report/compare.h"

/* Of a row: in how many comparisons one after the other, from the newest back, it was `unclear`. */
struct bl_unjudged {
    size_t runs;
    bool is_over; /* the one before them judged it, or there are as many as are counted */
};

/* Takes one more comparison into account, older than those before it. rows and unjudged are of the
 * newest run, sorted by key. `same`, `slower`, `faster` and `baseline-moved` are judgements, and a
 * row that was not there, had no number or nothing to be compared with is passed over. Counts up to
 * `enough`; returns how many rows are not over. */
size_t bl_unjudged_before(const struct bl_comparison *comparison, const struct bl_run_rows *newest,
                          size_t enough, struct bl_unjudged unjudged[]);

#endif
