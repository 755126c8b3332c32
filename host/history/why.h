/* What the history says about a run that is worse than the ones before it. */
#ifndef BANKLINE_HISTORY_WHY_H
#define BANKLINE_HISTORY_WHY_H

#include "history/typical.h"
#include "report/cause.h"

/* The time of the run that was added to the history last before `now`, if that is later than now's
 * by the clock; else "". */
enum bl_status bl_history_later_run(struct bl_history *history, const struct bl_run_info *now,
                                    char later[64], struct bl_error *error);

/* Since when a row of the card of `now` has been at its level. */
struct bl_row_since {
    char first[32];            /* time of the first such run; "": `now` is it, or unknown */
    size_t runs;               /* number of runs at the level; 0: unknown */
    struct bl_run_info before; /* the run before, if runs is not 0 */
};
enum bl_status bl_history_row_since(struct bl_history *history, const struct bl_run_info *now,
                                    const struct bl_row_key *key, double threshold,
                                    struct bl_row_since *since, struct bl_error *error);

/* Whether cards of the same model differ from that of `now` in rows of these cases; *cards: how
 * many were compared, 0 where there are too few. */
enum bl_status bl_history_is_odd_card(struct bl_history *history, const struct bl_run_info *now,
                                      const char *const cases[], size_t count, bool *is_odd,
                                      size_t *cards, struct bl_error *error);

#endif
