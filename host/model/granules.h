/* What a request fetches from beyond the cache of a compute unit, in granules: the bytes that a
 * cache or memory delivers together.
 *
 * Every vendor's guide names the principle first: bytes fetched against bytes used. Our rule, found
 * on an H200 (results/rules/README.md): a level charges for the granules, but at least a minimum
 * for each line and, if it opens blocks, at least the cost of opening them.
 */
#ifndef BANKLINE_MODEL_GRANULES_H
#define BANKLINE_MODEL_GRANULES_H

#include "base/status.h"
#include "model/launch.h"

struct bl_granules {
    double fetched; /* number of distinct granules */
    double charged; /* their cost, in granules */
};

/* What is accessed: work-item i of `count` accesses element starts[i]. The pattern is repeated
 * throughout the array every tile_bytes (a multiple of a line); granules that two repetitions share
 * count once. */
struct bl_accessed {
    const struct bl_machine *machine;
    const struct bl_level *level; /* a level of the machine that has a rule */
    const struct bl_type *type;
    bool is_write;
    const uint64_t *starts;
    size_t count, together; /* work-items in all; work-items of a request or group, of which the
                               last may have fewer */
    uint64_t tile_bytes;
};

/* Sums over the requests, or groups. For writes at a level with a rule for them, `charged` is in
 * fully written sectors (NAN if a block has no rule), and `fetched` counts granules from the
 * sectors that are sent. A sector is fully written if one request writes all of its bytes.
 * BL_NO_MEMORY. */
enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error);

/* Distinct lines that one access of each of these work-items touches. BL_NO_MEMORY. */
enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error);

#endif
