/* Transforms: changes of a program that may make its accesses cheaper, such as padding the rows of
 * an array, swapping x and y, or gathering scattered elements. Transforms are applied to the
 * addresses that the program accesses.
 *
 * Only the cost of the changed addresses says whether a transform helps. bl_find_fixes tries the
 * transforms for both commands: `try` computes the cost of an expression's start elements, and
 * `trace` the cost of a kernel's recorded accesses. */
#ifndef BANKLINE_MODEL_TRANSFORM_H
#define BANKLINE_MODEL_TRANSFORM_H

#include "base/status.h"
#include "model/array_layout.h"

/* Clocks according to the model. own: of all accesses to the array whose accesses are to become
 * cheaper. line: of the costliest source line that accesses it. all: of all accesses. stage: of the
 * busiest stage of a compute unit. */
struct bl_clocks {
    double own, line, all, stage;
    /* The smallest and the largest gain of the costliest line (clocks before / after the change)
     * over the alternatives of the machine's banks. Not used if the banks are certain. */
    double least_gain, most_gain;
};

/* The accesses after a transform. */
struct bl_changed_accesses {
    const struct bl_access *accesses; /* sorted */
    size_t count;
    bool is_whole; /* whether `accesses` are all accesses; if false, they are only the accesses to
                      the array, and all other accesses stay unchanged */
    const struct bl_array_layout *layout; /* NULL if the transform does not change the layout */
};

typedef enum bl_status bl_clocks_function(void *context, const struct bl_changed_accesses *change,
                                          struct bl_clocks *clocks);

enum { BL_MAX_FIXES = 2 };

struct bl_fixes {
    struct bl_clocks now; /* clocks of the accesses unchanged */
    double issue_clocks;  /* clocks to issue one instruction for each access to the array; 0 if
                             unknown, and in `try` */
    bool walk_rows;       /* bl_accesses_walk_rows */
    bool are_repeated;    /* most accesses are to elements that the work-item could keep in
                             registers */
    struct bl_fix {
        char words[192];               /* advice, such as "pad each row of 32 elements by 1" */
        struct bl_array_layout layout; /* BL_ARRAY_UNCHANGED if the fix does not change it */
        bool swaps_ids;                /* swaps the ids of all accesses (bl_swap_ids) */
        bool keeps_in_register;  /* keeps elements that a work-item accesses repeatedly in registers
                                  */
        struct bl_clocks clocks; /* clocks after the change */
        double gain;             /* clocks of the array now / clocks with the fix, > 1 */
    } all[BL_MAX_FIXES];         /* the smaller change first; the last gains most */
    unsigned count;
    bool is_scattered; /* no layout was tried: the accesses have no rows */
};

/* Lists of transforms for different accesses; each list begins with the smallest change. */
enum bl_transforms {
    BL_TRANSFORMS_OF_LOCAL_PATTERN,
    BL_TRANSFORMS_OF_PATTERN,     /* patterns in other memory */
    BL_TRANSFORMS_OF_LOCAL_ARRAY, /* arrays of a traced program in local memory */
    BL_TRANSFORMS_OF_ARRAY
};

/* Tries each transform by itself and keeps those that gain most. Of transforms with nearly equal
 * gains, keeps the smallest change. The caller sets fixes->now and fixes->issue_clocks.
 * clocks_of computes the clocks after a transform. Returns BL_OK even if nothing helps. Fails with
 * BL_NO_MEMORY, or as clocks_of does. */
enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error);

/* The clocks that a compute unit takes to issue the instructions of the array's accesses with the
 * fix's layout; 0 if unknown. A layout whose passes take fewer clocks than this is not faster than
 * a layout whose passes take exactly this many. An access is assumed to take seven instructions: to
 * compute its index, to make the access, and to use its value. Where work-items walk along rows,
 * compilers compute the beginning of a row once, and other accesses to the row need no index; so
 * three instructions are assumed if the array's own rows are padded or transposed, unless the
 * compiler keeps elements in registers and makes fewer accesses than the model counts. The
 * numbers come from tiles that were measured, and from the instructions that NVIDIA\'s compiler
 * generates for them (results/rules/README.md). */
double bl_fix_issue_clocks(const struct bl_fixes *fixes, const struct bl_fix *fix);

/* Writes the index after the fix as an OpenCL C expression of the present index, such as "(i) + (i)
 * / 32". Returns false if the fix does not change the array's layout, or if the text is too long.
 */
bool bl_fix_index(const struct bl_fix *fix, const char *index, char *text, size_t size);

#endif
