/* Turns an index expression that the user typed into a plan's item. The expression is evaluated for
 * every work-item, checked against the array's size, and laid out together with the contiguous
 * access of the same type and shape.
 *
 * An expression's ids range over a few groups (by default 8, or 1 in local memory), so that its
 * data stay in the cache whose rule predicts the cost. A launch repeats these groups until the
 * device is full. */
#ifndef BANKLINE_RUN_TRY_H
#define BANKLINE_RUN_TRY_H

#include "run/measure_case.h"
#include "run/plan.h"

/* The minimum number of steps in a round. With fewer steps, a compiler could merge accesses. */
enum { BL_TRY_MIN_STEPS = 4 };

/* The user's settings. */
struct bl_try_setup {
    enum bl_memory memory; /* any memory but private */
    bool is_write;
    struct bl_type type;
    struct bl_shape shape; /* shape of a group; if x is 0, a row of the machine's lanes */
    /* the groups over which the ids range; if x is 0, 8x1, or 1x1 in local memory */
    struct bl_shape groups;
    /* indices must be below this number; 0 for as many elements as memory allows, but at most
     * 256 MiB of global memory */
    uint64_t array_elements;
};

struct bl_try {
    struct bl_case test_case; /* the case; its id is "try/" and the name */
    char id[448];
    struct bl_expression expression;
    const struct bl_lookup *lookup; /* the table that the expression may read, borrowed; or NULL */
    /* Set by bl_try_probe. */
    uint64_t *starts;       /* start elements, group by group, x fastest inside a group */
    uint64_t min, max;      /* smallest and largest start */
    uint64_t touched_lines; /* number of lines that the starts touch; 0 if not probed */
};

/* Parses the text. The trial's name is `name`, or the text if `name` is NULL. `lookup` is the table
 * that the text may read, or NULL. Close the trial even after a failure. test_case.id points into
 * the trial, so set it again if the trial moves in memory. Fails as bl_expression_parse does.
 */
enum bl_status bl_try_open(struct bl_try *try, const char *name, const char *text,
                           const struct bl_lookup *lookup, struct bl_error *error);
void bl_try_close(struct bl_try *try);

/* Like bl_try_open for recorded starts instead of an expression: work-item i, counted through all
 * groups, starts at starts[i], which is below 2^31. Groups have one dimension. */
enum bl_status bl_try_open_recorded(struct bl_try *try, const char *name, const uint64_t starts[],
                                    size_t count, struct bl_error *error);

/* Opens the trial of the contiguous access, with which all other accesses are compared. Its index
 * is the work-item's number, counted group by group; in local memory it is the number within the
 * group, because each group has its own array. */
enum bl_status bl_try_open_contiguous(struct bl_try *try, enum bl_memory memory,
                                      struct bl_error *error);

/* Fills in the defaults of the setup and checks the setup against the device. Fails with
 * BL_BAD_SHAPE or BL_USAGE. */
enum bl_status bl_try_settle(struct bl_try_setup *setup, const struct bl_bench *bench,
                             struct bl_error *error);

/* Computes the index of every work-item on the host, before any element is accessed. Makes no
 * OpenCL calls. Fills in the starts, the values that follow from them, and the table that kernels
 * read. Fails with BL_BAD_EXPRESSION if a work-item divides by zero, or the smallest number by -1;
 * with BL_OUT_OF_RANGE, and the work-item and its index in error, if an index is outside the array
 * or the lookup table; or with BL_NO_MEMORY. */
enum bl_status bl_try_probe(struct bl_try *try, const struct bl_try_setup *setup,
                            const struct bl_bench *bench, struct bl_error *error);

/* Returns the setting for laying out an expression. It borrows from `try` and bench. */
struct bl_setting bl_try_setting(const struct bl_try *try, const struct bl_try_setup *setup,
                                 const struct bl_bench *bench);

/* Lays out an expression and the contiguous access in one array that is large enough for both.
 * `try` and `contiguous` must live as long as the item. If the expression's probe failed, the item
 * cannot run, and the caller adds the reason. */
void bl_try_plan(const struct bl_try *try, const struct bl_try *contiguous,
                 const struct bl_try_setup *setup, const struct bl_bench *bench,
                 struct bl_plan_item *item);

/* Adds the model's prediction to an item that was laid out: the mean over `count` addresses of the
 * array. Afterwards the item's launches have the last of these addresses. */
void bl_try_predict(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                    struct bl_plan_item *item);

/* Like bl_try_predict, but takes the cost of the contiguous access from `other` if a round has
 * the same number of steps in both items. `other` is an item of the same setup that already has its
 * prediction, or NULL. */
void bl_try_predict_like(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                         const struct bl_plan_item *other, struct bl_plan_item *item);

/* For items whose array is as small as the compute unit's cache: removes the prediction of writes
 * to global memory, if the machine has rules for writes at the levels beyond that cache. All
 * compute units write the same lines of such an array, and no rule covers that. */
void bl_try_refuse_writes(const struct bl_machine *machine, struct bl_plan_item *item);

/* Asks the device for the address that an array of this size has at this placement, in kernels of
 * this setup. The address is 0 if the array is not in global memory. */
enum bl_status bl_try_address(const struct bl_try_setup *setup, const struct bl_bench *bench,
                              uint64_t data_bytes, unsigned placement, uint64_t *base_bytes,
                              struct bl_error *error);

#endif
