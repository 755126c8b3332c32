/* Counts the granules that a request fetches from a level beyond the compute unit's cache, such as
 * L2 or memory. A granule is the smallest amount that the level delivers.
 *
 * Vendors' guides compare the bytes that are fetched with the bytes that are used. The rule here
 * was found on an H200 (results/rules/README.md): a request costs one unit per granule, but at
 * least a minimum per line. At a level with blocks, such as DRAM pages, it also costs at least as
 * much as opening the blocks. */
#ifndef BANKLINE_MODEL_GRANULES_H
#define BANKLINE_MODEL_GRANULES_H

#include "base/status.h"
#include "model/launch.h"

struct bl_granules {
    double fetched; /* number of distinct granules */
    double charged; /* cost of these granules; a granule costs 1 */
    double whole;   /* number of fully written sectors; only for writes at a level with a rule for
                       writes */
    double lines;   /* distinct lines */
    /* Only for writes at a level with a rule for writes: number of contiguous runs of written
     * bytes, and number of bytes in these runs. */
    double runs, bytes;
    /* Only for writes at a level with a rule for writes. apart: the cost if the full and the
     * partial sectors of each block were in separate blocks. mixed: the part of `apart` that comes
     * from blocks with both full and partial sectors, if the level has no rule for such blocks. */
    double apart, mixed;
};

/* The accesses to count: work-item i of `count` accesses element starts[i]. Addresses are taken
 * modulo tile_bytes (a multiple of a line), because the pattern repeats after tile_bytes. A granule
 * that two repetitions share counts once. */
struct bl_accessed {
    const struct bl_machine *machine;
    const struct bl_level *level; /* the level to count at; it must have a rule */
    const struct bl_type *type;
    bool is_write;
    const uint64_t *starts;
    size_t count, together; /* count: number of work-items; together: work-items per request or per
                               group (the last may have fewer) */
    uint64_t tile_bytes;
};

/* Counts the granules of each set of `together` consecutive work-items (a request or a group), and
 * sums the counts. For writes at a level with a rule for writes, `charged` is in units of a fully
 * written sector (NAN if a block has no rule), and `fetched` is the number of written sectors,
 * converted to granules. A sector is fully written if a single set writes all of its bytes. Fails
 * with BL_NO_MEMORY. */
enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error);

/* Computes the cost of all requests of one group, in the same units as bl_granules_of. Unlike
 * bl_granules_of, takes into account that several requests may fetch or write the same granules.
 * *charged is NAN if there is no rule for these requests. of->together must be the number of
 * work-items of the group; each request has one work-item per lane of the machine. Fails with
 * BL_NO_MEMORY. */
enum bl_status bl_charge_shared(const struct bl_accessed *of, double *charged,
                                struct bl_error *error);

/* Counts the distinct lines that all work-items together touch, if each makes one access. Fails
 * with BL_NO_MEMORY. */
enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error);

#endif
