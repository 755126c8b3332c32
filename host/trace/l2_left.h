/* What earlier launches and the host left in L2. A period is one launch, or one write by the host;
 * a long write is divided into several periods. Private to host/trace. */
#ifndef BANKLINE_TRACE_L2_LEFT_H
#define BANKLINE_TRACE_L2_LEFT_H

#include "model/time_cache.h"

struct bl_l2_period {
    double blocks;   /* number of blocks whose last touch was in this period */
    double of_entry; /* number of blocks that an entry of `touched` stands for */
    double since;    /* number of blocks whose last touch was in this period or later */
};

/* The blocks that earlier launches and the host left in L2. L2 replaces the least recently used
 * blocks. All members are zero if L2 holds no such block. */
struct bl_l2_left {
    struct bl_time_map touched; /* for each block, the period of its last touch */
    struct bl_l2_period *periods;
    size_t period_count, period_capacity;
};

/* Begins a period in which each block added stands for `of_entry` blocks. Returns false if memory
 * runs out, as bl_l2_left_add and bl_l2_left_write do. */
bool bl_l2_left_begin(struct bl_l2_left *left, double of_entry);

/* Adds a block to the last period, and removes it from the period in which it was touched before.
 */
bool bl_l2_left_add(struct bl_l2_left *left, uint64_t block);

/* Call it when all blocks of a period have been added. */
void bl_l2_left_end(struct bl_l2_left *left);

/* Adds the blocks that the host writes: copies from the host leave them in L2. */
bool bl_l2_left_write(struct bl_l2_left *left, unsigned block_bytes, uint64_t address,
                      uint64_t bytes);

/* The probability that an L2 of `capacity` blocks still holds a block when the current launch has
 * touched `touched` other blocks. It is assumed that each of these was not in L2, or was last
 * touched before the block, so that none is already counted in `since`. This holds if the launch
 * touches its blocks in the order in which they came into L2. */
double bl_l2_left_part(const struct bl_l2_left *left, uint64_t block, double touched,
                       double capacity);

/* The probability that L2 still holds a block after other blocks were touched. touched: the number
 * of these other blocks, divided by the number of blocks that L2 can hold. */
double bl_l2_part_kept(double touched);

void bl_l2_left_free(struct bl_l2_left *left);

#endif
