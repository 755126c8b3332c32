/* The caches of a simulated compute unit: which lines the first cache holds and when each sector
 * arrives, which blocks were fetched into L2, and what earlier launches left there. */
#ifndef BANKLINE_MODEL_TIME_CACHE_H
#define BANKLINE_MODEL_TIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/time.h"

enum { BL_TIME_LINE_SECTORS = 8 }; /* max sectors of a line of the first cache */

struct bl_time_cache {
    unsigned line_bytes, sector_bytes;
    size_t lines, used;        /* lines: capacity; used: number of lines that have been filled */
    struct bl_time_line *line; /* array of `lines` elements */
    uint32_t *chains;          /* by hash: the first line of each chain */
    size_t chain_count;        /* a power of two */
    uint32_t newest, oldest;   /* ends of the list in the order of last use */
};

/* Opens an empty cache. Returns false if memory runs out. Free the cache in either case. */
bool bl_time_cache_open(struct bl_time_cache *cache, size_t bytes, unsigned line_bytes,
                        unsigned sector_bytes);
void bl_time_cache_free(struct bl_time_cache *cache);

/* A sector of the first cache: when it arrives, and from where. */
struct bl_time_sector {
    double arrival_ns;
    bool is_from_memory;
};

/* Returns this address's sector. If its arrival is negative, the sector is not in the cache: the
 * caller must fetch it and set both times. Makes the line the newest; a new line replaces the
 * oldest if the cache is full. */
struct bl_time_sector *bl_time_cache_at(struct bl_time_cache *cache, uint64_t address);

/* This address's sector; NULL, or a negative arrival, if the cache does not hold it. */
const struct bl_time_sector *bl_time_cache_find(const struct bl_time_cache *cache,
                                                uint64_t address);

/* How long a load takes whose data are in the cache, in local memory, or in a constant array that
 * the program declares. *conflict_ns receives the part that is due to bank conflicts. */
double bl_time_hit_ns(const struct bl_machine *machine, const struct bl_time_op *op,
                      double *conflict_ns);

/* How long a store that is issued at now_ns occupies the load-store path because the cache then
 * still awaits this sector; 0 if it does not. running: number of sub-groups that the unit runs and
 * that do not wait at a barrier. */
double bl_time_cache_awaited_ns(const struct bl_time_cache *cache, const struct bl_machine *machine,
                                uint64_t address, double now_ns, double running);

/* A map from the index of a memory block to a double: the time when the block arrived in L2, or
 * another value (trace/launch_blocks.h). Initialize with zeros. */
struct bl_time_map {
    struct bl_time_slot *slots;
    size_t count, capacity;
};

/* Returns a pointer to this block's value, valid until the next block is added; NULL if memory runs
 * out. A new block is added with value 0. *was_there receives whether the map had the block. */
double *bl_time_map_at(struct bl_time_map *map, uint64_t number, bool *was_there);

/* Like bl_time_map_at, but NULL if the block is not in the map. */
const double *bl_time_map_find(const struct bl_time_map *map, uint64_t number);

/* A pointer to the value in slot i (below the capacity), and its block in *number; NULL if the slot
 * is free. */
double *bl_time_map_slot(const struct bl_time_map *map, size_t i, uint64_t *number);

void bl_time_map_free(struct bl_time_map *map);

/* What earlier launches and the host left in L2. A period is one launch, or writes by the host to
 * one range of memory, such as the many small ones that fill a buffer; a long range is divided into
 * several periods. */
struct bl_l2_period {
    double blocks;   /* number of blocks whose last touch was in this period */
    double of_entry; /* number of blocks that an entry of `touched` represents */
    double since;    /* number of blocks whose last touch was in this period or later; INFINITY if
                        later writes by the host have replaced them */
    bool is_written; /* by the host */
};

/* The blocks that earlier launches and the host left in L2, which replaces the least recently used
 * blocks. Initialize with zeros: L2 then holds no such block. */
struct bl_l2_left {
    struct bl_time_map touched; /* for each block, the period of its last touch */
    struct bl_l2_period *periods;
    size_t period_count, period_capacity;
    size_t
        first_replaceable; /* no earlier period has blocks that a write by the host may replace */
    uint64_t written_end;  /* the block after the last one that the host wrote in the latest period;
                              0 if that period is a launch */
};

/* The number of blocks that the machine's L2 can hold. A block is a granule of memory. */
double bl_l2_blocks(const struct bl_machine *machine);

/* The number of blocks of all periods, also of those that L2 no longer holds. */
double bl_l2_left_blocks(const struct bl_l2_left *left);

/* Begins a period in which each added block represents `of_entry` blocks. Returns false if memory
 * runs out; so do bl_l2_left_add and bl_l2_left_write. */
bool bl_l2_left_begin(struct bl_l2_left *left, double of_entry);

/* Adds a block to the current period, and removes it from the period of its previous touch. */
bool bl_l2_left_add(struct bl_l2_left *left, uint64_t block);

/* Ends a period. Call this when all blocks of the period have been added. */
void bl_l2_left_end(struct bl_l2_left *left);

/* Adds the blocks of a memory range that the host writes, as far as they fit in 0.8 of L2, which
 * holds `capacity` blocks. They replace only what the host wrote before and no kernel has touched
 * since. Measured on an H200 and an H100: after a copy, data of 1 to 28 MiB were read from L2, but
 * from memory if a kernel had read 128 or 512 MiB before the copy, or if the host then copied so
 * much more that all copies together took over 32 MiB. */
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
