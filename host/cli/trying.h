/* What `try` and a replayed trace share: expressions on their way from a run's device to its items.
 */
#ifndef BANKLINE_CLI_TRYING_H
#define BANKLINE_CLI_TRYING_H

#include "cli/command.h"
#include "cli/measure.h"
#include "run/level.h"
#include "run/try.h"

/* The expressions that `try` is given: on the command line, and in a file of patterns. */

struct bl_trial {
    struct bl_try try;
    unsigned line;         /* of the file; 0 on the command line */
    enum bl_status status; /* of its probe */
    char reason[768];      /* why it cannot run */
};

struct bl_trials {
    struct bl_trial *all;
    size_t count, capacity;
};

/* Takes all texts apart, those of the file `patterns`, which may be NULL, first, before anything is
 * done with one. BL_BAD_EXPRESSION for one of the command line; BL_BAD_FORMAT, with file and line,
 * for one of the file, for a name that is taken or no name, and for a file without patterns;
 * BL_FILE_FAILED. Free them whatever is returned. */
enum bl_status bl_trials_read(const char *patterns, const struct bl_arguments *expressions,
                              struct bl_trials *trials, struct bl_error *error);
void bl_trials_free(struct bl_trials *trials);

/* `try` at the levels of memory beyond the cache of a compute unit. */

struct bl_try_levels {
    bool in_cache;          /* rows of the compute unit's cache, or of local memory, are wanted */
    bool wanted[BL_LEVELS]; /* rows of the machine's levels */
    const struct bl_try *contiguous;
    const struct bl_try_setup *setup;
    struct bl_rates rates;
    bool is_calibrated[BL_LEVELS];
    const struct bl_level *placed; /* whose arrays are there */
};

struct bl_trying {
    struct bl_run *run; /* open, without items */
    const char *level;  /* whose rows are wanted; NULL: all */
    bool model_only;    /* nothing is measured */
    struct bl_try_setup setup;
    struct bl_trials trials;
    struct bl_try contiguous;
    struct bl_try_levels levels;
};

/* Finds the indices of every trial and fills in the run's items, with their
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
