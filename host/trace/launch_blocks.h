/* The blocks of L2 that the groups of a launch touch. Private to host/trace. */
#ifndef BANKLINE_TRACE_LAUNCH_BLOCKS_H
#define BANKLINE_TRACE_LAUNCH_BLOCKS_H

#include "model/time_cache.h"
#include "trace/launch_groups.h"

/* The blocks of L2 that a launch touches. Initialize with zeros, except the first three members. */
struct bl_launch_blocks {
    const struct bl_l2_left *left; /* what earlier launches and the host left in L2 */
    double capacity;               /* number of blocks that L2 can hold */
    unsigned block_bytes;
    struct bl_time_map waves; /* for each block, the first wave of groups that touches it, minus
                                 1e9 if L2 held the block before */
    /* For gathers, if not all groups are examined or L2 cannot hold all blocks: runs of blocks, one
     * block of which stands for all. For each run, the value of this block as in `waves`, but from
     * all groups, or from every n-th if they touch over 16 million blocks. */
    struct bl_time_map runs;
    uint64_t of_run;           /* blocks of a run; 0: there are no runs */
    double kept_waves;         /* for how many waves L2 keeps a block of a run */
    struct bl_time_map halves; /* blocks that the first half of a group's reported accesses touches;
                                  empty if all accesses were reported */
    double touched;            /* number of blocks that all groups together touch */
};

/* No blocks, before a launch on this machine. */
struct bl_launch_blocks bl_launch_blocks_of(const struct bl_machine *machine,
                                            const struct bl_l2_left *left);

/* Finds the blocks, and sets `units` of groups->shifts.sharing. per_wave: number of groups that all
 * units together hold at the same time (a wave). Returns false if memory runs out. */
bool bl_launch_blocks_find(struct bl_launch_blocks *blocks, struct bl_launch_groups *groups,
                           double per_wave);

/* Whether L2 holds an address when the groups of wave `wave` first request it. warm_hits: the
 * fraction of the blocks that L2 keeps from one launch to the next if the launch is repeated;
 * negative if the launch is not repeated: L2 then holds what `left` has. */
bool bl_launch_blocks_have(const struct bl_launch_blocks *blocks, uint64_t address, size_t wave,
                           double warm_hits);

/* Adds the blocks to those that are left in L2. Returns false if memory runs out. */
bool bl_launch_blocks_leave(const struct bl_launch_blocks *blocks, struct bl_l2_left *left);

/* Adds the blocks that a launch leaves in L2 to *left, without simulating the launch. streams: at
 * least one group. Returns how many touches of blocks were examined; NAN if memory runs out. */
double bl_launch_note_blocks(const struct bl_machine *machine, const struct bl_wire_kernel *launch,
                             const struct bl_streams *streams, struct bl_l2_left *left);

void bl_launch_blocks_free(struct bl_launch_blocks *blocks);

#endif
