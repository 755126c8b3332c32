/* Transforms: changes of a program that may make its accesses cheaper (pad the rows of an array,
 * swap x and y, gather what is scattered, ...), applied to the addresses that it accesses.
 *
 * Only the cost of the changed addresses says whether a transform helps: `try` asks this of an
 * expression's starts, `trace` of the recorded accesses of a kernel, both with the same loop.
 */
#ifndef BANKLINE_MODEL_TRANSFORM_H
#define BANKLINE_MODEL_TRANSFORM_H

#include "base/status.h"
#include "model/array_layout.h"

/* Clocks by the model: of the array that is to become cheaper, of its costliest line, of all
 * accesses, and of the busiest stage of a compute unit. */
struct bl_clocks {
    double own, line, all, stage;
    /* If the machine's banks are not certain: the costliest line's clocks before / after the
     * change, from the least to the most that the alternatives give. Else unused. */
    double least_gain, most_gain;
};

/* The accesses after a transform. */
struct bl_changed_accesses {
    const struct bl_access *accesses; /* sorted */
    size_t count;
    bool is_whole; /* they are all accesses; else the array's alone, the others are as they were */
    const struct bl_array_layout *layout; /* NULL: the transform is none of the array's layout */
};

typedef enum bl_status bl_clocks_function(void *context, const struct bl_changed_accesses *change,
                                          struct bl_clocks *clocks);

enum { BL_MAX_FIXES = 2 };

struct bl_fixes {
    struct bl_clocks now; /* clocks of the accesses unchanged */
    /* Clocks that the instructions of the array's accesses take with another layout. Passes below
     * it gain nothing: layouts are compared as if they took as long. 0: unknown, or in `try`. */
    double issue_clocks;
    struct bl_fix {
        char words[192];               /* what to do: "pad each row of 32 elements by 1" */
        struct bl_array_layout layout; /* of the array; UNCHANGED: the fix is none of its layout */
        bool swaps_ids;                /* of all accesses (bl_swap_ids) */
        bool keeps_in_register;        /* elements that each work-item accesses repeatedly */
        struct bl_clocks clocks;       /* clocks after the change */
        double gain;                   /* clocks of the array now / with the fix, > 1 */
    } all[BL_MAX_FIXES]; /* sorted from the smallest change to the one that gains most */
    unsigned count;
    bool is_scattered; /* no layout was tried: the accesses have no rows */
};

/* The transforms in the order in which they are tried, the smallest change first. */
enum bl_transforms {
    BL_TRANSFORMS_OF_LOCAL_PATTERN,
    BL_TRANSFORMS_OF_PATTERN,     /* patterns in other memory */
    BL_TRANSFORMS_OF_LOCAL_ARRAY, /* arrays of a traced program in local memory */
    BL_TRANSFORMS_OF_ARRAY
};

/* Tries each transform by itself and keeps those that gain most; among about equal gains, the
 * smallest change. The caller sets fixes->now and fixes->issue_clocks; the function gives the
 * clocks after a transform.
 * BL_OK, also if nothing helps; BL_NO_MEMORY; any status of the function. */
enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error);

/* Writes the index with the fix by the present one, an expression in OpenCL C: "(i) + (i) / 32".
 * Returns false where the fix is none of the array's layout, or the text is too long. */
bool bl_fix_index(const struct bl_fix *fix, const char *index, char *text, size_t size);

/* Gives each work-item the accesses of another one: x and y of the group are swapped. */
void bl_swap_ids(struct bl_access accesses[], size_t count, const size_t local[3]);

#endif
