/* Adapts a plan's item if the driver runs its kernels in sub-groups of another size than the
 * machine has. */
#ifndef BANKLINE_RUN_SUB_GROUPS_H
#define BANKLINE_RUN_SUB_GROUPS_H

#include "run/plan.h"

/* The sub-group sizes, in work-items, of an item's two kernels on this driver; 0: unknown. */
struct bl_sub_group_sizes {
    size_t own, baseline;
};

/* Computes the cost of the item's requests again for these sub-group sizes, and adds a note. What
 * is launched does not change.
 *
 * Larger sub-groups, by a whole multiple, change nothing: the hardware splits their instructions
 * into requests of the machine's lanes (Intel's SIMD32 sends two messages of 16 lanes, AMD's wave64
 * runs as two halves). For smaller sub-groups the same pattern is charged in smaller requests, and
 * the claim is removed, because it is about other requests. In all other cases, and for a user's
 * expression at a level beyond the first cache, the item has no cost, and why_none says that there
 * is no rule.
 *
 * Returns whether the sizes differ from the machine's. */
bool bl_item_in_sub_groups(struct bl_plan_item *item, const struct bl_machine *machine,
                           const struct bl_sub_group_sizes *sizes);

#endif
