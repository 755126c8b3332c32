/* Transforms are changes of a program that may make its accesses cheaper, such as padding the rows
 * of an array, swapping x and y, or storing scattered elements side by side. They are applied to
 * addresses, not to source code.
 *
 * The cost of the changed addresses shows whether a transform helps. bl_find_fixes tries the
 * transforms: for `try` and `report` on the start elements of a pattern, and for `trace` on a
 * kernel's recorded accesses. */
#ifndef BANKLINE_MODEL_TRANSFORM_H
#define BANKLINE_MODEL_TRANSFORM_H

#include "base/status.h"
#include "model/array_layout.h"

/* Clocks according to the model. own: of all accesses to the array for which fixes are sought.
 * line: of the costliest source line that accesses this array. all: of all accesses. stage: of the
 * busiest stage of a compute unit. */
struct bl_clocks {
    double own, line, all, stage;
    /* The smallest and the largest gain of the costliest line (clocks before / after the change)
     * over the machine's possible bank configurations. Unused if the banks are certain. */
    double least_gain, most_gain;
    /* The clocks of other kernels' accesses to the array, and the clocks that the change saves
     * there; 0 if there are none. */
    double others, others_saved;
};

/* Which accesses that the machine splits (bl_is_split) become accesses of known alignment. */
enum bl_aligned_vectors { BL_ALIGNED_NONE, BL_ALIGNED_OF_LINE, BL_ALIGNED_OF_ARRAY };

/* The accesses after a transform. */
struct bl_changed_accesses {
    const struct bl_access *accesses; /* sorted */
    size_t count;
    bool is_whole; /* whether `accesses` are all accesses; if false, they are only the accesses to
                      the array, and all other accesses stay unchanged */
    const struct bl_array_layout *layout; /* NULL if the transform does not change the layout */
    enum bl_aligned_vectors vectors;
};

typedef enum bl_status bl_clocks_function(void *context, const struct bl_changed_accesses *change,
                                          struct bl_clocks *clocks);

enum { BL_MAX_FIXES = 2 };

struct bl_fixes {
    struct bl_clocks now; /* clocks of the unchanged accesses */
    double issue_clocks;  /* clocks to issue one instruction per request to the array; 0 if unknown,
                             and for patterns */
    bool walk_rows;       /* bl_accesses_walk_rows */
    bool are_repeated;    /* most accesses are to elements that compilers could keep in registers */
    struct bl_fix {
        char words[192];               /* advice, such as "pad each row of 32 elements by 1" */
        struct bl_array_layout layout; /* BL_ARRAY_UNCHANGED if the fix keeps the layout */
        bool swaps_ids;                /* swaps the work-item ids x and y (bl_swap_ids) */
        bool keeps_in_register;        /* keeps in registers the elements that a work-item accesses
                                          repeatedly */
        struct bl_clocks clocks;       /* clocks after the change */
        double gain;                   /* clocks of the array now / clocks with the fix, > 1 */
    } all[BL_MAX_FIXES];               /* the smaller change comes first; the last fix gains most */
    unsigned count;
    bool is_scattered; /* no layout was tried, because the accesses form no rows */
    bool is_gathered;  /* bl_array_layouts.is_gathered */
};

/* Selects the list of transforms to try; each list begins with the smallest change. */
enum bl_transforms {
    BL_TRANSFORMS_OF_LOCAL_PATTERN,
    BL_TRANSFORMS_OF_PATTERN,     /* patterns in global or constant memory */
    BL_TRANSFORMS_OF_LOCAL_ARRAY, /* a traced program's arrays in local memory */
    BL_TRANSFORMS_OF_ARRAY        /* a traced program's other arrays */
};

/* Tries each transform separately and stores those that gain most. Of transforms with nearly equal
 * gains, stores the smallest change. The caller sets fixes->now and fixes->issue_clocks. clocks_of
 * computes the clocks after a transform. Returns BL_OK even if no transform helps. Fails with
 * BL_NO_MEMORY, or as clocks_of does. */
enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error);

/* The clocks that a compute unit takes to issue the instructions of the array's accesses with the
 * fix's layout; 0 if unknown. These clocks are a lower limit, however few bank passes the layout
 * needs. An access is assumed to take seven instructions, which compute the index, make the access
 * and use the value. If work-items walk along rows, compilers compute the beginning of a row only
 * once. Three instructions are then assumed if the fix pads or transposes the array's own rows,
 * unless the compiler may keep elements in registers and make fewer accesses than the model
 * counts. The numbers are from measured tiles, and from the instructions that NVIDIA's compiler
 * generates for these tiles (results/rules/README.md). */
double bl_fix_issue_clocks(const struct bl_fixes *fixes, const struct bl_fix *fix);

/* Writes the new index as an OpenCL C expression of the present index, such as "(i) + (i) / 32".
 * Returns false if the fix keeps the array's layout, if no expression describes the new layout, or
 * if the text is too long. */
bool bl_fix_index(const struct bl_fix *fix, const char *index, char *text, size_t size);

#endif
