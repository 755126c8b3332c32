/* The streams of a launch's sub-groups (model/time.h), made from what the plugin reports of its
 * sampled groups: the order of requests by lockstep, the arithmetic between them, and which load is
 * waited for where. A group that was not sampled is taken to do what a sampled one does, at
 * addresses shifted by what the sampled groups show that a group's place in the grid adds.
 */
#ifndef BANKLINE_TRACE_STREAMS_H
#define BANKLINE_TRACE_STREAMS_H

#include "model/time.h"
#include "model/transform.h"
#include "trace/wire.h"

struct bl_trace;

/* Where an instruction's accesses begin in a group, and what its neighbours in the group add. */
struct bl_stream_array {
    bool is_used;
    uint64_t base;      /* of its first access */
    uint32_t item;      /* which made it */
    int64_t strides[3]; /* to the next work-item along x, y, z; or BL_NO_STRIDE */
};

#define BL_NO_STRIDE INT64_MIN

/* A sampled group. */
struct bl_stream_group {
    uint64_t index;
    struct bl_time_stream *streams; /* of its sub-groups */
    unsigned sub_groups;
    struct bl_stream_array *arrays; /* by instruction, array_count of them */
    size_t array_count;
    uint64_t told, left_out; /* accesses of its work-items */
    uint64_t local_bytes;    /* that it accessed, from the beginning of each variable */
};

/* Of one launch. All zero: none yet. */
struct bl_streams {
    bool is_wanted;
    const char *why_not; /* what happened that has no prediction; or NULL */
    struct bl_stream_group *groups;
    size_t count, capacity;
    struct bl_stream_events *under_way; /* of the group */
    struct bl_stream_private *privates; /* by instruction */
    size_t private_count;
};

/* What happens in a group, as the plugin reports it. Nothing is kept unless is_wanted. False: there
 * is no memory. */
bool bl_streams_begin_group(struct bl_streams *streams, uint64_t index, uint32_t items);
bool bl_streams_access(struct bl_streams *streams, const struct bl_access *access);
bool bl_streams_work(struct bl_streams *streams, uint32_t item, uint32_t load,
                     const struct bl_wire_record *record);
bool bl_streams_barrier(struct bl_streams *streams);
bool bl_streams_end_group(struct bl_streams *streams, const struct bl_trace *trace,
                          const struct bl_wire_kernel *launch, uint64_t left_out);

/* Of the launch that ended; keeps is_wanted. */
void bl_streams_clear(struct bl_streams *streams);
void bl_streams_free(struct bl_streams *streams);

/* How far a group's place shifts each instruction's accesses. */
struct bl_stream_shifts {
    size_t count; /* of instructions */
    struct bl_stream_shift {
        bool is_exact;
        double by[3]; /* bytes for each group along x, y, z */
    } * shifts;
};

/* By the sampled groups of a launch. False without memory; free it in any case. */
bool bl_stream_shifts_of(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                         struct bl_stream_shifts *shifts);
void bl_stream_shifts_free(struct bl_stream_shifts *shifts);

/* What a device's compiler may do with a loop: have up to `unrolled` loads of one instruction under
 * way before the first is waited for, unless a store to such memory comes between. Copies a stream
 * so; its sectors stay the stream's. False without memory; free it by bl_stream_free_compiled. */
struct bl_compiled {
    unsigned unrolled; /* 1: as written */
};
bool bl_stream_compile(const struct bl_time_stream *stream, const struct bl_compiled *how,
                       struct bl_time_stream *compiled);
void bl_stream_free_compiled(struct bl_time_stream *stream);
void bl_stream_free(struct bl_time_stream *stream);

#endif
