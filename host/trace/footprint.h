/* The footprint of a launch: the sectors of memory that the launch touches, estimated from its
 * traced groups. Private to host/trace. */
#ifndef BANKLINE_TRACE_FOOTPRINT_H
#define BANKLINE_TRACE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/launch_groups.h"

/* The sectors of global and constant memory that the traced groups of a launch touched, as bit
 * masks in at most 2^19 pages of 64 sectors (72 MiB of host memory); sectors of any further pages
 * are not counted. */
struct bl_trace_footprint {
    unsigned sector_bytes;
    uint64_t group; /* number of the current group, counted from 1 over all launches */
    enum bl_group_place place;
    struct bl_footprint_page {
        uint64_t key;           /* page number + 1; 0 if the slot is free */
        uint64_t read, written; /* one bit per sector */
        uint64_t before, again; /* sectors that earlier groups touched (before), and that two or
                                   more groups touched (again) */
        uint64_t now;           /* sectors that the group `group` touched */
        uint64_t by_first,
            by_last; /* sectors that the launch's first group, and its last group, touched */
        uint64_t group;
    } * pages; /* a hash table; `capacity` is a power of two */
    size_t count, capacity;
};

/* Begins the next group of the launch. */
void bl_footprint_next_group(struct bl_trace_footprint *footprint, enum bl_group_place place);

/* Adds an access of the current group. Fails with BL_NO_MEMORY. */
enum bl_status bl_footprint_add(struct bl_trace_footprint *footprint, uint64_t address,
                                uint64_t bytes, bool is_read, bool is_write,
                                struct bl_error *error);

struct bl_footprint_bytes {
    double read, written;
};

/* Estimates the bytes of the sectors that a launch reads, and of those that it writes, and empties
 * the footprint. In each buffer, the sectors that only one group touched are multiplied by this
 * group's weight (bl_group_weights), and the sectors that several groups touched count once. The
 * sum is at most the number of sectors from the first to the last that is read, or written. The
 * result is exact if all groups were traced and no pages were dropped. */
struct bl_footprint_bytes bl_footprint_end(struct bl_trace_footprint *footprint,
                                           const double weights[BL_GROUP_PLACES]);

void bl_footprint_free(struct bl_trace_footprint *footprint);

#endif
