/* Lays an access out over a working set, tile after tile. */
#ifndef BANKLINE_RUN_LEVEL_WORKLOAD_H
#define BANKLINE_RUN_LEVEL_WORKLOAD_H

#include "model/pattern.h"
#include "run/workload.h"

/* What goes over the tiles: an expression, or the pattern of the setting's case. */
struct bl_tiled {
    const struct bl_expression *expression; /* borrowed; NULL: the pattern */
    const struct bl_type *type;             /* borrowed */
    bool is_write;
    struct bl_shape groups;           /* over which ids range */
    const uint64_t *starts;           /* of their work-items, group by group */
    uint64_t min, max, touched_lines; /* of the starts */
};

/* wanted_bytes: of the lines that the launch touches, about. The cost is what the cache of a
 * compute unit charges, and the granules of every level. A workload that memory has no room for is
 * unsupported. BL_NO_MEMORY. */
enum bl_status bl_lay_out_tiles(const struct bl_tiled *tiled, const struct bl_setting *setting,
                                uint64_t wanted_bytes, struct bl_workload *workload,
                                struct bl_error *error);

/* Where the work-items of so many groups of ids start, of a pattern that has no parameter; the
 * caller frees them. NULL: there is no memory for them. */
uint64_t *bl_tile_starts(enum bl_pattern pattern, struct bl_shape shape, size_t groups);

/* What the outputs must be. Where the replicas have no starts they are those of the pattern. */
enum bl_status bl_tiles_reference(const struct bl_workload *workload, uint32_t rounds,
                                  uint32_t expected[], struct bl_error *error);

/* The data repeat, and so do the sums of blocks: of as many in a row as this, a divisor of their
 * number. */
uint64_t bl_tiles_period(const struct bl_launch *launch, uint64_t blocks);

#endif
