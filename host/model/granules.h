/* What a request fetches from beyond the cache of a compute unit, in granules: the bytes that a
 * cache or memory delivers together.
 *
 * Rule: bytes fetched against bytes used, which every vendor's guide names first. Ours, from an
 * H200 (results/rules/README.md): a level charges for the granules, but at least so many for each
 * line and, if it opens blocks, at least what these cost.
 */
#ifndef BANKLINE_MODEL_GRANULES_H
#define BANKLINE_MODEL_GRANULES_H

#include "base/status.h"
#include "model/launch.h"

struct bl_granules {
    double fetched; /* distinct ones */
    double charged; /* what they cost, in granules */
};

/* What is accessed: work-item i of `count` accesses element starts[i]. All of it is repeated
 * throughout the array, tile_bytes apart (a multiple of a line); what a repetition shares with the
 * next counts once. */
struct bl_accessed {
    const struct bl_machine *machine;
    const struct bl_level *level; /* of the machine; it has a rule */
    const struct bl_type *type;
    bool is_write;
    const uint64_t *starts;
    size_t count, together; /* work-items; those of a request, or a group: the last has fewer */
    uint64_t tile_bytes;
};

/* Sums over the requests, or groups. For writes, at a level with a rule for them, `charged` is in
 * sectors written whole (NAN where a block has no rule), and `fetched` counts granules from the
 * sectors that are sent. A sector is whole if a request writes all of its bytes. BL_NO_MEMORY. */
enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error);

/* Lines that one access of each of these work-items touches together. BL_NO_MEMORY. */
enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error);

#endif
