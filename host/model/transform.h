/* Transforms are changes of a program that may make its accesses cheaper, such as padding the rows
 * of an array or swapping x and y. They are applied to the addresses that the program accesses.
 *
 * Whether a transform helps is decided by the cost of the changed addresses. `try` applies
 * transforms to the starts of an expression, `trace` to the recorded accesses of a kernel. */
#ifndef BANKLINE_MODEL_TRANSFORM_H
#define BANKLINE_MODEL_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum bl_operation { BL_OPERATION_READ, BL_OPERATION_WRITE, BL_OPERATION_ATOMIC };

/* An access of one work-item. */
struct bl_access {
    uint32_t instruction; /* number of the instruction */
    /* Number of this execution of the instruction. Work-items that execute it together have the
     * same number. */
    uint32_t occurrence;
    uint32_t item; /* number of the work-item in its group, x fastest */
    uint32_t bytes;
    uint64_t address;          /* the upper bits are the buffer's number */
    uint8_t memory, operation; /* enum bl_memory; enum bl_operation */
};

/* Addresses are Oclgrind's: the bits from this one up are the buffer's number. */
enum { BL_BUFFER_BITS = 48 };

/* A step: all accesses of a group in one execution of an instruction. */
struct bl_step {
    const struct bl_access *accesses; /* sorted by item */
    size_t count;
};

/* Sorts by instruction, occurrence and item. */
void bl_accesses_sort(struct bl_access accesses[], size_t count);

/* Finds the next step in sorted accesses from index *at, and advances *at. Returns false after the
 * last step. */
bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at,
                  struct bl_step *step);

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;  /* the accesses to make cheaper; NULL: all */
    size_t local[3];     /* work-items of a group along x, y and z */
    unsigned line_bytes; /* line size of the machine */
};

/* Clocks by the model: of the accesses to make cheaper, of all accesses, and of the busiest stage
 * of a compute unit. */
struct bl_clocks {
    double own, all, stage;
};

typedef enum bl_status bl_clocks_function(void *context, const struct bl_access accesses[],
                                          size_t count, struct bl_clocks *clocks);

enum { BL_MAX_FIXES = 2 };

struct bl_fixes {
    struct bl_clocks now; /* clocks before any change */
    struct bl_fix {
        char words[160];         /* what to do: "pad each row of 32 elements by 1" */
        struct bl_clocks clocks; /* clocks after the change */
        double gain;             /* speed-up of the accesses to make cheaper, > 1 */
    } all[BL_MAX_FIXES];         /* from the easiest fix to the one with the largest gain */
    unsigned count;
};

/* The lists of transforms to try, each with the easiest first. */
enum bl_transforms {
    BL_TRANSFORMS_OF_LOCAL_PATTERN,
    BL_TRANSFORMS_OF_PATTERN,    /* patterns in global or constant memory */
    BL_TRANSFORMS_OF_LOCAL_LINE, /* lines of a traced program in local memory */
    BL_TRANSFORMS_OF_LINE
};

/* Tries each transform alone and keeps those with the largest gains; of about equal gains, the
 * easiest. The caller sets fixes->now, and clocks_of() computes the clocks after a transform.
 * BL_OK, also if nothing helps; BL_NO_MEMORY; any status of clocks_of. */
enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error);

#endif
