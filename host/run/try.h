/* A person's index expression on its way from text to a plan's item: computed for every work-item,
 * checked against the array, and laid out beside the contiguous access of the same type and shape.
 *
 * An expression's ids range over a few groups of their own (by default 8, or 1 in local memory), so
 * that its data stay in the cache by whose rule it is judged. A measurement launches these groups
 * again and again until the device is full.
 */
#ifndef BANKLINE_RUN_TRY_H
#define BANKLINE_RUN_TRY_H

#include "cl/session.h"
#include "run/measure_case.h"
#include "run/plan.h"

/* The minimum number of steps in a round; with fewer, a compiler could merge accesses. */
enum { BL_TRY_MIN_STEPS = 4 };

/* What a person asks for. */
struct bl_try_setup {
    enum bl_memory memory; /* not private */
    bool is_write;
    struct bl_type type;
    struct bl_shape shape;   /* of a group; x is 0: a row of the machine's lanes */
    struct bl_shape groups;  /* over which ids range; x is 0: 8x1, or 1x1 in local memory */
    uint64_t array_elements; /* indices must be below; 0: as many as memory allows, see try.c */
};

struct bl_try {
    struct bl_case test_case; /* its id is "try/" and the name */
    char id[448];
    struct bl_expression expression;
    /* From bl_try_probe. */
    uint64_t *starts; /* group by group, x fastest inside a group */
    uint64_t min, max;
    uint64_t touched_lines; /* at the starts; 0: not probed */
};

/* Parses the text and names it: `name`, or the text itself if name is NULL. Close it whatever is
 * returned; it must not move until then. BL_BAD_EXPRESSION as bl_expression_parse. */
enum bl_status bl_try_open(struct bl_try *try, const char *name, const char *text,
                           struct bl_error *error);
void bl_try_close(struct bl_try *try);

/* The same for recorded starts in place of an expression: work-item i, counted through all groups,
 * starts at starts[i], which is below 2^31. Groups have one dimension. */
enum bl_status bl_try_open_recorded(struct bl_try *try, const char *name, const uint64_t starts[],
                                    size_t count, struct bl_error *error);

/* The contiguous access that all are compared with: work-item after work-item, group after group;
 * in local memory, where each group has an array of its own, within the group. */
enum bl_status bl_try_open_contiguous(struct bl_try *try, enum bl_memory memory,
                                      struct bl_error *error);

/* Fills in what the setup leaves open; checks it against the device. BL_BAD_SHAPE, BL_USAGE. */
enum bl_status bl_try_settle(struct bl_try_setup *setup, const struct bl_bench *bench,
                             struct bl_error *error);

/* Computes the index of every work-item, on the host, before any element is accessed; asks OpenCL
 * nothing. Fills in starts and what is known of them, and the table that kernels read.
 * BL_BAD_EXPRESSION when a work-item divides by zero, BL_OUT_OF_RANGE when an index is negative or
 * outside the array, with the work-item and its index in error; BL_NO_MEMORY. */
enum bl_status bl_try_probe(struct bl_try *try, const struct bl_try_setup *setup,
                            const struct bl_bench *bench, struct bl_error *error);

/* Bytes that the array of the setup's memory may have on the device, steps beyond it included. */
uint64_t bl_try_max_bytes(const struct bl_try_setup *setup, const struct bl_bench *bench);

/* The launch of the setup's groups, once, without a place for the array yet. */
struct bl_launch bl_try_launch(const struct bl_try_setup *setup, const struct bl_bench *bench);

/* What an expression is laid out on; borrows from all three. */
struct bl_setting bl_try_setting(const struct bl_try *try, const struct bl_try_setup *setup,
                                 const struct bl_bench *bench);

/* Lays out an expression and the contiguous one, in an array that holds the indices of both. They
 * must live as long as the item. One whose probe failed becomes an item that cannot run, for which
 * the caller gives the reason. */
void bl_try_plan(const struct bl_try *try, const struct bl_try *contiguous,
                 const struct bl_try_setup *setup, const struct bl_bench *bench,
                 struct bl_plan_item *item);

/* Adds the model's prediction to an item that was laid out: the mean over arrays at these
 * addresses, one or more. The launch keeps the last address. */
void bl_try_predict(const struct bl_bench *bench, const uint64_t base_bytes[], size_t count,
                    struct bl_plan_item *item);

/* Removes the prediction of writes to an array as small as the compute unit's cache, if the machine
 * has rules for the levels beyond: all compute units write the same lines of so small an array, for
 * which there is no rule. */
void bl_try_refuse_writes(const struct bl_machine *machine, struct bl_plan_item *item);

/* Asks the device at which address an array of so many bytes lies at this placement for kernels of
 * this setup; 0 for one that is not in global memory. */
enum bl_status bl_try_address(const struct bl_try_setup *setup, const struct bl_bench *bench,
                              uint64_t data_bytes, unsigned placement, uint64_t *base_bytes,
                              struct bl_error *error);

#endif
