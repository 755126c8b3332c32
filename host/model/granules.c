#include "model/granules.h"

#include <math.h>
#include <stdlib.h>

/* What writes cost beyond the cache of a compute unit. */

/* Bytes from one to another, which is not among them. */
struct span {
    uint64_t from, to;
};

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

struct tally {
    const struct bl_level *level;
    unsigned sector_bytes, line_bytes;
    uint64_t block, line;    /* the numbers of those that are being written, */
    uint64_t granule;        /* of the last whole sector */
    double whole, partial;   /* sectors of the block so far, */
    double granules;         /* that the whole ones lie in, */
    double partial_lines;    /* its lines with a partial sector, */
    bool is_partial;         /* and whether the line has one */
    double sectors, charged; /* of all */
};

static void end_line(struct tally *tally)
{
    tally->partial_lines += tally->is_partial;
    tally->is_partial = false;
}

/* In sectors; NAN: the level has no rule of such a block. */
static double cost_of_block(const struct tally *tally)
{
    const struct bl_level *level = tally->level;
    const double least = level->write_alone_percent + level->write_whole_percent * tally->granules;
    /* To write all of it is the most, or, where it is read first, to do both. */
    const double all = (double)level->write_block_bytes / tally->sector_bytes;
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

/* A sector, of which so many bytes are written; they come in order. */
static void add_sector(struct tally *tally, uint64_t sector, uint64_t bytes)
{
    const uint64_t line = sector * tally->sector_bytes / tally->line_bytes;
    const uint64_t block = sector * tally->sector_bytes / tally->level->write_block_bytes;
    if (line != tally->line)
        end_line(tally);
    if (block != tally->block)
        end_block(tally);
    tally->line = line;
    tally->block = block;
    const bool is_whole = bytes == tally->sector_bytes;
    tally->is_partial |= !is_whole;
    tally->whole += is_whole;
    const uint64_t granule = sector * tally->sector_bytes / tally->level->granule_bytes;
    tally->granules += is_whole && (tally->granules == 0 || granule != tally->granule);
    tally->granule = is_whole ? granule : tally->granule;
    tally->partial += !is_whole;
    tally->sectors++;
}

/* The spans of some work-items, in order. */
static void add_spans(struct tally *tally, const struct span spans[], size_t count)
{
    const uint64_t size = tally->sector_bytes;
    uint64_t sector = UINT64_MAX, bytes = 0, end = 0; /* up to where bytes are counted */
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

enum bl_status bl_granules_written(const struct bl_level *level, const struct bl_machine *machine,
                                   const struct bl_type *type, const uint64_t starts[],
                                   size_t count, size_t together, uint64_t tile_bytes,
                                   struct bl_granules *granules, struct bl_error *error)
{
    const size_t most = together < count ? together : count;
    struct span *spans = calloc(most, sizeof *spans);
    if (!spans)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the bytes of %zu work-items", most);
    struct tally tally = {
        .level = level,
        .sector_bytes = machine->sector_bytes,
        .line_bytes = machine->line_bytes,
    };
    for (size_t first = 0; first < count; first += together) {
        const size_t items = together < count - first ? together : count - first;
        for (size_t i = 0; i < items; i++) {
            const uint64_t from = starts[first + i] * type->element_bytes % tile_bytes;
            spans[i] = (struct span){from, from + type->access_bytes};
        }
        qsort(spans, items, sizeof spans[0], by_begin);
        add_spans(&tally, spans, items);
    }
    free(spans);
    *granules = (struct bl_granules){
        .fetched = tally.sectors * machine->sector_bytes / level->granule_bytes,
        .charged = tally.charged,
    };
    return BL_OK;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The granules of these work-items, each once and in order, modulo those of a tile; returns how
 * many. */
static size_t distinct(const struct bl_type *type, const uint64_t starts[], size_t count,
                       unsigned granule_bytes, uint64_t tile_granules, uint64_t granules[])
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = starts[i] * type->element_bytes;
        const uint64_t last = (from + type->access_bytes - 1) / granule_bytes;
        for (uint64_t granule = from / granule_bytes; granule <= last; granule++)
            granules[n++] = granule % tile_granules;
    }
    qsort(granules, n, sizeof granules[0], ascending);
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (found == 0 || granules[found - 1] != granules[i])
            granules[found++] = granules[i];
    return found;
}

/* The lines, of `per` granules each, that these granules lie in. */
static size_t wholes(const uint64_t granules[], size_t count, uint64_t per)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += i == 0 || granules[i] / per != granules[i - 1] / per;
    return found;
}

/* A request's, whose granules come in order: each block at least what opening it takes. */
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

enum bl_status bl_granules_of(const struct bl_level *level, unsigned line_bytes,
                              const struct bl_type *type, const uint64_t starts[], size_t count,
                              size_t together, uint64_t tile_bytes, struct bl_granules *granules,
                              struct bl_error *error)
{
    const unsigned bytes = level->granule_bytes;
    const size_t most = together < count ? together : count;
    uint64_t *room = calloc(most * (type->access_bytes / bytes + 2), sizeof *room);
    if (!room)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the granules of %zu work-items", most);
    *granules = (struct bl_granules){0};
    for (size_t first = 0; first < count; first += together) {
        const size_t items = together < count - first ? together : count - first;
        const size_t found = distinct(type, starts + first, items, bytes, tile_bytes / bytes, room);
        const double lines = (double)wholes(room, found, line_bytes / bytes);
        double charged = fmax((double)found, level->least_of_line_percent / 100.0 * lines);
        if (level->block_bytes)
            charged = fmax(charged, charge_blocks(level, line_bytes, room, found));
        granules->fetched += (double)found;
        granules->charged += charged;
    }
    free(room);
    return BL_OK;
}

uint64_t bl_lines_touched(const uint64_t starts[], size_t count, unsigned element_bytes,
                          unsigned line_bytes)
{
    uint64_t max = 0;
    for (size_t i = 0; i < count; i++)
        max = starts[i] > max ? starts[i] : max;
    const uint64_t lines = (max + 1) * element_bytes / line_bytes + 1;
    uint8_t *touched = calloc(lines / 8 + 1, 1);
    uint64_t found = 0;
    for (size_t i = 0; i < count && touched; i++) {
        const uint64_t last = ((starts[i] + 1) * element_bytes - 1) / line_bytes;
        for (uint64_t line = starts[i] * element_bytes / line_bytes; line <= last; line++) {
            const uint8_t bit = (uint8_t)(1u << line % 8);
            found += !(touched[line / 8] & bit);
            touched[line / 8] |= bit;
        }
    }
    free(touched);
    return touched ? found : 1;
}
