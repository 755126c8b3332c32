/* A working set made of tiles side by side, each as long as the range of an index expression.
 *
 * In each round a replica of the expression's groups accesses a block of a few tiles
 * (kernels/tiles.h). Replica r begins with block r * begin_on, and moves on by further_on blocks in
 * each round, both modulo the number of blocks. begin_on and further_on have no factor in common
 * with the number of blocks, so each replica reaches every block. */
#ifndef BANKLINE_RUN_TILES_H
#define BANKLINE_RUN_TILES_H

#include "model/launch.h"
#include "run/workload.h"

/* What bl_choose_tiles needs to know about an access and its device. */
struct bl_tiling {
    uint64_t min, max;      /* smallest and largest element index of the expression */
    uint64_t touched_lines; /* number of lines that a tile's accesses touch */
    unsigned element_bytes; /* size of an element */
    unsigned line_bytes;    /* line size of the machine */
    uint64_t wanted_bytes;  /* wanted total size of the touched lines */
    uint64_t max_bytes;     /* max size of the array */
    uint64_t replicas;      /* number of replicas in a launch */
};

/* Chooses the number of tiles so that all tiles together touch about as many bytes as wanted.
 * Returns false if the tiles of the largest array touch less than a quarter of these bytes, if a
 * single tile's accesses touch more than twice as many, or if a tile is too long for a kernel's
 * index. */
bool bl_choose_tiles(const struct bl_tiling *tiling, struct bl_tiles *tiles);

/* The access to lay out in tiles: an expression, or the pattern of the setting's case. */
struct bl_tiled {
    const struct bl_expression *expression; /* borrowed; NULL for the pattern */
    const struct bl_type *type;             /* borrowed */
    bool is_write;
    struct bl_shape groups; /* the groups over which the ids range */
    const uint64_t *starts; /* start elements of the groups' work-items, group by group; for an
                               expression, the workload borrows them */
    uint64_t wanted_bytes;  /* approximate size of the lines that the launch touches */
};

/* Lays out the tiles. Fills in the workload's cost: clocks in the compute unit's cache, and
 * granules at every level. A workload that does not fit into memory, or has too many work-items or
 * reference sums, is marked as unsupported. Fails with BL_NO_MEMORY. */
enum bl_status bl_lay_out_tiles(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                struct bl_workload *workload, struct bl_error *error);

/* Returns the start elements of all work-items of `groups` groups of this shape, by a pattern that
 * does not use its parameter `n`. The caller frees the array. Returns NULL if memory runs out. */
uint64_t *bl_tile_starts(enum bl_pattern pattern, struct bl_shape shape, size_t groups);

#endif
