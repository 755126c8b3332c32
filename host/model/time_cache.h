/* The caches of a simulated compute unit: which lines the first cache holds and when each sector
 * arrives, and which blocks were fetched into L2. */
#ifndef BANKLINE_MODEL_TIME_CACHE_H
#define BANKLINE_MODEL_TIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A sector of the first cache: when it was requested, and when it arrives. */
struct bl_time_sector {
    double requested_ns, arrival_ns;
};

/* Returns this address's sector. If its arrival is negative, the sector is not in the cache: the
 * caller must fetch it and set both times. Makes the line the newest; a new line replaces the
 * oldest if the cache is full. */
struct bl_time_sector *bl_time_cache_at(struct bl_time_cache *cache, uint64_t address);

/* This address's sector; NULL, or a negative arrival, if the cache does not hold it. */
const struct bl_time_sector *bl_time_cache_find(const struct bl_time_cache *cache,
                                                uint64_t address);

/* A map from the index of a memory block to a double: the time when the block arrived in L2, or
 * another value (trace/launch_groups.h). Initialize with zeros. */
struct bl_time_map {
    struct bl_time_slot *slots;
    size_t count, capacity;
};

/* Returns a pointer to this block's value, valid until the next block is added; NULL if memory runs
 * out. A new block is added with value 0. *was_there receives whether the map had the block. */
double *bl_time_map_at(struct bl_time_map *map, uint64_t number, bool *was_there);

/* Like bl_time_map_at, but NULL if the block is not in the map. */
const double *bl_time_map_find(const struct bl_time_map *map, uint64_t number);

/* The value in slot i (below the capacity), and its block in *number; NAN if the slot is free. */
double bl_time_map_slot(const struct bl_time_map *map, size_t i, uint64_t *number);

void bl_time_map_free(struct bl_time_map *map);

/* The lines into which a sub-group has stored parts of sectors. Its next such stores join the
 * earlier ones if all are to few lines: on an H100, work-items that each stored 4 words one after
 * another needed 23 ns for four such stores if these went to 4 lines, but 170 ns if they went to 8
 * lines. In between it depends: stores of six work-items took half of the time of single stores if
 * the work-items were 100 bytes apart, but 90 % if they were 200 bytes apart. Initialize with
 * zeros. */
enum { BL_TIME_OPEN_LINES = 6 };
struct bl_time_open {
    struct bl_time_open_line {
        uint64_t number;  /* the line's address divided by its size, plus 1; 0 if none */
        uint64_t sectors; /* a bit for each sector */
        uint32_t store;   /* the last store to the line */
    } lines[BL_TIME_OPEN_LINES];
    unsigned next;  /* the line that was opened first */
    uint32_t store; /* number of the current store */
};

/* A store begins. may_join: it writes parts of sectors of at most BL_TIME_OPEN_LINES lines. */
void bl_time_open_begin(struct bl_time_open *open, bool may_join);

/* Adds a sector, a part of which the current store writes. Returns how much joining earlier stores
 * saves: 1 if they wrote to this sector, and another 1 if they wrote to its line and this is the
 * current store's first sector of the line. */
unsigned bl_time_open_joined(struct bl_time_open *open, uint64_t address, unsigned line_bytes,
                             unsigned sector_bytes);

#endif
