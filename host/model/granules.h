/* Counts what a request fetches from beyond a compute unit's cache, in granules. A granule is the
 * number of bytes that a cache level or memory delivers at once.
 *
 * The principle is that of vendors' guides: compare the bytes fetched with the bytes used. The rule
 * here was found on an H200 (results/rules/README.md): a level charges for each granule, but at
 * least a minimum per line, and at a level with blocks, such as DRAM pages, at least the cost of
 * opening them. */
#ifndef BANKLINE_MODEL_GRANULES_H
#define BANKLINE_MODEL_GRANULES_H

#include "base/status.h"
#include "model/launch.h"

struct bl_granules {
    double fetched; /* distinct granules */
    double charged; /* their cost, in units of a granule */
    double whole;   /* of writes at a level with a rule for them: sectors that are fully written */
    double lines;   /* distinct lines */
    /* Of writes, too: the cost as if full and partial sectors of a block cost what each costs
     * alone, and the part of it of blocks with both, if the level has no rule for them. */
    double apart, mixed;
};

/* The accesses to count: work-item i of `count` accesses element starts[i]. Addresses count modulo
 * tile_bytes (a multiple of a line), because the pattern repeats; a granule that two repetitions
 * share counts once. */
struct bl_accessed {
    const struct bl_machine *machine;
    const struct bl_level *level; /* a level with a rule */
    const struct bl_type *type;
    bool is_write;
    const uint64_t *starts;
    size_t count,
        together; /* work-items: all, and per request or group (the last may have fewer) */
    uint64_t tile_bytes;
};

/* Sums the granules over the requests or groups. For writes at a level with a rule for writes,
 * `charged` is in units of a fully written sector (NAN if a block has no rule), and `fetched` is
 * the sectors sent, converted to granules. A sector is fully written if a single request writes all
 * of its bytes. BL_NO_MEMORY. */
enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error);

/* The charge of all requests of one group, in the units of bl_granules_of, if requests also want
 * granules that others fetch or write; *charged is NAN if there is no rule for that. `together` is
 * the number of work-items of the group; a request has as many as the machine has lanes.
 * BL_NO_MEMORY. */
enum bl_status bl_charge_shared(const struct bl_accessed *of, double *charged,
                                struct bl_error *error);

/* Counts the distinct lines that one access of each work-item touches. BL_NO_MEMORY. */
enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error);

#endif
