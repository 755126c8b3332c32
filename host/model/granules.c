/* Counts the granules, sectors and lines that requests touch, and computes what a level charges for
 * them. Addresses are sorted, so that equal granules are neighbours and blocks can be handled one
 * after another. */
#include "model/granules.h"

#include <math.h>
#include <stdlib.h>

/* The cost of writes beyond the cache of a compute unit. */

/* The bytes from `from` to `to` - 1. */
struct span {
    uint64_t from, to;
};

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

struct tally {
    const struct bl_accessed *of;
    uint64_t block, line;    /* numbers of the current block and line */
    uint64_t granule;        /* number of the granule of the last full sector */
    double whole, partial;   /* full and partial sectors of the block so far */
    double granules;         /* granules of its full sectors */
    double partial_lines;    /* its lines that have a partial sector */
    bool is_partial;         /* whether the current line has a partial sector */
    double sectors, charged; /* sums over all blocks */
};

static void end_line(struct tally *tally)
{
    tally->partial_lines += tally->is_partial;
    tally->is_partial = false;
}

/* The cost of a block in sectors; NAN if the level has no rule for it. */
static double cost_of_block(const struct tally *tally)
{
    const struct bl_level *level = tally->of->level;
    const double least = level->write_alone_percent + level->write_whole_percent * tally->granules;
    /* An upper bound of the minimum: the sectors of a whole block. */
    const double all = (double)level->write_block_bytes / tally->of->machine->sector_bytes;
    if (tally->partial == 0)
        return tally->whole > 0 ? fmax(tally->whole, fmin(all, least / 100)) : 0;
    const double opened =
        level->write_open_percent + level->write_line_percent * tally->partial_lines;
    const double filled = level->write_fill_percent + level->write_part_percent * tally->partial;
    if (tally->whole > 0 && !level->write_mixes)
        return NAN;
    return tally->whole + fmax(tally->partial, fmin(2 * all, fmax(opened, filled) / 100));
}

static void end_block(struct tally *tally)
{
    tally->charged += cost_of_block(tally);
    tally->whole = tally->granules = tally->partial = tally->partial_lines = 0;
}

/* Counts a sector and the bytes written in it. Call it for ascending sectors. */
static void add_sector(struct tally *tally, uint64_t sector, uint64_t bytes)
{
    const struct bl_machine *machine = tally->of->machine;
    const uint64_t at = sector * machine->sector_bytes, line = at / machine->line_bytes;
    const uint64_t block = at / tally->of->level->write_block_bytes;
    const uint64_t granule = at / tally->of->level->granule_bytes;
    if (line != tally->line)
        end_line(tally);
    if (block != tally->block)
        end_block(tally);
    tally->line = line;
    tally->block = block;
    const bool is_whole = bytes == machine->sector_bytes;
    tally->is_partial |= !is_whole;
    tally->partial += !is_whole;
    tally->whole += is_whole;
    tally->granules += is_whole && (tally->granules == 0 || granule != tally->granule);
    tally->granule = is_whole ? granule : tally->granule;
    tally->sectors++;
}

/* Counts what the work-items of a request write. */
static void add_written(struct tally *tally, const uint64_t starts[], size_t count,
                        struct span spans[])
{
    const struct bl_type *type = tally->of->type;
    const uint64_t size = tally->of->machine->sector_bytes;
    uint64_t sector = UINT64_MAX, bytes = 0, end = 0; /* end of the bytes counted so far */
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = starts[i] * type->element_bytes % tally->of->tile_bytes;
        spans[i] = (struct span){from, from + type->access_bytes};
    }
    qsort(spans, count, sizeof spans[0], by_begin);
    for (size_t i = 0; i < count; i++)
        for (uint64_t from = spans[i].from > end ? spans[i].from : end; from < spans[i].to;) {
            const uint64_t this = from / size, stop = (this + 1) * size;
            const uint64_t to = spans[i].to < stop ? spans[i].to : stop;
            if (this != sector && bytes > 0)
                add_sector(tally, sector, bytes);
            bytes = (this == sector ? bytes : 0) + to - from;
            sector = this;
            from = end = to;
        }
    if (bytes > 0)
        add_sector(tally, sector, bytes);
    end_line(tally);
    end_block(tally);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the distinct granules of these work-items in ascending order, modulo the tile; returns
 * their number. */
