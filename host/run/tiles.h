/* A working set made of tiles: as long each as an index expression reaches, side by side.
 *
 * In each round a replica of the expression's groups takes a block of a few tiles
 * (kernels/tiles.h): replica r begins with block r * begin_on and goes on by further_on blocks,
 * modulo the number of blocks, which has no common divisor with either.
 */
#ifndef BANKLINE_RUN_TILES_H
#define BANKLINE_RUN_TILES_H

#include "model/pattern.h"
#include "run/workload.h"

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

/* Chooses so many tiles that they touch about as many bytes as wanted. false: memory has no room
 * for even a quarter of that, or a single tile is too large, or too long for a kernel's index. */
bool bl_choose_tiles(const struct bl_tiling *tiling, struct bl_tiles *tiles);

/* What accesses the tiles: an expression, or the pattern of the setting's case. */
struct bl_tiled {
    const struct bl_expression *expression; /* borrowed; NULL: the pattern */
    const struct bl_type *type;             /* borrowed */
    bool is_write;
    struct bl_shape groups; /* over which ids range */
    const uint64_t *starts; /* of their work-items, group by group; borrowed with an expression */
    uint64_t wanted_bytes;  /* of the lines that the launch touches, about */
};

/* The cost is what the cache of a compute unit charges, and the granules of every level. A workload
 * that memory has no room for is unsupported. BL_NO_MEMORY. */
enum bl_status bl_lay_out_tiles(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                struct bl_workload *workload, struct bl_error *error);

/* The starts of the work-items of `groups` groups, by a pattern without a parameter; the caller
 * frees them. NULL: there is no memory for them. */
uint64_t *bl_tile_starts(enum bl_pattern pattern, struct bl_shape shape, size_t groups);

#endif
