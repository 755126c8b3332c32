/* A working set made of tiles: as long each as an index expression reaches, side by side.
 *
 * Blocks of a few tiles are what a replica of the expression's groups takes in a round, one block
 * after another, as kernels/tiles.h says: replica r begins with block r * begin_on, and goes on by
 * further_on, modulo their number, which has no divisor in common with either.
 */
#ifndef BANKLINE_RUN_TILES_H
#define BANKLINE_RUN_TILES_H

#include <stdbool.h>
#include <stdint.h>

struct bl_tiles {
    uint64_t elements;             /* of a tile; a whole number of lines */
    uint64_t blocks;               /* of the array */
    unsigned per_block;            /* tiles of a block */
    uint64_t begin_on, further_on; /* blocks */
};

/* What the tiles must hold, and where they must fit. */
struct bl_tiling {
    uint64_t min, max;      /* elements that the expression reaches */
    uint64_t touched_lines; /* of a tile */
    unsigned element_bytes; /* the distance of elements */
    unsigned line_bytes;    /* of the machine */
    uint64_t wanted_bytes;  /* of all lines that are touched */
    uint64_t max_bytes;     /* of the array */
    uint64_t replicas;      /* at work at a time */
};

/* So many tiles that what they touch is about what is wanted; false: there is no room for as much
 * as a third of it, or one is too much, or too long for a kernel's index. */
bool bl_choose_tiles(const struct bl_tiling *tiling, struct bl_tiles *tiles);

#endif
