#include "model/granules.h"

#include <math.h>
#include <stdlib.h>

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
