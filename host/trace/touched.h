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
};

/* At most 2^20 pages of 64 sectors, in 48 MiB: what lies in others is not counted. */
struct bl_touched {
    unsigned sector_bytes;
    struct bl_touched_page *pages; /* by hash, `capacity` of them, a power of two */
    size_t count, capacity;
};

/* BL_NO_MEMORY */
enum bl_status bl_touch(struct bl_touched *touched, uint64_t address, uint64_t bytes, bool is_read,
                        bool is_write, struct bl_error *error);

/* Bytes of the sectors that were read, and written, by a launch of `groups` of which `traced` were
 * looked at: of each buffer as many times more, but no more than between the first and the last
 * one that was touched. Exact where all groups were traced. Forgets what was touched. */
struct bl_touched_bytes {
    double read, written;
};
struct bl_touched_bytes bl_touched_end(struct bl_touched *touched, uint64_t groups,
                                       uint64_t traced);

void bl_touched_free(struct bl_touched *touched);

#endif
