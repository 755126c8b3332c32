/* Records the period in which each block of memory was last touched (l2_left.h). */
#include "trace/l2_left.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum { MAX_TOUCHED = 1 << 23 };

/* L2 is modelled as a set-associative cache: a hash spreads blocks over the sets, and a set
 * replaces its least recently used block. The result is the probability that fewer than WAYS other
 * blocks fell into the block's set, approximated by a normal distribution. On an H100, L2 kept
 * arrays of 38 MiB (96 % of the machine's l2_kib), but little of arrays of 42 MiB (106 %). So steep
 * an edge needs many ways. */
double bl_l2_part_kept(double touched)
{
    enum { WAYS = 1024 };
    const double mean = WAYS * fmax(touched, 1e-6);
    return erfc((mean - WAYS) / sqrt(2 * mean)) / 2;
}

double bl_l2_blocks(const struct bl_machine *machine)
{
    return machine->levels[0].kib * 1024.0 / machine->levels[BL_LEVEL_MEMORY].granule_bytes;
}

double bl_l2_left_part(const struct bl_l2_left *left, uint64_t block, double touched,
                       double capacity)
{
    const double *at = bl_time_map_find(&left->touched, block);
    if (!at)
        return 0;
    const struct bl_l2_period *period = &left->periods[(size_t)*at];
    return bl_l2_part_kept((period->since + touched) / capacity);
}

bool bl_l2_left_begin(struct bl_l2_left *left, double of_entry)
{
    struct bl_l2_period *period = bl_array_append(&left->periods, &left->period_count,
                                                  &left->period_capacity, sizeof *period);
    if (period)
        *period = (struct bl_l2_period){.of_entry = of_entry};
    left->written_end = 0;
    return period != NULL;
}

bool bl_l2_left_add(struct bl_l2_left *left, uint64_t block)
{
    if (left->touched.count >= MAX_TOUCHED) { /* the table is full: forget all blocks */
        bl_time_map_free(&left->touched);
        for (size_t i = 0; i < left->period_count; i++)
            left->periods[i].blocks = 0;
    }
    bool is_known;
    double *at = bl_time_map_at(&left->touched, block, &is_known);
    struct bl_l2_period *now = &left->periods[left->period_count - 1];
    if (!at)
        return false;
    if (is_known)
        left->periods[(size_t)*at].blocks -= left->periods[(size_t)*at].of_entry;
    now->blocks += now->of_entry;
    *at = (double)(left->period_count - 1);
    return true;
}

void bl_l2_left_end(struct bl_l2_left *left)
{
    double since = 0;
    for (size_t i = left->period_count; i-- > 0;)
        left->periods[i].since = since += fmax(0, left->periods[i].blocks);
}

bool bl_l2_left_write(struct bl_l2_left *left, unsigned block_bytes, uint64_t address,
                      uint64_t bytes, double capacity)
{
    enum { PERIOD_BLOCKS = 1 << 16 };
    const uint64_t end = (address + bytes - 1) / block_bytes + 1;
    const double room = 0.9 * capacity; /* the edge of L2 is not sharp */
    uint64_t block = address / block_bytes;
    bool has_memory = true;
    double blocks = 0;
    block += block + 1 == left->written_end; /* the previous write has touched this block */
    if (bytes == 0 || block >= end)
        return true;
    for (size_t i = 0; i < left->period_count; i++)
        blocks += fmax(0, left->periods[i].blocks);
    for (; has_memory && block < end; block++) {
        const bool is_in_l2 = bl_l2_left_part(left, block, 0, capacity) > 0.5;
        if (left->written_end == 0 || block != left->written_end ||
            left->periods[left->period_count - 1].blocks >= PERIOD_BLOCKS)
            has_memory = bl_l2_left_begin(left, 1);
        left->written_end = block + 1;
        blocks += !is_in_l2;
        if (is_in_l2 || blocks <= room)
            has_memory = has_memory && bl_l2_left_add(left, block);
    }
    bl_l2_left_end(left);
    return has_memory;
}

void bl_l2_left_free(struct bl_l2_left *left)
{
    bl_time_map_free(&left->touched);
    free(left->periods);
    *left = (struct bl_l2_left){0};
}
