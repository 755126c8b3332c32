/* Inside host/trace only: which sectors of global memory the traced groups of a launch touched. */
#ifndef BANKLINE_TRACE_TOUCHED_H
#define BANKLINE_TRACE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct bl_touched_page {
    uint64_t key;           /* its number + 1; 0: none is here */
    uint64_t read, written; /* a bit each sector */
    uint64_t before, again; /* by groups before this one; by two groups or more */
    uint64_t now;           /* by the group that touched it last: */
    uint64_t group;
};

/* At most 2^19 pages of 64 sectors, in 56 MiB: what lies in others is not counted. */
struct bl_touched {
    unsigned sector_bytes;
    uint64_t group;                /* that is under way, from 1 */
    struct bl_touched_page *pages; /* by hash, `capacity` of them, a power of two */
    size_t count, capacity;
};

/* Another group begins. */
void bl_touched_next_group(struct bl_touched *touched);

/* BL_NO_MEMORY */
enum bl_status bl_touch(struct bl_touched *touched, uint64_t address, uint64_t bytes, bool is_read,
                        bool is_write, struct bl_error *error);

/* Bytes of the sectors that were read, and written, by a launch of `groups` of which `traced` were
 * looked at: those that one group alone touched stand for as many more, up to all between the first
 * and the last one of the buffer that was touched; what several groups share is counted once. Exact
 * where all groups were traced. Forgets what was touched. */
struct bl_touched_bytes {
    double read, written;
};
struct bl_touched_bytes bl_touched_end(struct bl_touched *touched, uint64_t groups,
                                       uint64_t traced);

void bl_touched_free(struct bl_touched *touched);

#endif
