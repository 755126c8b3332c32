/* The first cache of a simulated compute unit, which is fully associative and replaces the least
 * recently used line, the map of blocks in L2, and what earlier launches left in L2. All are hash
 * tables, because a launch touches millions of lines. */
#include "model/time_cache.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

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

double bl_time_hit_ns(const struct bl_machine *machine, const struct bl_time_op *op,
                      double *conflict_ns)
{
    const unsigned free_banks = op->free_banks > 1 ? op->free_banks : 1;
    *conflict_ns = 0;
    if (op->is_constant) {
        const unsigned addresses = op->banks / machine->constant_address_clocks;
        return machine->constant_latency_ns +
               (addresses > 1 ? addresses - 1 : 0) * machine->constant_further_ns;
    }
    if (op->banks > free_banks)
        *conflict_ns = machine->conflict_ns + (op->banks - free_banks) * machine->further_pass_ns;
    return (op->kind == BL_TIME_LOAD ? machine->cache_latency_ns : machine->local_latency_ns) +
           *conflict_ns;
}

/* On an H100, loads each with a store to the same line, issued before the load's value had arrived,
 * followed one another. If the data came from memory, a pair took 740 to 1190 ns where a unit ran 1
 * to 8 sub-groups, but 500, 250 and 190 ns where it ran 16, 32 and 64: some pairs were then under
 * way together. If the data were in L2, a pair took 50 ns, but 20 ns with many sub-groups. Without
 * the stores, or if they waited for the value, loads of all sub-groups were under way together. */
double bl_time_cache_awaited_ns(const struct bl_time_cache *cache, const struct bl_machine *machine,
                                uint64_t address, double now_ns, double running)
{
    static const double l2_latencies = 0.33, memory_latencies = 2.3;
    static const double sub_groups_per_pair = 9, most_pairs = 4.8;
    const struct bl_time_sector *at = bl_time_cache_find(cache, address);
    const double pairs = fmin(most_pairs, fmax(1, running / sub_groups_per_pair));
    if (!at || at->arrival_ns <= now_ns)
        return 0;
    /* The square root fits the times of pairs with data in L2. */
    return at->is_from_memory
               ? memory_latencies * machine->levels[BL_LEVEL_MEMORY].latency_ns / pairs
               : l2_latencies * machine->levels[0].latency_ns / sqrt(pairs);
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

double *bl_time_map_slot(const struct bl_time_map *map, size_t i, uint64_t *number)
{
    *number = map->slots[i].key - 1;
    return map->slots[i].key ? &map->slots[i].ns : NULL;
}

void bl_time_map_free(struct bl_time_map *map)
{
    free(map->slots);
    *map = (struct bl_time_map){0};
}

/* What earlier launches left in L2. */

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
    if (!isfinite(period->since))
        return 0;
    return bl_l2_part_kept((period->since + touched) / capacity);
}

double bl_l2_left_blocks(const struct bl_l2_left *left)
{
    double blocks = 0;
    for (size_t i = 0; i < left->period_count; i++)
        blocks += fmax(0, left->periods[i].blocks);
    return blocks;
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
        if (isfinite(left->periods[i].since))
            left->periods[i].since = since += fmax(0, left->periods[i].blocks);
}

/* Replaces the blocks of the oldest period in which the host wrote, except the current one. Returns
 * their number; 0 if there are none. */
static double replace_written(struct bl_l2_left *left)
{
    for (; left->first_replaceable + 1 < left->period_count; left->first_replaceable++) {
        struct bl_l2_period *period = &left->periods[left->first_replaceable];
        const double blocks = period->blocks;
        if (!period->is_written || blocks <= 0)
            continue;
        period->blocks = 0;
        period->since = INFINITY;
        return blocks;
    }
    return 0;
}

bool bl_l2_left_write(struct bl_l2_left *left, unsigned block_bytes, uint64_t address,
                      uint64_t bytes, double capacity)
{
    enum { PERIOD_BLOCKS = 1 << 16 };
    const uint64_t end = (address + bytes - 1) / block_bytes + 1;
    const double room = 0.8 * capacity; /* what copies can use: some 32 MiB of an H100's L2 */
    uint64_t block = address / block_bytes;
    bool has_memory = true;
    double blocks = bl_l2_left_blocks(left);
    block += block + 1 == left->written_end; /* the previous write has touched this block */
    if (bytes == 0 || block >= end)
        return true;
    for (; has_memory && block < end; block++) {
        const bool is_in_l2 = bl_l2_left_part(left, block, 0, capacity) > 0.5;
        if (left->written_end == 0 || block != left->written_end ||
            left->periods[left->period_count - 1].blocks >= PERIOD_BLOCKS)
            has_memory = bl_l2_left_begin(left, 1);
        if (!has_memory)
            break;
        left->periods[left->period_count - 1].is_written = true;
        left->written_end = block + 1;
        if (!is_in_l2 && blocks + 1 > room)
            blocks -= replace_written(left);
        if (is_in_l2 || blocks + 1 <= room) {
            has_memory = bl_l2_left_add(left, block);
            blocks += !is_in_l2;
        }
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
