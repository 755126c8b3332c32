/* What limits an access pattern on a machine, and what would make it cheaper, in words. */
#ifndef BANKLINE_MODEL_EXPLAIN_H
#define BANKLINE_MODEL_EXPLAIN_H

#include "model/launch.h"
#include "model/transform.h"

struct bl_pattern_explanation {
    size_t first_item; /* of the launch, with which its costliest request begins */
    unsigned lanes;    /* of that request */
    char limit[192];   /* "32 of 32 lanes want different words of bank 0", or "nothing: ..." */
    struct bl_fixes fixes;
};

/* starts: as in bl_predict, of launch->groups groups. Of a large launch only the first work-items
 * are looked at. BL_OK; BL_BAD_MACHINE when the machine has no rule for this memory; BL_NO_MEMORY.
 */
enum bl_status bl_explain_pattern(const struct bl_machine *machine, const struct bl_launch *launch,
                                  const uint64_t starts[],
                                  struct bl_pattern_explanation *explanation,
                                  struct bl_error *error);

#endif
