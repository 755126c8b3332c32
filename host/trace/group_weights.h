/* Weights of traced groups: how many groups of the launch each traced group represents. Private to
 * host/trace.
 *
 * The traced groups between the first and the last represent all groups between these two. If only
 * the first and the last group were traced, nothing is known about the groups between them.
 * Programs round the global size up, so the last group is often partial: if it makes fewer accesses
 * than the first group, it represents only itself and other partial groups. Otherwise, the first
 * and the last group each represent half of the groups, because the first group may do less than
 * all others, or the work may grow from group to group. */
#ifndef BANKLINE_TRACE_GROUP_WEIGHTS_H
#define BANKLINE_TRACE_GROUP_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/accesses.h"
#include "trace/wire.h"

enum bl_group_place { BL_GROUP_BETWEEN, BL_GROUP_FIRST, BL_GROUP_LAST, BL_GROUP_PLACES };

/* The place of the group with this index in its launch. The only group of a launch counts as the
 * first. */
enum bl_group_place bl_group_place_of(const struct bl_wire_kernel *launch, uint64_t index);

/* Counts for the traced groups of a launch, by place. Initialize with zeros. */
struct bl_launch_sample {
    uint64_t groups[BL_GROUP_PLACES], accesses[BL_GROUP_PLACES];
    /* For the first and the last group: the sides of the smallest box that begins at work-item 0
     * and contains all work-items that access global or constant memory. */
    uint64_t box[BL_GROUP_PLACES][3];
};

/* Adds a traced group. left_out: the number of its accesses that were not traced. */
void bl_launch_sample_add(struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                          enum bl_group_place place, const struct bl_access accesses[],
                          size_t count, uint64_t left_out);

/* Computes the number of groups that a traced group represents, by its place; at least 1. groups:
 * the number of groups that the launch ran. If the last group makes fewer accesses than the first,
 * and is partial along some dimensions, other groups at the end of the grid along any of these
 * dimensions are partial, too. A group that is partial along all of them counts as a last group;
 * one that is partial along only some of them counts partly as a first and partly as a last group.
 */
void bl_group_weights(const struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                      uint64_t groups, double weights[BL_GROUP_PLACES]);

#endif
