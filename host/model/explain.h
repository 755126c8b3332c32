/* Explains in words what limits an access pattern on a machine, and how to make it cheaper. */
#ifndef BANKLINE_MODEL_EXPLAIN_H
#define BANKLINE_MODEL_EXPLAIN_H

#include "model/launch.h"
#include "model/transform.h"

struct bl_pattern_explanation {
    size_t first_item; /* first work-item of the costliest request */
    unsigned lanes;    /* lanes of the costliest request */
    char limit[192];   /* "32 of 32 lanes want different words of bank 0", or "nothing: ..." */
    struct bl_fixes fixes;
    char why_no_fix[64]; /* if something limits it but there is no fix: why */
};

/* Explains a pattern. starts: as in bl_predict, for launch->groups groups. In a large launch only
 * the first work-items are examined. BL_OK; BL_BAD_MACHINE if the machine has no rule for this
 * memory; BL_NO_MEMORY. */
enum bl_status bl_explain_pattern(const struct bl_machine *machine, const struct bl_launch *launch,
                                  const uint64_t starts[],
                                  struct bl_pattern_explanation *explanation,
                                  struct bl_error *error);

#endif
