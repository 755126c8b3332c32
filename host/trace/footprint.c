/* Stores a footprint as bit masks per page of 64 sectors. Every traced access to global or constant
 * memory updates the footprint; this costs only a lookup in a hash table. */
#include "trace/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "model/accesses.h"

enum { SECTORS_OF_PAGE = 64, FIRST_CAPACITY = 1 << 10, MAX_CAPACITY = 1 << 20 };

/* The slot that holds the page with this key; if there is none, the free slot for it. capacity: a
 * power of two. */
static struct bl_footprint_page *slot_of(struct bl_footprint_page pages[], size_t capacity,
                                         uint64_t key)
{
    const uint64_t mixed = key * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(mixed >> 20) & (capacity - 1);
    while (pages[at].key && pages[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &pages[at];
}

static bool grow(struct bl_trace_footprint *footprint)
{
    const size_t capacity = footprint->capacity ? 2 * footprint->capacity : FIRST_CAPACITY;
    struct bl_footprint_page *before = footprint->pages, *pages = calloc(capacity, sizeof *pages);
    if (!pages)
        return false;
    for (size_t i = 0; i < footprint->capacity; i++)
        if (before[i].key)
            *slot_of(pages, capacity, before[i].key) = before[i];
    footprint->pages = pages;
    footprint->capacity = capacity;
    free(before);
    return true;
}

/* Finds a page, or adds it. Returns NULL if memory runs out. If the page is new and the maximum
 * number of pages is reached, returns NULL and sets *is_full. */
static struct bl_footprint_page *page_of(struct bl_trace_footprint *footprint, uint64_t key,
                                         bool *is_full)
{
    *is_full = false;
    if (2 * footprint->count >= footprint->capacity && footprint->capacity < MAX_CAPACITY &&
        !grow(footprint))
        return NULL;
    struct bl_footprint_page *page = slot_of(footprint->pages, footprint->capacity, key);
    if (page->key)
        return page;
    *is_full = 2 * footprint->count >= MAX_CAPACITY;
    if (*is_full)
        return NULL;
    page->key = key;
    footprint->count++;
    return page;
}

/* Adds the sectors that the page's latest group touched (`now`) to those of earlier groups. */
static void fold(struct bl_footprint_page *page)
{
    page->again |= page->before & page->now;
    page->before |= page->now;
    page->now = 0;
}

void bl_footprint_next_group(struct bl_trace_footprint *footprint, enum bl_group_place place)
{
    footprint->group++;
    footprint->place = place;
}

enum bl_status bl_footprint_add(struct bl_trace_footprint *footprint, uint64_t address,
                                uint64_t bytes, bool is_read, bool is_write, struct bl_error *error)
{
    const uint64_t first = address / footprint->sector_bytes,
                   last = (address + bytes - 1) / footprint->sector_bytes;
    for (uint64_t sector = first; sector <= last; sector++) {
        bool is_full;
        struct bl_footprint_page *page = page_of(footprint, sector / SECTORS_OF_PAGE + 1, &is_full);
        if (!page && !is_full)
            return bl_fail(error, BL_NO_MEMORY, "out of memory while storing the traced accesses");
        if (!page)
            continue;
        const uint64_t bit = (uint64_t)1 << sector % SECTORS_OF_PAGE;
        if (page->group != footprint->group)
            fold(page);
        page->group = footprint->group;
        page->now |= bit;
        page->by_first |= footprint->place == BL_GROUP_FIRST ? bit : 0;
        page->by_last |= footprint->place == BL_GROUP_LAST ? bit : 0;
        page->read |= is_read ? bit : 0;
        page->written |= is_write ? bit : 0;
    }
    return BL_OK;
}

static int by_key(const void *left, const void *right)
{
    const uint64_t a = ((const struct bl_footprint_page *)left)->key,
                   b = ((const struct bl_footprint_page *)right)->key;
    return (a > b) - (a < b);
}

static uint64_t buffer_of(const struct bl_trace_footprint *footprint,
                          const struct bl_footprint_page *page)
{
    return ((page->key - 1) * SECTORS_OF_PAGE * footprint->sector_bytes) >> BL_BUFFER_BITS;
}

/* The sectors of one buffer that a launch reads, or that it writes. */
struct extent {
    uint64_t sectors, first, last;
    uint64_t shared;               /* number of sectors that two or more groups touched */
    uint64_t own[BL_GROUP_PLACES]; /* number of sectors that a single group touched, by the group's
                                      place */
};

static uint64_t count_bits(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

static void extend(struct extent *extent, const struct bl_footprint_page *page,
                   uint64_t first_of_page, uint64_t bits)
{
    if (!bits)
        return;
    const uint64_t first = first_of_page + (uint64_t)__builtin_ctzll(bits),
                   last = first_of_page + 63 - (uint64_t)__builtin_clzll(bits);
    extent->first = extent->sectors ? extent->first : first;
    extent->last = last;
    const uint64_t own = bits & ~page->again;
    extent->sectors += count_bits(bits);
    extent->shared += count_bits(bits & page->again);
    extent->own[BL_GROUP_FIRST] += count_bits(own & page->by_first);
    extent->own[BL_GROUP_LAST] += count_bits(own & page->by_last);
    extent->own[BL_GROUP_BETWEEN] += count_bits(own & ~page->by_first & ~page->by_last);
}

static double scaled(const struct extent *extent, const double weights[BL_GROUP_PLACES])
{
    if (!extent->sectors)
        return 0;
    const double between = (double)(extent->last - extent->first + 1);
    double all = (double)extent->shared;
    for (unsigned place = 0; place < BL_GROUP_PLACES; place++)
        all += weights[place] * (double)extent->own[place];
    return all < between ? all : between;
}

struct bl_footprint_bytes bl_footprint_end(struct bl_trace_footprint *footprint,
                                           const double weights[BL_GROUP_PLACES])
{
    struct bl_footprint_bytes bytes = {0};
    size_t count = 0;
    for (size_t i = 0; i < footprint->capacity; i++)
        if (footprint->pages[i].key)
            footprint->pages[count++] = footprint->pages[i];
    if (count)
        qsort(footprint->pages, count, sizeof *footprint->pages, by_key);
    for (size_t i = 0; i < count;) {
        const uint64_t buffer = buffer_of(footprint, &footprint->pages[i]);
        struct extent read = {0}, written = {0};
        for (; i < count && buffer_of(footprint, &footprint->pages[i]) == buffer; i++) {
            const uint64_t first = (footprint->pages[i].key - 1) * SECTORS_OF_PAGE;
            fold(&footprint->pages[i]);
            extend(&read, &footprint->pages[i], first, footprint->pages[i].read);
            extend(&written, &footprint->pages[i], first, footprint->pages[i].written);
        }
        bytes.read += scaled(&read, weights) * footprint->sector_bytes;
        bytes.written += scaled(&written, weights) * footprint->sector_bytes;
    }
    if (footprint->capacity)
        memset(footprint->pages, 0, footprint->capacity * sizeof *footprint->pages);
    footprint->count = 0;
    return bytes;
}

void bl_footprint_free(struct bl_trace_footprint *footprint)
{
    free(footprint->pages);
    footprint->pages = NULL;
    footprint->count = footprint->capacity = 0;
}
