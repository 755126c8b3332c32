/* A plan's item whose kernels the driver runs in other sub-groups than the machine describes. */
#ifndef BANKLINE_RUN_SUB_GROUPS_H
#define BANKLINE_RUN_SUB_GROUPS_H

#include "run/plan.h"

/* Work-items of a sub-group in which the driver runs the two kernels of an item; 0: unknown. */
struct bl_sub_group_sizes {
    size_t own, baseline;
};

/* Charges the item's requests as sub-groups of these sizes make them, and says so in its note. What
 * is launched stays as it was planned.
 *
 * An instruction of a sub-group that is a multiple of the planned lanes is split into requests of
 * these (Intel's SIMD32 sends two messages of 16 lanes, AMD's wave64 runs as two halves), so
 * nothing changes. In smaller sub-groups the model charges the same pattern in requests of so few
 * lanes, and the claim, which is about other requests, goes. Where neither applies, or beyond the
 * first cache of a typed index, the item has no cost, and why_none says that there is no rule.
 *
 * Returns whether the sizes differ from the machine's. */
bool bl_item_in_sub_groups(struct bl_plan_item *item, const struct bl_machine *machine,
                           const struct bl_sub_group_sizes *sizes);

#endif
