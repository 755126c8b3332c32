/* The groups of a launch, of which only some were sampled: which sampled group stands for each
 * group, how far the group's accesses are from the sampled group's, and which blocks of L2 the
 * groups touch. Private to host/trace. */
#ifndef BANKLINE_TRACE_LAUNCH_GROUPS_H
#define BANKLINE_TRACE_LAUNCH_GROUPS_H

#include "model/machine.h"
#include "model/time_cache.h"
#include "trace/streams.h"

struct bl_launch_groups {
    struct bl_wire_kernel launch;
    const struct bl_streams *streams; /* of the sampled groups, at least one */
    uint64_t count;                   /* all groups of the launch */
    unsigned units;                   /* compute units of the machine */
    struct bl_stream_shifts shifts;   /* freed by the owner */
};

/* The index of the sampled group nearest to a group. The launch's first and last group stand only
 * for themselves if other groups were sampled. Otherwise only the last one does, if it makes fewer
 * accesses than the first. For totals of kernels (group_weights.h), groups at a grid's edges count
 * as mixtures of the two. */
size_t bl_launch_sampled_for(const struct bl_launch_groups *groups, uint64_t group);

/* The number of a sampled group's accesses, divided by the number of accesses that were reported; 1
 * if all were reported. */
double bl_launch_times_reported(const struct bl_stream_group *group);

/* Computes, for each instruction, the distance in bytes from the accesses of the sampled group with
 * index `sampled` to those of the group `group`. shifts: room for groups->shifts.count numbers. */
void bl_launch_shift(const struct bl_launch_groups *groups, uint64_t group, size_t sampled,
                     int64_t shifts[]);

/* What earlier launches and the host left in L2. A period is one launch, or writes by the host to
 * one range of memory, such as the many small ones that fill a buffer; a long range is divided into
 * several periods. */
struct bl_l2_period {
    double blocks;   /* number of blocks whose last touch was in this period */
    double of_entry; /* number of blocks that an entry of `touched` represents */
    double since;    /* number of blocks whose last touch was in this period or later */
};

/* The blocks that earlier launches and the host left in L2, which replaces the least recently used
 * blocks. Initialize with zeros: L2 then holds no such block. */
struct bl_l2_left {
    struct bl_time_map touched; /* for each block, the period of its last touch */
    struct bl_l2_period *periods;
    size_t period_count, period_capacity;
    uint64_t written_end; /* the block after the last one that the host wrote in the latest period;
                             0 if that period is a launch */
};

/* The number of blocks that the machine's L2 can hold. A block is a granule of memory. */
double bl_l2_blocks(const struct bl_machine *machine);

/* Begins a period in which each added block represents `of_entry` blocks. Returns false if memory
 * runs out; so do bl_l2_left_add and bl_l2_left_write. */
bool bl_l2_left_begin(struct bl_l2_left *left, double of_entry);

/* Adds a block to the current period, and removes it from the period of its previous touch. */
bool bl_l2_left_add(struct bl_l2_left *left, uint64_t block);

/* Ends a period. Call this when all blocks of the period have been added. */
void bl_l2_left_end(struct bl_l2_left *left);

/* Adds the blocks of a memory range that the host writes, as far as L2, which holds `capacity`
 * blocks, has room for them: a copy from the host replaces no other blocks. Measured on an H200:
 * data of 1 to 16 MiB were read from L2 after a copy, but from memory if a kernel had read 512 MiB
 * before the copy. */
bool bl_l2_left_write(struct bl_l2_left *left, unsigned block_bytes, uint64_t address,
                      uint64_t bytes, double capacity);

/* The probability that an L2 of `capacity` blocks still holds a block after the current launch has
 * touched `touched` other blocks. Assumes that none of these other blocks is already counted in
 * `since`, that is, each was not in L2 or was last touched before `block`. This holds if the launch
 * touches its blocks in the order in which they entered L2. */
double bl_l2_left_part(const struct bl_l2_left *left, uint64_t block, double touched,
                       double capacity);

/* The probability that L2 still holds a block after other blocks were touched. touched: the number
 * of these other blocks, divided by the number of blocks that L2 can hold. */
double bl_l2_part_kept(double touched);

void bl_l2_left_free(struct bl_l2_left *left);

/* The blocks of L2 that a launch touches. Initialize with zeros, except the first three members. */
struct bl_launch_blocks {
    const struct bl_l2_left *left; /* what earlier launches and the host left in L2 */
    double capacity;               /* number of blocks that L2 can hold */
    unsigned block_bytes;
    struct bl_time_map waves;  /* for each block, the first wave of groups that touches it, minus
                                  1e9 if L2 held the block before */
    struct bl_time_map halves; /* blocks that the first half of a group's reported accesses touches;
                                  empty if all accesses were reported */
    double touched;            /* number of blocks that all groups together touch */
};

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

void bl_launch_blocks_free(struct bl_launch_blocks *blocks);

#endif
