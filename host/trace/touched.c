#include "trace/touched.h"

#include <stdlib.h>
#include <string.h>

#include "trace/wire.h"

enum { SECTORS_OF_PAGE = 64, FIRST_CAPACITY = 1 << 10, MAX_CAPACITY = 1 << 20 };

/* Where this page is, or would be, of so many, a power of two. */
static struct bl_touched_page *slot_of(struct bl_touched_page pages[], size_t capacity,
                                       uint64_t key)
{
    const uint64_t mixed = key * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(mixed >> 20) & (capacity - 1);
    while (pages[at].key && pages[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &pages[at];
}

static bool grow(struct bl_touched *touched)
{
    const size_t capacity = touched->capacity ? 2 * touched->capacity : FIRST_CAPACITY;
    struct bl_touched_page *before = touched->pages, *pages = calloc(capacity, sizeof *pages);
    if (!pages)
        return false;
    for (size_t i = 0; i < touched->capacity; i++)
        if (before[i].key)
            *slot_of(pages, capacity, before[i].key) = before[i];
    touched->pages = pages;
    touched->capacity = capacity;
    free(before);
    return true;
}

/* NULL without memory; *is_full where no more are counted. */
static struct bl_touched_page *page_of(struct bl_touched *touched, uint64_t key, bool *is_full)
{
    *is_full = false;
    if (2 * touched->count >= touched->capacity && touched->capacity < MAX_CAPACITY &&
        !grow(touched))
        return NULL;
    struct bl_touched_page *page = slot_of(touched->pages, touched->capacity, key);
    if (page->key)
        return page;
    *is_full = 2 * touched->count >= MAX_CAPACITY;
    if (*is_full)
        return NULL;
    page->key = key;
    touched->count++;
    return page;
}

/* What the page's last group touched becomes what groups before touched. */
static void fold(struct bl_touched_page *page)
{
    page->again |= page->before & page->now;
    page->before |= page->now;
    page->now = 0;
}

void bl_touched_next_group(struct bl_touched *touched) { touched->group++; }

enum bl_status bl_touch(struct bl_touched *touched, uint64_t address, uint64_t bytes, bool is_read,
                        bool is_write, struct bl_error *error)
{
    const uint64_t first = address / touched->sector_bytes,
                   last = (address + bytes - 1) / touched->sector_bytes;
    for (uint64_t sector = first; sector <= last; sector++) {
        bool is_full;
        struct bl_touched_page *page = page_of(touched, sector / SECTORS_OF_PAGE + 1, &is_full);
        if (!page && !is_full)
            return bl_fail(error, BL_NO_MEMORY, "no memory for what was traced");
        if (!page)
            continue;
        const uint64_t bit = (uint64_t)1 << sector % SECTORS_OF_PAGE;
        if (page->group != touched->group)
            fold(page);
        page->group = touched->group;
        page->now |= bit;
        page->read |= is_read ? bit : 0;
        page->written |= is_write ? bit : 0;
    }
    return BL_OK;
}

static int by_key(const void *left, const void *right)
{
    const uint64_t a = ((const struct bl_touched_page *)left)->key,
                   b = ((const struct bl_touched_page *)right)->key;
    return (a > b) - (a < b);
}

static uint64_t buffer_of(const struct bl_touched *touched, const struct bl_touched_page *page)
{
    return ((page->key - 1) * SECTORS_OF_PAGE * touched->sector_bytes) >> BL_WIRE_OFFSET_BITS;
}

/* Sectors of one buffer, of reads or of writes. */
struct extent {
    uint64_t sectors, shared, first, last; /* shared: by several groups, of these */
};

static void extend(struct extent *extent, uint64_t first_of_page, uint64_t bits, uint64_t again)
{
    if (!bits)
        return;
    const uint64_t first = first_of_page + (uint64_t)__builtin_ctzll(bits),
                   last = first_of_page + 63 - (uint64_t)__builtin_clzll(bits);
    extent->first = extent->sectors ? extent->first : first;
    extent->last = last;
    extent->sectors += (uint64_t)__builtin_popcountll(bits);
    extent->shared += (uint64_t)__builtin_popcountll(bits & again);
}

static double scaled(const struct extent *extent, double times)
{
    if (!extent->sectors)
        return 0;
    const double shared = (double)extent->shared,
                 all = shared + ((double)extent->sectors - shared) * times,
                 between = (double)(extent->last - extent->first + 1);
    return all < between ? all : between;
}

struct bl_touched_bytes bl_touched_end(struct bl_touched *touched, uint64_t groups, uint64_t traced)
{
    struct bl_touched_bytes bytes = {0};
    const double times = traced && groups > traced ? (double)groups / (double)traced : 1;
    size_t count = 0;
    for (size_t i = 0; i < touched->capacity; i++)
        if (touched->pages[i].key)
            touched->pages[count++] = touched->pages[i];
    if (count)
        qsort(touched->pages, count, sizeof *touched->pages, by_key);
    for (size_t i = 0; i < count;) {
        const uint64_t buffer = buffer_of(touched, &touched->pages[i]);
        struct extent read = {0}, written = {0};
        for (; i < count && buffer_of(touched, &touched->pages[i]) == buffer; i++) {
            const uint64_t first = (touched->pages[i].key - 1) * SECTORS_OF_PAGE;
            fold(&touched->pages[i]);
            extend(&read, first, touched->pages[i].read, touched->pages[i].again);
            extend(&written, first, touched->pages[i].written, touched->pages[i].again);
        }
        bytes.read += scaled(&read, times) * touched->sector_bytes;
        bytes.written += scaled(&written, times) * touched->sector_bytes;
    }
    if (touched->capacity)
        memset(touched->pages, 0, touched->capacity * sizeof *touched->pages);
    touched->count = 0;
    return bytes;
}

void bl_touched_free(struct bl_touched *touched)
{
    free(touched->pages);
    touched->pages = NULL;
    touched->count = touched->capacity = 0;
}
