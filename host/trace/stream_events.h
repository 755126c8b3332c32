/* The events of a group, collected as the plugin reports them, and the streams that are built from
 * them. Inside host/trace only. */
#ifndef BANKLINE_TRACE_STREAM_EVENTS_H
#define BANKLINE_TRACE_STREAM_EVENTS_H

#include "model/array_layout.h"
#include "trace/streams.h"

#define BL_NO_EVENT UINT32_MAX

/* An access of a work-item, or the arithmetic before one. */
struct bl_stream_event {
    uint32_t item, next; /* next: the work-item's next event in the phase */
    bool is_work, is_firm;
    uint32_t load; /* work: the load that it waits for, by instruction */
    uint64_t done; /* work: as the record has it */
    uint32_t carried;
    struct bl_access access;
};

struct bl_stream_events {
    uint64_t index;
    uint32_t items;
    uint64_t left_out; /* accesses beyond the limit */
    struct bl_stream_event *events;
    size_t count, capacity;
    size_t *phases; /* the number of events before each barrier */
    size_t phase_count, phase_capacity;
    uint32_t *first, *last; /* events of each item in the phase */
    size_t item_capacity;
};

/* Builds a group of at most BL_TIME_MAX_SUB_GROUPS sub-groups; its left_out is 0. Sets *why_not if
 * a request has no rule. False without memory; the group is to be freed in any case. */
bool bl_stream_group_build(const struct bl_trace *trace, const struct bl_wire_kernel *launch,
                           struct bl_stream_events *events, struct bl_stream_group *group,
                           const char **why_not);

#endif
