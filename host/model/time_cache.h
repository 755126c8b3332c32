/* The caches of a simulated compute unit: what its first cache holds, and when what is under way
 * arrives; and which blocks it has fetched into L2. Inside host/model only. */
#ifndef BANKLINE_MODEL_TIME_CACHE_H
#define BANKLINE_MODEL_TIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BL_TIME_LINE_SECTORS = 8 }; /* of a line of the first cache, at most */

struct bl_time_cache {
    unsigned line_bytes, sector_bytes;
    size_t lines, used;        /* capacity, and lines that have held something */
    struct bl_time_line *line; /* `lines` of them */
    uint32_t *chains;          /* by hash: the first line of each chain */
    size_t chain_count;        /* a power of two */
    uint32_t newest, oldest;   /* by last use */
};

/* False without memory. The cache is empty; free it in any case. */
bool bl_time_cache_open(struct bl_time_cache *cache, size_t bytes, unsigned line_bytes,
                        unsigned sector_bytes);
void bl_time_cache_free(struct bl_time_cache *cache);

/* Where the arrival of this address's sector is kept, in ns; negative: the sector is not there, and
 * the caller fetches it. Makes the line the newest, in place of the oldest. */
double *bl_time_cache_arrival(struct bl_time_cache *cache, uint64_t address);

/* When blocks arrived in L2, by number. */
struct bl_time_map {
    struct bl_time_slot *slots;
    size_t count, capacity;
};

/* Where the time of this block is kept, in ns; *was_there: false if it was added, at 0. NULL
 * without memory. */
double *bl_time_map_at(struct bl_time_map *map, uint64_t number, bool *was_there);

/* The same, or NULL if it is not there. */
const double *bl_time_map_find(const struct bl_time_map *map, uint64_t number);

/* The i-th slot of its capacity: NAN, or its time, and *number. */
double bl_time_map_slot(const struct bl_time_map *map, size_t i, uint64_t *number);

void bl_time_map_free(struct bl_time_map *map);

#endif
