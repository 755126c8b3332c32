/* Estimates which blocks earlier launches and the host left in L2. A period is one launch, or
 * writes by the host to one range of memory, such as the many small ones that fill a buffer; a long
 * range is divided into several periods. Private to host/trace. */
#ifndef BANKLINE_TRACE_L2_LEFT_H
#define BANKLINE_TRACE_L2_LEFT_H

#include "model/machine.h"
#include "model/time_cache.h"

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

#endif
