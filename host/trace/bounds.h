/* The least time that a kernel's accesses take on a machine, whatever its compiler does.
 *
 * Each stage of a compute unit works on one request at a time: its tags, its banks (which local
 * memory may share), and what sends writes on. The sum of a stage's clocks over all requests,
 * divided by compute units, is a lower bound of the kernel's clocks. A compiler may read at once
 * what a work-item reads one after another: neighbouring accesses of one instruction are counted as
 * if it did, up to 16 bytes, and what is read again as if it were kept. Beyond the compute units
 * each sector is fetched at least once per launch: the footprint of a launch is those sectors.
 */
#ifndef BANKLINE_TRACE_BOUNDS_H
#define BANKLINE_TRACE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

struct bl_trace;

enum bl_stage { BL_STAGE_TAGS, BL_STAGE_BANKS, BL_STAGE_WRITES, BL_STAGES }; /* of a compute unit */

/* The stage's name, as "banks". */
const char *bl_stage_name(enum bl_stage stage);

/* What all launches of a kernel need at least. */
struct bl_bound {
    double clocks[BL_STAGES]; /* of one compute unit */
    enum bl_stage busiest;
    double read_bytes, written_bytes; /* of distinct sectors of global memory, of each launch */
    /* On the device that the launches were timed on; 0: not known, or nothing. */
    double stage_ns, level_ns[BL_LEVELS];               /* the least that they take */
    double likely_stage_ns, likely_level_ns[BL_LEVELS]; /* ... at the clock and rates measured */
    double ns;                                          /* the largest of the least, */
    const char *limited_by;                             /* and the stage or level that it is of */
};

/* Fills in the bound of each kernel of a finished trace: of all its launches, whose further groups
 * are taken to be like those that were traced. BL_NO_MEMORY. */
enum bl_status bl_trace_bound(struct bl_trace *trace, struct bl_error *error);

/* What a device was measured to do with contiguous accesses; NAN: it is not known. */
struct bl_delivery {
    double read_bytes_per_ns[BL_LEVELS],
        written_bytes_per_ns[BL_LEVELS]; /* of all units together */
    double kept_bytes[BL_LEVELS]; /* what the levels before may still have of a launch's data */
    double clock_ns;              /* of a compute unit at work */
};

/* Adds the times on the device that the trace's kernels were timed on. */
void bl_trace_bound_times(struct bl_trace *trace, const struct bl_delivery *delivery);

/* Which sectors of global memory the traced groups of a launch touched: at most 2^19 pages of 64
 * sectors, in 56 MiB; what lies in others is not counted. */
struct bl_trace_footprint {
    unsigned sector_bytes;
    uint64_t group; /* that is under way, from 1 */
    struct bl_footprint_page {
        uint64_t key;           /* its number + 1; 0: none is here */
        uint64_t read, written; /* a bit each sector */
        uint64_t before, again; /* by groups before this one; by two groups or more */
        uint64_t now;           /* by the group that touched it last: */
        uint64_t group;
    } * pages; /* by hash, `capacity` of them, a power of two */
    size_t count, capacity;
};

/* Another group begins. */
void bl_footprint_next_group(struct bl_trace_footprint *footprint);

/* BL_NO_MEMORY */
enum bl_status bl_footprint_add(struct bl_trace_footprint *footprint, uint64_t address,
                                uint64_t bytes, bool is_read, bool is_write,
                                struct bl_error *error);

/* Bytes of the sectors that were read, and written, by a launch of `groups` of which `traced` were
 * traced: those that one group alone touched stand for as many more, up to all between the first
 * and the last one of the buffer that was touched; what several groups share is counted once. Exact
 * where all groups were traced. Empties the footprint. */
struct bl_footprint_bytes {
    double read, written;
};
struct bl_footprint_bytes bl_footprint_end(struct bl_trace_footprint *footprint, uint64_t groups,
                                           uint64_t traced);

void bl_footprint_free(struct bl_trace_footprint *footprint);

#endif
