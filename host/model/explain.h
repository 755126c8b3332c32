/* What limits an access pattern on a machine, and what would mend it, in words. */
#ifndef BANKLINE_MODEL_EXPLAIN_H
#define BANKLINE_MODEL_EXPLAIN_H

#include "model/access.h"

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

#endif
