/* The first cache of a simulated compute unit, which is fully associative and replaces the least
 * recently used line, and the map of blocks in L2. Both are hash tables, because a launch touches
 * millions of lines. */
#include "model/time_cache.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 10 };

static const uint32_t none = UINT32_MAX;

struct bl_time_slot {
    uint64_t key; /* the block's number + 1; 0: free */
    double ns;
};

struct bl_time_line {
    uint64_t number;
    uint32_t next;         /* next line of its chain */
    uint32_t newer, older; /* neighbours in the order of last use */
    struct bl_time_sector sectors[BL_TIME_LINE_SECTORS];
};

static size_t mixed(uint64_t number) { return (size_t)((number * 0x9E3779B97F4A7C15u) >> 20); }

bool bl_time_cache_open(struct bl_time_cache *cache, size_t bytes, unsigned line_bytes,
                        unsigned sector_bytes)
{
    *cache = (struct bl_time_cache){.line_bytes = line_bytes,
                                    .sector_bytes = sector_bytes,
                                    .lines = bytes / line_bytes ? bytes / line_bytes : 1,
                                    .chain_count = 1,
                                    .newest = none,
                                    .oldest = none};
    while (cache->chain_count < 2 * cache->lines)
        cache->chain_count *= 2;
    cache->line = calloc(cache->lines, sizeof *cache->line);
    cache->chains = malloc(cache->chain_count * sizeof *cache->chains);
    for (size_t i = 0; cache->chains && i < cache->chain_count; i++)
        cache->chains[i] = none;
    return cache->line && cache->chains;
}

void bl_time_cache_free(struct bl_time_cache *cache)
{
    free(cache->line);
    free(cache->chains);
    *cache = (struct bl_time_cache){0};
}

static void unlink_use(struct bl_time_cache *cache, uint32_t at)
{
    const struct bl_time_line *line = &cache->line[at];
    if (line->newer == none)
        cache->newest = line->older;
    else
        cache->line[line->newer].older = line->older;
    if (line->older == none)
        cache->oldest = line->newer;
    else
        cache->line[line->older].newer = line->newer;
}

static void make_newest(struct bl_time_cache *cache, uint32_t at)
{
    struct bl_time_line *line = &cache->line[at];
    line->newer = none;
    line->older = cache->newest;
    if (cache->newest == none)
        cache->oldest = at;
    else
        cache->line[cache->newest].newer = at;
    cache->newest = at;
}

static uint32_t *chain_of(const struct bl_time_cache *cache, uint64_t number)
{
    return &cache->chains[mixed(number) & (cache->chain_count - 1)];
}

/* Returns a line to use: an unused one, or the oldest. */
static uint32_t take_line(struct bl_time_cache *cache)
{
    if (cache->used < cache->lines)
        return (uint32_t)cache->used++;
    const uint32_t at = cache->oldest;
    uint32_t *link = chain_of(cache, cache->line[at].number);
    while (*link != at)
        link = &cache->line[*link].next;
    *link = cache->line[at].next;
    unlink_use(cache, at);
    return at;
}

/* The line with this number; `none` if the cache does not hold it. */
static uint32_t find_line(const struct bl_time_cache *cache, uint64_t number)
{
    uint32_t at = *chain_of(cache, number);
    while (at != none && cache->line[at].number != number)
        at = cache->line[at].next;
    return at;
}

const struct bl_time_sector *bl_time_cache_find(const struct bl_time_cache *cache, uint64_t address)
{
    const uint32_t at = find_line(cache, address / cache->line_bytes);
    return at == none ? NULL
                      : &cache->line[at].sectors[address % cache->line_bytes / cache->sector_bytes];
}

struct bl_time_sector *bl_time_cache_at(struct bl_time_cache *cache, uint64_t address)
{
    const uint64_t number = address / cache->line_bytes;
    uint32_t at = find_line(cache, number);
    if (at == none) {
        at = take_line(cache);
        uint32_t *chain = chain_of(cache, number);
        struct bl_time_line *line = &cache->line[at];
        line->number = number;
        line->next = *chain;
        *chain = at;
        for (unsigned i = 0; i < BL_TIME_LINE_SECTORS; i++)
            line->sectors[i] = (struct bl_time_sector){.arrival_ns = -1};
        make_newest(cache, at);
    } else if (at != cache->newest) {
        unlink_use(cache, at);
        make_newest(cache, at);
    }
    return &cache->line[at].sectors[address % cache->line_bytes / cache->sector_bytes];
}

/* The slot where the block is, or where it would be added. */
static struct bl_time_slot *slot_of(struct bl_time_slot slots[], size_t capacity, uint64_t key)
{
    size_t at = mixed(key) & (capacity - 1);
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow(struct bl_time_map *map)
{
    const size_t capacity = map->capacity ? 2 * map->capacity : FIRST_SLOTS;
    struct bl_time_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key)
            *slot_of(slots, capacity, map->slots[i].key) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

double *bl_time_map_at(struct bl_time_map *map, uint64_t number, bool *was_there)
{
    if (2 * map->count >= map->capacity && !grow(map))
        return NULL;
    struct bl_time_slot *slot = slot_of(map->slots, map->capacity, number + 1);
    *was_there = slot->key != 0;
    if (!*was_there) {
        slot->key = number + 1;
        map->count++;
    }
    return &slot->ns;
}

const double *bl_time_map_find(const struct bl_time_map *map, uint64_t number)
{
    if (map->capacity == 0)
        return NULL;
    const struct bl_time_slot *slot = slot_of(map->slots, map->capacity, number + 1);
    return slot->key ? &slot->ns : NULL;
}

double bl_time_map_slot(const struct bl_time_map *map, size_t i, uint64_t *number)
{
    *number = map->slots[i].key - 1;
    return map->slots[i].key ? map->slots[i].ns : (double)NAN;
}

void bl_time_map_free(struct bl_time_map *map)
{
    free(map->slots);
    *map = (struct bl_time_map){0};
}

void bl_time_open_begin(struct bl_time_open *open, bool may_join)
{
    const uint32_t store = open->store + 1;
    if (!may_join)
        *open = (struct bl_time_open){0};
    open->store = store;
}

unsigned bl_time_open_joined(struct bl_time_open *open, uint64_t address, unsigned line_bytes,
                             unsigned sector_bytes)
{
    const uint64_t number = address / line_bytes + 1,
                   sector = (uint64_t)1 << address % line_bytes / sector_bytes;
    for (unsigned i = 0; i < BL_TIME_OPEN_LINES; i++) {
        struct bl_time_open_line *line = &open->lines[i];
        if (line->number != number)
            continue;
        const unsigned saved =
            (line->sectors & sector ? 1u : 0u) + (line->store != open->store ? 1u : 0u);
        line->sectors |= sector;
        line->store = open->store;
        return saved;
    }
    open->lines[open->next] = (struct bl_time_open_line){number, sector, open->store};
    open->next = (open->next + 1) % BL_TIME_OPEN_LINES;
    return 0;
}
