/* Changes of a pattern that may make it cheaper, applied to the starts of its work-items. */
#ifndef BANKLINE_MODEL_MEND_H
#define BANKLINE_MODEL_MEND_H

#include "model/launch.h"

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