static size_t distinct(const struct bl_accessed *of, const uint64_t starts[], size_t count,
                       uint64_t granules[])
{
    const unsigned bytes = of->level->granule_bytes;
    size_t n = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = starts[i] * of->type->element_bytes;
        const uint64_t last = (from + of->type->access_bytes - 1) / bytes;
        for (uint64_t granule = from / bytes; granule <= last; granule++)
            granules[n++] = granule % (of->tile_bytes / bytes);
    }
    qsort(granules, n, sizeof granules[0], ascending);
    for (size_t i = 0; i < n; i++)
        if (found == 0 || granules[found - 1] != granules[i])
            granules[found++] = granules[i];
    return found;
}

/* The number of distinct lines, of `per` granules each, that contain these granules. */
static size_t wholes(const uint64_t granules[], size_t count, uint64_t per)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += i == 0 || granules[i] / per != granules[i - 1] / per;
    return found;
}

/* The cost of a request in granules, which are sorted. A block costs as many as it has, but at
 * least the cost of opening it. */
static double charge_blocks(const struct bl_level *level, unsigned line_bytes,
                            const uint64_t granules[], size_t count)
{
    const uint64_t per_block = level->block_bytes / level->granule_bytes;
    double charged = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && granules[next] / per_block == granules[i] / per_block;)
            next++;
        const double lines =
            (double)wholes(granules + i, next - i, line_bytes / level->granule_bytes);
        const double opened = level->open_percent + level->line_percent * lines +
                              level->granule_percent * (double)(next - i);
        charged += fmax((double)(next - i), opened / 100);
    }
    return charged;
}

enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error)
{
    const struct bl_level *level = of->level;
    const unsigned bytes = level->granule_bytes, line_bytes = of->machine->line_bytes;
    const bool counts_sectors = of->is_write && level->write_block_bytes;
    const size_t most = of->together < of->count ? of->together : of->count;
    /* At least two numbers per work-item, so the memory also suffices for spans. */
    uint64_t *room = calloc(most * (of->type->access_bytes / bytes + 2), sizeof *room);
    if (!room)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the granules of %zu work-items", most);
    struct tally written = {.of = of};
    *granules = (struct bl_granules){0};
    for (size_t first = 0; first < of->count; first += most) {
        const size_t items = most < of->count - first ? most : of->count - first;
        if (counts_sectors) {
            add_written(&written, of->starts + first, items, (struct span *)room);
            continue;
        }
        const size_t found = distinct(of, of->starts + first, items, room);
        const double lines = (double)wholes(room, found, line_bytes / bytes);
        double charged = fmax((double)found, level->least_of_line_percent / 100.0 * lines);
        if (level->block_bytes)
            charged = fmax(charged, charge_blocks(level, line_bytes, room, found));
        granules->fetched += (double)found;
        granules->charged += charged;
    }
    free(room);
    if (counts_sectors)
        *granules = (struct bl_granules){written.sectors * of->machine->sector_bytes / bytes,
                                         written.charged};
    return BL_OK;
}

enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error)
{
    const struct bl_level of_lines = {.granule_bytes = machine->line_bytes};
    const struct bl_accessed all = {
        .machine = machine,
        .level = &of_lines,
        .type = type,
        .starts = starts,
        .count = count,
        .together = count,
        .tile_bytes = UINT64_MAX, /* the pattern does not repeat */
    };
    struct bl_granules touched = {0};
    const enum bl_status status = bl_granules_of(&all, &touched, error);
    *lines = (uint64_t)touched.fetched;
    return status;
}
