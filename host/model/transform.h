/* Transforms: changes of a program that may make its accesses cheaper (pad the rows of an array,
 * swap x and y, gather what is scattered, ...), applied to the addresses that it accesses.
 *
 * Only the cost of the changed addresses says whether a transform helps: `try` asks this of an
 * expression's starts, `trace` of the recorded accesses of a kernel, both with the same loop.
 */
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
    /* Number of this execution of the instruction: work-items that execute it together share one.
     */
    uint32_t occurrence;
    uint32_t item; /* the work-item's number in the group, x fastest */
    uint32_t bytes;
    uint64_t address;          /* address; the upper bits number the buffer */
    uint8_t memory, operation; /* enum bl_memory; enum bl_operation */
};

/* Oclgrind numbers buffers in the bits of an address from this one up. */
enum { BL_BUFFER_BITS = 48 };

/* All accesses of one group in one execution of one instruction. */
struct bl_step {
    const struct bl_access *accesses; /* sorted by item */
    size_t count;
};

/* Sorts by instruction, occurrence and item. */
void bl_accesses_sort(struct bl_access accesses[], size_t count);

/* The next step of sorted accesses, from *at, which is advanced. Returns false after the last step.
 */
bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at,
                  struct bl_step *step);

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;  /* which accesses are to become cheaper; NULL: all */
    size_t local[3];     /* work-items of a group along x, y and z */
    unsigned line_bytes; /* line size of the machine */
};

/* Clocks by the model: of the accesses that are to become cheaper, of all accesses, and of the
 * busiest stage of a compute unit. */
struct bl_clocks {
    double own, all, stage;
};

typedef enum bl_status bl_clocks_function(void *context, const struct bl_access accesses[],
                                          size_t count, struct bl_clocks *clocks);

enum { BL_MAX_FIXES = 2 };

struct bl_fixes {
    struct bl_clocks now; /* clocks of the accesses unchanged */
    struct bl_fix {
        char words[160];         /* what to do: "pad each row of 32 elements by 1" */
        struct bl_clocks clocks; /* clocks after the change */
        double gain;             /* clocks of the own accesses now / with the fix, > 1 */
    } all[BL_MAX_FIXES];         /* sorted from the easiest to the one that gains most */
    unsigned count;
};

/* Which transforms are tried, and in which order: the easiest first. */
enum bl_transforms {
    BL_TRANSFORMS_OF_LOCAL_PATTERN,
    BL_TRANSFORMS_OF_PATTERN,    /* patterns in other memory */
    BL_TRANSFORMS_OF_LOCAL_LINE, /* lines of a traced program in local memory */
    BL_TRANSFORMS_OF_LINE
};

/* Tries each transform by itself and keeps those that gain most; among about equal gains, the
 * easiest. The caller sets fixes->now; the function gives the clocks after a transform. BL_OK, also
 * if nothing helps; BL_NO_MEMORY; any status of the function. */
enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error);

#endif
