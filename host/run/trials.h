/* Turns texts of expressions into a run's items, for `try` and for replayed traces. */
#ifndef BANKLINE_RUN_TRIALS_H
#define BANKLINE_RUN_TRIALS_H

#include "model/expression.h"
#include "run/level.h"
#include "run/run.h"
#include "run/try.h"

/* Sweeps. The text of a sweep stands for many texts, in the syntax of a shell's braces: {1,2,4} or
 * {16..33}. */

enum {
    BL_MAX_SWEPT = 20000, /* max number of texts in one sweep */
    BL_MAX_BRACES = 4
};

/* One text of a sweep, and the number that replaces each pair of braces. */
struct bl_swept {
    char text[BL_LONGEST_EXPRESSION + 1];
    int64_t values[BL_MAX_BRACES];
};

struct bl_sweep {
    struct bl_swept *all; /* all texts; the number of the last braces changes fastest */
    size_t count;         /* at least 1 */
    unsigned braces;      /* number of pairs of braces in the text */
};

/* Expands a text: {A..B} means all integers from A to B, {A..B..STEP} means every STEP-th of these,
 * and {A,B,C} means the listed integers. Free the sweep even after a failure. Returns BL_OK;
 * BL_BAD_EXPRESSION, with a sentence that quotes the braces; or BL_NO_MEMORY. */
enum bl_status bl_sweep_expand(const char *text, struct bl_sweep *sweep, struct bl_error *error);
void bl_sweep_free(struct bl_sweep *sweep);

/* The expressions given to `try`, on the command line and in a file of patterns. */

struct bl_trial {
    struct bl_try try;
    unsigned line; /* line in the file of patterns; 0 if the expression is from the command line */
    const char *sweep; /* if the trial was expanded from a text with braces, that text, borrowed;
                          else NULL */
    int64_t values[BL_MAX_BRACES]; /* the numbers that replace the sweep's braces */
    enum bl_status status;         /* result of bl_try_probe */
    char reason[768];              /* why the trial cannot run */
};

struct bl_trials {
    struct bl_trial *all;
    size_t count, capacity;
    size_t sweeps;                  /* number of expressions with braces */
    const struct bl_lookup *lookup; /* the table that expressions may read, borrowed; or NULL */
};

/* The NAME of the trial's case "try/NAME". */
const char *bl_trial_name(const struct bl_trial *trial);

/* Parses all texts before any is used: first those in the file `patterns`, which may be NULL, then
 * the expressions from the command line, whose braces are expanded. `lookup` is the table that
 * texts may read, or NULL.
 *
 * Fails with BL_BAD_EXPRESSION for an invalid expression on the command line, or with BL_USAGE for
 * one that is given twice. Fails with BL_BAD_FORMAT, with file and line, for an invalid expression
 * in the file, or a name that is invalid or already taken; and, without a line, for a file without
 * patterns. Also fails with BL_FILE_FAILED or BL_NO_MEMORY. Free the trials even after a failure.
 */
enum bl_status bl_trials_read(const char *patterns, const char *const expressions[], size_t count,
                              const struct bl_lookup *lookup, struct bl_trials *trials,
                              struct bl_error *error);
void bl_trials_free(struct bl_trials *trials);

/* The state in which trials become the items of a run, at all levels of memory. Before
 * bl_trying_plan, the caller sets the members from `run` to `trials`, and all later members to 0.
 */
struct bl_trying {
    struct bl_run *run; /* an open run without items */
    const char *level;  /* the level whose rows are wanted; NULL for all levels */
    bool model_only;    /* predict without measuring */
    /* Called for an expression that cannot be tried; the remaining expressions are still tried. If
     * NULL, the first such failure is returned instead. */
    void (*failed)(void *context, const char *name, const struct bl_error *failure);
    void *context;
    struct bl_try_setup setup;
    struct bl_trials trials;
    struct bl_try contiguous;
    bool in_cache; /* whether the first level has rows: the compute unit's cache, or local or
                      constant memory */
    bool wanted[BL_LEVELS]; /* for each level of the machine, whether it has rows */
    bool is_calibrated[BL_LEVELS];
    struct bl_rates rates;
    const struct bl_level *placed; /* the level for which the bench's arrays are laid out */
};

/* The device to predict for if no device is opened. Its limits allow everything that the model can
 * predict, except arrays in local memory larger than most GPUs allow per group. */
extern const struct bl_device bl_any_device;

/* Computes the array indices that every trial's expression gives, and fills in the run's items with
 * predictions for the compute unit's cache, or for local or constant memory. Fails with BL_USAGE if
 * the machine lacks the wanted level, or if the setup's memory or model_only excludes this level;
 * with BL_INTERRUPTED; and as bl_try_settle, bl_place and bl_try_address do. Fails as
 * bl_try_probe does for the contiguous access and, if `failed` is NULL, for a trial. *trying must
 * not move while the run measures. */
enum bl_status bl_trying_plan(struct bl_trying *trying, struct bl_error *error);

/* Adds the items of further levels, and removes the items of the compute unit's cache unless
 * in_cache is set. The cost of a level is measured during the run, before the first item that
 * depends on it. */
enum bl_status bl_trying_add_levels(struct bl_trying *trying, struct bl_error *error);

/* Frees the trials and the contiguous access, but not the run's items. */
void bl_trying_close(struct bl_trying *trying);

#endif
