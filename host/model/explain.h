/* What limits an access pattern on a machine, and what would mend it, in words. */
#ifndef BANKLINE_MODEL_EXPLAIN_H
#define BANKLINE_MODEL_EXPLAIN_H

#include "model/access.h"
#include "model/launch.h"

enum { BL_MAX_MENDS = 2 };

struct bl_explanation {
    size_t first_item; /* of the launch, with which its costliest request begins */
    unsigned lanes;    /* of that request */
    char limit[192];   /* "32 of 32 lanes want different words of bank 0", or "nothing: ..." */
    struct {
        char words[128]; /* "pad each row of 32 elements by one" */
        double gain;     /* clocks without the mend over those with it, > 1 */
    } mends[BL_MAX_MENDS];
    unsigned mend_count; /* the easier one first, the other one gains more */
};

/* starts as in bl_predict, whose launch.groups they are of; of a large launch the first work-items
 * speak for all. A mend is one that, applied to these very starts, is cheaper by the model. BL_OK;
 * BL_BAD_MACHINE when the machine has no rule for this memory; BL_NO_MEMORY. */
enum bl_status bl_explain(const struct bl_machine *machine, const struct bl_launch *launch,
                          const uint64_t starts[], struct bl_explanation *explanation,
                          struct bl_error *error);

/* Changes of a pattern that may make it cheaper, applied to the starts of its work-items. */

enum bl_mend {
    BL_MEND_ALIGN,  /* all starts come forward to a multiple of a line */
    BL_MEND_SWAP,   /* of the ids: work-items take what they took along y along x */
    BL_MEND_SORT,   /* of a group, neighbours take neighbouring elements */
    BL_MEND_PAD_X,  /* elements more for each row, as long as neighbours along x are apart */
    BL_MEND_PAD_Y,  /* ... along y */
    BL_MEND_GATHER, /* the elements that are used lie side by side */
    BL_MEND_COUNT
};

/* Fills in `mended`, of bl_launch_items, and what to do, in words; false where the mend does not
 * apply. `by` is how many elements a row is padded by. `scratch` has room for twice as many. */
bool bl_mend(enum bl_mend mend, unsigned by, const struct bl_machine *machine,
             const struct bl_launch *launch, const uint64_t starts[], uint64_t mended[],
             uint64_t scratch[], char words[128]);

#endif
