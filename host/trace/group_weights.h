/* How many groups of a launch each traced group stands for. Private to host/trace.
 *
 * Groups between the first and the last stand for all groups between these two. If only the first
 * and the last group were traced, nothing is known of the others. The last group is often partial,
 * because programs round the global size up; then it makes fewer accesses than the first, and
 * stands only for itself. Otherwise each stands for half of the groups: the first may do less than
 * all others, or the work may grow from group to group. */
#ifndef BANKLINE_TRACE_GROUP_WEIGHTS_H
#define BANKLINE_TRACE_GROUP_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/accesses.h"
#include "trace/wire.h"

enum bl_group_place { BL_GROUP_BETWEEN, BL_GROUP_FIRST, BL_GROUP_LAST, BL_GROUP_PLACES };

/* The place of a group in its launch; the only group of a launch is the first. */
enum bl_group_place bl_group_place_of(const struct bl_wire_kernel *launch, uint64_t index);

/* What is known of the traced groups of a launch. Initialize with zeros. */
struct bl_launch_sample {
    uint64_t groups[BL_GROUP_PLACES], accesses[BL_GROUP_PLACES];
    /* The sides of the smallest box, from work-item 0, of all work-items that access global or
     * constant memory; only of the first and the last group. */
    uint64_t box[BL_GROUP_PLACES][3];
};

/* Adds a traced group. left_out: the number of its accesses that were not traced. */
void bl_launch_sample_add(struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                          enum bl_group_place place, const struct bl_access accesses[],
                          size_t count, uint64_t left_out);

/* Computes the number of groups that each traced group stands for, by its place; at least 1.
 * groups: how many groups the launch has run. If the last group stands only for itself and is
 * partial along several dimensions, the groups at only one of these ends of the grid are between
 * the first and the last group: they count as a mixture of both. */
void bl_group_weights(const struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                      uint64_t groups, double weights[BL_GROUP_PLACES]);

#endif
