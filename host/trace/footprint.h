/* The footprint of a launch: the memory that it touches, estimated from the traced groups. Private
 * to host/trace. */
#ifndef BANKLINE_TRACE_FOOTPRINT_H
#define BANKLINE_TRACE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/group_weights.h"

/* The sectors of global memory that the traced groups of a launch touched, as bit masks in at most
 * 2^19 pages of 64 sectors (72 MiB of host memory); sectors of any further pages are not counted.
 */
struct bl_trace_footprint {
    unsigned sector_bytes;
    uint64_t group; /* number of the current group, from 1 */
    enum bl_group_place place;
    struct bl_footprint_page {
        uint64_t key;           /* page number + 1; 0 if the slot is free */
        uint64_t read, written; /* one bit per sector */
        uint64_t before,
            again;    /* before: touched by earlier groups; again: touched by two or more groups */
        uint64_t now; /* touched by the group that used the page last */
        uint64_t by_first, by_last; /* touched by the launch's first group; by its last group */
        uint64_t group;
    } * pages; /* a hash table; its capacity is a power of two */
    size_t count, capacity;
};

/* Begins the next group. */
void bl_footprint_next_group(struct bl_trace_footprint *footprint, enum bl_group_place place);

/* Adds an access of the current group. Fails with BL_NO_MEMORY. */
enum bl_status bl_footprint_add(struct bl_trace_footprint *footprint, uint64_t address,
                                uint64_t bytes, bool is_read, bool is_write,
                                struct bl_error *error);

struct bl_footprint_bytes {
    double read, written;
};

/* Estimates the bytes of the sectors that a launch reads and writes, and empties the footprint.
 * In each buffer, the number of sectors that only one group touched is multiplied by this group's
 * weight (bl_group_weights), and sectors that several groups share are added once. The sum is
 * limited to the number of sectors between the first and the last touched sector of the buffer. The
 * result is exact if all groups were traced. */
struct bl_footprint_bytes bl_footprint_end(struct bl_trace_footprint *footprint,
                                           const double weights[BL_GROUP_PLACES]);

void bl_footprint_free(struct bl_trace_footprint *footprint);

#endif
