/* Work-items that start where a table says, and whose ids range over a few groups, however many
 * are launched.
 *
 * There are GROUPS_X x GROUPS_Y groups of ids: launched group GROUPS_X * GROUPS_Y is group 0 again,
 * the first of a replica. With GROUP_LANES a launched group, then of one dimension, is several
 * groups of GROUP_WIDTH x GROUP_HEIGHT that share what local memory holds; each takes GROUP_LANES
 * of its lanes, the last of which may be idle.
 *
 * The host has computed where each work-item of these groups starts, from an index expression
 * (host/model/expression.h) or from what a trace recorded. The table is an argument of the kernel
 * and lies in global memory: constant memory has 64 KiB, too few for a large one beside the array.
 * It is read once in a launch, so it costs nothing in the difference of two lengths.
 *
 * Without GROUPS_X there is none of this: a work-item's output is at its own number, and it starts
 * where a pattern of the guides (patterns.h) says; with TILE_INDEX such a pattern is computed from
 * the ids, and there is no table. */
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
size_t pattern_group(void) /* counted over all replicas */
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
/* Ids are 64 bits wide, as the host takes size_t to be, on every device. */
size_t replica(void) { return pattern_group() / (GROUPS_X * GROUPS_Y); }
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

/* What a kernel that can be given a table declares behind its other arguments, and how it then asks
 * where to start. Each replica of the groups starts REPLICA_SPREAD elements further on. */
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
