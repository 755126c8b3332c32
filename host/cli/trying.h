/* What `try` and a replayed trace share: expressions on their way from a run's device to its items.
 */
#ifndef BANKLINE_CLI_TRYING_H
#define BANKLINE_CLI_TRYING_H

#include "cli/measure.h"
#include "cli/trials.h"
#include "cli/try_levels.h"

struct bl_trying {
    struct bl_run *run; /* open, without items */
    const char *level;  /* whose rows are wanted; NULL: all */
    bool model_only;    /* nothing is measured */
    struct bl_try_setup setup;
    struct bl_trials trials;
    struct bl_try contiguous;
    struct bl_try_levels levels;
};

/* Finds the indices of every trial on the run's device and fills in the run's items, with their
 * predictions: those of the compute unit's cache, or of local or constant memory. A trial that
 * cannot be tried is told, and costs the others nothing; where it is the only one, and no file is
 * written, that is what this returns. As bl_try_probe. The struct must not move while the run
 * measures. */
enum bl_status bl_trying_plan(struct bl_trying *trying, struct bl_error *error);

/* Adds the items of further levels, and takes those of the cache away if they are not wanted. */
enum bl_status bl_trying_add_levels(struct bl_trying *trying, struct bl_error *error);

/* Frees the trials and what was laid out; not the run's items. */
void bl_trying_close(struct bl_trying *trying);

#endif
