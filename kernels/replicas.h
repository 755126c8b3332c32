/* Work-items whose start elements come from a table. Their ids range over only a few groups, which
 * are repeated until the device is full.
 *
 * There are GROUPS_X x GROUPS_Y groups of ids. One repetition of all these groups is a replica: the
 * launched group with number GROUPS_X * GROUPS_Y is group 0 of the second replica. With
 * GROUP_LANES, a launched group is one-dimensional and consists of several small groups, which
 * share its local memory. Each small group has GROUP_WIDTH x GROUP_HEIGHT work-items and uses
 * GROUP_LANES lanes; the last of these lanes may be idle.
 *
 * The table holds the start element of each work-item of a replica, which the host computed from an
 * index expression (host/model/expression.h) or took from a recorded trace. The table is an
 * argument of the kernel and lies in global memory, because constant memory may be too small (64
 * KiB). It is read once per launch, so its cost cancels in the difference of two launch lengths.
 *
 * Without GROUPS_X there are neither replicas nor a table: a work-item starts where a pattern of
 * the guides (patterns.h) says. With TILE_INDEX there are replicas, but the starts are computed
 * from such a pattern, without a table. */
#ifndef BANKLINE_REPLICAS_H
#define BANKLINE_REPLICAS_H
#include "work_items.h"
#ifdef GROUPS_X

#ifdef GROUP_LANES
#define GROUP_ITEMS (GROUP_WIDTH * GROUP_HEIGHT)
ulong pattern_local_size(uint d) { return d == 0 ? GROUP_WIDTH : d == 1 ? GROUP_HEIGHT : 1; }
ulong pattern_local_id(uint d)
{
    const size_t lane = get_local_id(0) % GROUP_LANES;
    return d == 0 ? lane % GROUP_WIDTH : d == 1 ? lane / GROUP_WIDTH : 0;
}
size_t pattern_group(void) /* group index counted through all replicas */
{
    return get_group_id(0) * (get_local_size(0) / GROUP_LANES) + get_local_id(0) / GROUP_LANES;
}
bool is_idle(void) { return get_local_id(0) % GROUP_LANES >= GROUP_ITEMS; }
size_t output(void) { return pattern_group() * GROUP_ITEMS + get_local_id(0) % GROUP_LANES; }
#else
ulong pattern_local_size(uint d) { return get_local_size(d); }
ulong pattern_local_id(uint d) { return get_local_id(d); }
size_t pattern_group(void) { return linear_group(); }
bool is_idle(void) { return false; }
size_t output(void) { return linear_item(); }
#endif
size_t replica(void) { return pattern_group() / (GROUPS_X * GROUPS_Y); }
/* Ids are 64 bits wide on every device, as in the host's evaluation. */
ulong pattern_group_id(uint d)
{
    const size_t group = pattern_group() % (GROUPS_X * GROUPS_Y);
    return d == 0 ? group % GROUPS_X : d == 1 ? group / GROUPS_X : 0;
}
ulong pattern_num_groups(uint d) { return d == 0 ? GROUPS_X : d == 1 ? GROUPS_Y : 1; }
ulong pattern_global_id(uint d)
{
    return pattern_group_id(d) * pattern_local_size(d) + pattern_local_id(d);
}
ulong pattern_global_size(uint d) { return pattern_num_groups(d) * pattern_local_size(d); }

#else
bool is_idle(void) { return false; }
size_t output(void) { return linear_item(); }
#endif

/* TABLE_ARGUMENT declares the table as a kernel's last argument, and START is the work-item's start
 * element. Each replica starts REPLICA_SPREAD elements after the one before. */
#if defined GROUPS_X && !defined TILE_INDEX
#define TABLE_ARGUMENT , __global const uint *restrict table
#define START table_start(table)
size_t table_start(__global const uint *restrict table)
{
    const size_t items = GROUPS_X * GROUPS_Y * pattern_local_size(0) * pattern_local_size(1);
    return table[output() % items] + replica() * (size_t)REPLICA_SPREAD;
}
#else
#define TABLE_ARGUMENT
#define START start_element()
#endif
#endif
