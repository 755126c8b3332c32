/* The events of a group, in the order in which the plugin reports them, and the function that
 * builds streams from these events. A phase is the part of a group's execution between two
 * barriers. Private to host/trace. */
#ifndef BANKLINE_TRACE_STREAM_EVENTS_H
#define BANKLINE_TRACE_STREAM_EVENTS_H

#include "model/access.h"
#include "model/accesses.h"
#include "trace/streams.h"

#define BL_NO_EVENT UINT32_MAX

/* One event of a work-item: an access, or the work (arithmetic instructions) before an access or
 * before a wait for a loaded value. */
struct bl_stream_event {
    uint32_t item, next; /* item: index of the work-item in its group; next: index of its next event
                            in the phase, or BL_NO_EVENT */
    bool is_work;
    bool is_firm, is_rolled, is_unrolled, is_behind,
        is_early;     /* for work before a wait: as in struct bl_time_op */
    uint32_t load;    /* for work: the load instruction whose value is needed after the work;
                         BL_NO_EVENT if none */
    uint64_t done;    /* for work: number of instructions (low 32 bits), and length of the longest
                         chain of dependent instructions (high 32 bits) */
    uint32_t carried; /* for work: as in struct bl_time_op */
    struct bl_access access; /* if is_work is false */
};

struct bl_stream_events {
    uint64_t index;       /* of the group in the grid, x fastest */
    uint32_t items;       /* number of work-items of the group */
    uint64_t local_bytes; /* bytes of local memory of the group */
    /* Private arrays that lie in memory, not in registers: a bit for each of the first 63 arrays,
     * and bit 63 for all others. */
    uint64_t arrays_in_memory;
    uint64_t told;     /* number of reported accesses, including accesses to private memory */
    uint64_t left_out; /* number of accesses that were dropped, because the group made more than the
                          limit */
    double arithmetic_left_out; /* as in struct bl_stream_group */
    uint32_t share; /* how many accesses of each work-item were kept, if any were dropped; else 0 */
    struct bl_stream_event *events;
    size_t count, capacity;
    size_t *phases; /* for each barrier, the number of events before it */
    size_t phase_count, phase_capacity;
    uint32_t *first, *last; /* each work-item's first and last event in the phase */
    size_t item_capacity;
};

/* Oclgrind numbers the arrays of a work-item's private memory from this bit of the address on; the
 * bits below are the offset in the array. */
enum { BL_STREAM_OFFSET_BITS = 32 };

/* The number of the private array that an access uses, below BL_STREAM_ARRAYS. */
unsigned bl_stream_array_of(const struct bl_access *access);

/* Accesses that lanes of a sub-group make together. Nodes form a list in order of execution. A node
 * whose instruction is `none` is work that no access follows. */
struct bl_stream_node {
    uint32_t next;
    uint32_t instruction, occurrence, bytes;
    uint8_t memory, operation;
    uint32_t work; /* first event of the first lane's work before this access; or none */
    uint32_t more, more_chain; /* work of other lanes before this access: number of instructions,
                                  and length of the chain */
    uint32_t joined;           /* the node whose wide load also reads this element; or none */
    uint32_t load;             /* the number of its load in the stream, counted from 1 */
    uint32_t lanes;
    uint32_t items[BL_MAX_LANES];
    uint64_t addresses[BL_MAX_LANES];
};

/* A stream under construction. */
struct bl_stream_growing {
    struct bl_time_op *ops;
    size_t count, capacity;
    uint64_t *sectors;
    size_t sector_count, sector_capacity;
    uint32_t loads;
    struct last_load {
        uint32_t number; /* counted from 1; 0 if none */
        uint32_t array;  /* the instruction whose load it was; another one if loads were joined */
        uint64_t addresses[BL_MAX_LANES]; /* what each lane last read (is_again) */
    } * last_load; /* for each instruction, the load that delivered its last value */
};

/* Adds an operation. Returns false if memory runs out. */
bool bl_stream_add_op(struct bl_stream_growing *stream, const struct bl_time_op *op);

/* Takes note of the load that delivered an instruction's last value. */
void bl_stream_set_load(struct bl_stream_growing *stream, uint32_t instruction, uint32_t number,
                        uint32_t array);

/* Adds the work before a node: that of the first lane, with its waits, and that of the others.
 * Returns false if memory runs out. */
bool bl_stream_add_work(const struct bl_stream_events *events, struct bl_stream_growing *stream,
                        const struct bl_stream_node *node);

/* Adds a node's requests, with their costs by the machine's rules: one, or one for each component
 * if the machine splits an access that is aligned to its components only. Sets *why_not if the
 * machine has no rule. Returns false if memory runs out. */
bool bl_stream_add_request(const struct bl_trace *trace, struct bl_stream_growing *stream,
                           struct bl_stream_node *node, const char **why_not);

/* Builds the streams of a group of at most BL_TIME_MAX_SUB_GROUPS sub-groups. Sets group->left_out
 * to 0. Sets *why_not if the machine has no rule for a request. Returns false if memory runs out;
 * free the group even then. */
bool bl_stream_group_build(const struct bl_trace *trace, const struct bl_wire_kernel *launch,
                           struct bl_stream_events *events, struct bl_stream_group *group,
                           const char **why_not);

#endif
