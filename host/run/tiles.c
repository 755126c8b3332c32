#include "run/tiles.h"

#include <math.h>

/* Accesses of a round: as many as there are registers for, so that they wait together. */
enum { MOST_PER_BLOCK = 32 };

/* Of one array. NVIDIA's driver takes half a second to release a GiB. */
static const uint64_t MAX_ARRAY_BYTES = (uint64_t)8 << 30;

/* The next number from this one on, modulo that of the blocks, that has no divisor in common with
 * it. */
static uint64_t coprime(uint64_t number, uint64_t blocks)
{
    for (uint64_t n = number % blocks;; n = (n + 1) % blocks) {
        uint64_t a = blocks, b = n;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return n;
    }
}

/* The largest number up to this one that is 4 to 7 times a power of two, so that the data's
 * repetitions mostly fit into it; at least 1. */
static uint64_t rounded(double most)
{
    uint64_t unit = 1;
    while (8 * (double)unit <= most)
        unit *= 2;
    return most >= 1 ? (uint64_t)(most / (double)unit) * unit : 1;
}

bool bl_choose_tiles(const struct bl_tiling *tiling, struct bl_tiles *tiles)
{
    const uint64_t element = tiling->element_bytes;
    const uint64_t unit = tiling->line_bytes > element ? tiling->line_bytes : element;
    const uint64_t reach = (tiling->max - tiling->min + 1) * element;
    const uint64_t tile_bytes = (reach + unit - 1) / unit * unit;
    const uint64_t touched = tiling->touched_lines * tiling->line_bytes;
    const double wanted = (double)tiling->wanted_bytes / (double)touched;
    const uint64_t beyond = (tiling->max + 1) * element;
    const uint64_t limit =
        tiling->max_bytes < MAX_ARRAY_BYTES ? tiling->max_bytes : MAX_ARRAY_BYTES;
    const double room = ((double)limit - (double)beyond) / (double)tile_bytes;
    const uint64_t count = rounded(fmin(1.1 * wanted, room));
    *tiles = (struct bl_tiles){.elements = tile_bytes / element};
    tiles->per_block = count < MOST_PER_BLOCK ? (unsigned)count : MOST_PER_BLOCK;
    while (count % tiles->per_block)
        tiles->per_block--;
    tiles->blocks = count / tiles->per_block;
    /* The golden ratio of them all: any few replicas in a row begin far apart. A replica goes on
     * past those that the others take meanwhile. */
    tiles->begin_on = coprime((uint64_t)(0.6180339887 * (double)tiles->blocks), tiles->blocks);
    tiles->further_on = coprime(tiling->replicas % tiles->blocks * tiles->begin_on, tiles->blocks);
    return 3 * (double)count >= wanted && (double)count <= 2 * wanted &&
           tiles->elements <= INT32_MAX;
}
