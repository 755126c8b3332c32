/* The events of a group, in the order in which the plugin reports them, and the function that
 * builds streams from them. A phase is the part of a group's execution between two barriers.
 * Private to host/trace. */
#ifndef BANKLINE_TRACE_STREAM_EVENTS_H
#define BANKLINE_TRACE_STREAM_EVENTS_H

#include "model/accesses.h"
#include "trace/streams.h"

#define BL_NO_EVENT UINT32_MAX

/* One event of a work-item: an access, or the work (arithmetic) that precedes an access or a wait.
 */
struct bl_stream_event {
    uint32_t item, next; /* next: index of the work-item's next event in the phase */
    bool is_work, is_firm, is_rolled, is_unrolled;
    uint32_t load; /* of work: the load instruction that it waits for; BL_NO_EVENT if none */
    uint64_t done; /* of work: instructions issued (low 32 bits), and the length of their longest
                      chain (high 32 bits) */
    uint32_t carried;
    struct bl_access access;
};

struct bl_stream_events {
    uint64_t index;
    uint32_t items;
    uint64_t local_bytes; /* local memory of the group */
    uint64_t told;        /* number of accesses reported, also to private memory */
    uint64_t left_out;    /* number of accesses beyond the limit, which were dropped */
    struct bl_stream_event *events;
    size_t count, capacity;
    size_t *phases; /* the number of events before each barrier */
    size_t phase_count, phase_capacity;
    uint32_t *first, *last; /* each work-item's first and last event in the phase */
    size_t item_capacity;
};

/* Builds the streams of a group of at most BL_TIME_MAX_SUB_GROUPS sub-groups. Sets group->left_out
 * to 0. Sets *why_not if a request has no rule. Returns false if memory runs out; free the group in
 * any case. */
bool bl_stream_group_build(const struct bl_trace *trace, const struct bl_wire_kernel *launch,
                           struct bl_stream_events *events, struct bl_stream_group *group,
                           const char **why_not);

#endif
