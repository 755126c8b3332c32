/* Counts what a request fetches from beyond a compute unit's cache, in granules. A granule is the
 * amount that a level (L2 or memory) delivers at once.
 *
 * As in vendors' guides, the bytes fetched are compared with the bytes used. The rule here was
 * found on an H200 (results/rules/README.md): a level charges for each granule, but at least a
 * minimum per line, and at a level with blocks, such as DRAM pages, at least the cost of opening
 * them. */
#ifndef BANKLINE_MODEL_GRANULES_H
#define BANKLINE_MODEL_GRANULES_H

#include "base/status.h"
#include "model/launch.h"

struct bl_granules {
    double fetched; /* distinct granules */
    double charged; /* their cost, in units of a granule */
    double whole;   /* fully written sectors; only for writes at a level with a rule for writes */
    double lines;   /* distinct lines */
    /* Contiguous runs of bytes, and their bytes; only for writes at a level with a rule for writes.
     */
    double runs, bytes;
    /* Only for writes at a level with a rule for writes. apart: the cost if the full and the
     * partial sectors of each block were in separate blocks. mixed: the part of `apart` from blocks
     * with both, if the level has no rule for such blocks. */
    double apart, mixed;
};

/* The accesses to count: work-item i of `count` accesses element starts[i]. Addresses are taken
 * modulo tile_bytes (a multiple of a line), because the pattern repeats after as many bytes. A
 * granule that two repetitions share counts once. */
struct bl_accessed {
    const struct bl_machine *machine;
    const struct bl_level *level; /* the level to count at; it must have a rule */
    const struct bl_type *type;
    bool is_write;
    const uint64_t *starts;
    size_t count, together; /* count: all work-items; together: work-items per request or group (the
                               last may have fewer) */
    uint64_t tile_bytes;
};

/* Sums the granules over the requests or groups. For writes at a level with a rule for writes,
 * `charged` is in units of a fully written sector (NAN if a block has no rule), and `fetched` is
 * the sectors sent, converted to granules. A sector is fully written if a single request writes all
 * of its bytes. Fails with BL_NO_MEMORY. */
enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error);

/* Computes the charge of all requests of one group, in the units of bl_granules_of. Unlike
 * bl_granules_of, takes into account that several requests may fetch or write the same granules.
 * *charged is NAN if there is no rule for these requests. `together` is the number of work-items of
 * the group; each request has one work-item per lane of the machine. Fails with BL_NO_MEMORY. */
enum bl_status bl_charge_shared(const struct bl_accessed *of, double *charged,
                                struct bl_error *error);

/* Counts the distinct lines that one access of each work-item touches. Fails with BL_NO_MEMORY. */
enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error);

#endif
