/* Streams of a launch's sub-groups (model/time.h), built from the plugin's reports on sampled
 * groups: requests in order, the arithmetic between them, and waits for loads. A group that was not
 * sampled is assumed to do what a sampled group does, or more or less of it, at shifted addresses.
 * The shift per group along each dimension of the grid is derived from the sampled groups. */
#ifndef BANKLINE_TRACE_STREAMS_H
#define BANKLINE_TRACE_STREAMS_H

#include "model/accesses.h"
#include "model/time.h"
#include "model/transform.h"
#include "trace/wire.h"

struct bl_trace;

/* The address of an instruction's first access in a group, and the distances from this access to
 * those of the neighbouring work-items. */
struct bl_stream_array {
    bool is_used;
    uint64_t base; /* address of the first access */
    uint32_t item; /* the work-item that made the access */
    int64_t
        strides[3]; /* bytes to the access of the next work-item along x, y, z; or BL_NO_STRIDE */
    bool is_scattered; /* the first request's work-items are not at equal distances along x;
                          strides[0] is then BL_NO_STRIDE */
};

#define BL_NO_STRIDE INT64_MIN

/* A sampled group. */
struct bl_stream_group {
    uint64_t index;
    struct bl_time_stream *streams; /* one per sub-group */
    unsigned sub_groups;
    struct bl_stream_array *arrays; /* array_count of them, indexed by instruction */
    size_t array_count;
    uint64_t told, left_out; /* told: accesses reported; left_out: accesses beyond the limit, which
                                were dropped */
    double arithmetic_left_out; /* arithmetic of the group that was not reported, or dropped: for
                                   each piece, the larger of its instructions and its chain */
    uint64_t local_bytes;       /* local memory of the group */
    struct bl_stream_events
        *events; /* the group's events; NULL if the limit of kept events was reached */
};

/* A group that has run, whether it was sampled or not. */
struct bl_stream_ran {
    uint64_t index;
    double work; /* number of instructions, as in BL_WIRE_RAN */
};

/* How the sampled groups use a private array, as far as the plugin reports it: accesses whose
 * indices are all constants in the program are not reported. The last of BL_STREAM_ARRAYS entries
 * is for all further arrays together. Arrays of different functions may have the same number. */
enum { BL_STREAM_ARRAYS = 64 };
struct bl_stream_array_use {
    uint64_t accesses, dynamic; /* number of accesses, and of those whose index no compiler knows */
    uint64_t begin, end;        /* byte offsets of the part that is accessed */
    uint64_t least_bytes;       /* size of the smallest access; 0: no access */
};

/* The streams of one launch. Initialize with zeros. */
struct bl_streams {
    bool is_wanted;
    const char *why_not; /* why the launch cannot be predicted; or NULL */
    struct bl_stream_group *groups;
    size_t count, capacity;
    struct bl_stream_ran *ran; /* the groups that ran, in this order */
    size_t ran_count, ran_capacity;
    struct bl_stream_events *under_way; /* events of the current group */
    struct bl_stream_private *privates; /* indexed by instruction */
    size_t private_count;
    struct bl_stream_array_use *uses; /* of each private array, BL_STREAM_ARRAYS of them */
    uint64_t arrays_in_memory;        /* as in stream_events.h, of all groups so far */
    size_t kept_events;               /* events kept so far, of all groups */
};

/* If a group makes more accesses than the limit, and most are dropped, the minimum number of each
 * work-item's accesses from which the launch's time is predicted. */
enum { BL_STREAM_MIN_SHARE = 64 };

/* The bytes of private memory per work-item that the device needs for arrays in memory, as far as
 * the groups so far have accessed them. */
uint64_t bl_streams_private_bytes(const struct bl_streams *streams);

/* These functions add the events of a group, in the order in which the plugin reports them. They do
 * nothing if is_wanted is not set or why_not is set. They return false if memory runs out. */
bool bl_streams_begin_group(struct bl_streams *streams, const struct bl_wire_record *group);
bool bl_streams_access(struct bl_streams *streams, const struct bl_access *access,
                       enum bl_wire_index index);
bool bl_streams_work(struct bl_streams *streams, uint32_t item, uint32_t load,
                     const struct bl_wire_record *record);
bool bl_streams_barrier(struct bl_streams *streams);
/* Before the group ends: of each work-item, keeps only the first `share` accesses and the work
 * before them. */
bool bl_streams_cut(struct bl_streams *streams, uint32_t share);
/* arithmetic: arithmetic_left_out, without what bl_streams_cut dropped. */
bool bl_streams_end_group(struct bl_streams *streams, const struct bl_trace *trace,
                          const struct bl_wire_kernel *launch, uint64_t left_out,
                          double arithmetic);
/* Adds a group that has run. */
bool bl_streams_ran(struct bl_streams *streams, uint64_t index, uint64_t work);

/* Frees the streams of a launch that has ended; keeps is_wanted. */
void bl_streams_clear(struct bl_streams *streams);
void bl_streams_free(struct bl_streams *streams);

/* The events of a launch's sampled groups, except groups beyond the limit of kept events; and the
 * groups that ran. */
struct bl_stream_kept {
    struct bl_wire_kernel launch;
    struct bl_stream_events **groups;
    size_t count;
    struct bl_stream_ran *ran;
    size_t ran_count;
};

/* Moves the events and the groups that ran of the launch that has ended into *kept, after freeing
 * the previous contents. Returns false if memory runs out. */
bool bl_streams_keep(struct bl_streams *streams, const struct bl_wire_kernel *launch,
                     struct bl_stream_kept *kept);
void bl_stream_kept_free(struct bl_stream_kept *kept);

/* Builds the streams of kept groups again, with another layout of the array that the instructions
 * in is_changed access. If layout is NULL, addresses stay as they were. Returns false if memory
 * runs out; free *streams in any case. */
bool bl_streams_rebuild(const struct bl_trace *trace, const struct bl_stream_kept *kept,
                        const struct bl_array_layout *layout, const bool is_changed[],
                        struct bl_streams *streams);

/* How far a group's position in the grid shifts each instruction's accesses. */
struct bl_stream_shifts {
    size_t count; /* number of instructions */
    struct bl_stream_shift {
        bool is_exact; /* the shift agrees with all sampled groups, or at least with those in which
                          the same work-item makes the first access */
        bool is_sure;  /* it is exact, and there are several such groups */
        double by[3];  /* bytes per group along x, y, z */
        double spread_bytes; /* if above 0, each group is shifted by a pseudo-random number of
                                bytes below this instead */
    } * shifts;
    struct bl_time_sharing *sharing; /* for each instruction; its `units` are set by
                                        bl_launch_blocks_find */
};

/* Derives the shifts from the sampled groups. Returns false if memory runs out; free the shifts in
 * any case. */
bool bl_stream_shifts_of(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                         struct bl_stream_shifts *shifts);
void bl_stream_shifts_free(struct bl_stream_shifts *shifts);

/* How a device's compiler treats loads. It unrolls loops whose number of iterations can be computed
 * before the first one. Then up to `unrolled` loads of one instruction are in flight before the
 * first wait, but if it is known how many iterations the compiler runs at once, so many, at most
 * 16, even if that is more than in_flight. A load that joins n elements counts as n / 2 loads. No
 * wait is delayed if an address or a branch needs the value, or beyond a barrier, or beyond a load
 * or an atomic of local memory that follows a store to it. Waits for global memory are not
 * delayed beyond a store to global memory, nor are waits for loads behind a branch delayed beyond
 * the end of this branch. A value that these iterations read again stays in a register, and
 * so does a value whose load, or the last of whose stores, moves out of the loop. A sum in
 * global memory also stays in a register if the iterations that add to it read nothing else from
 * global memory. Loads of global memory move up before stores to local memory. If addresses or
 * branches depend on a load, but its own address depends only on loop counters, the load moves up
 * to the first of the iterations that run at once. */

enum { BL_MAX_IN_FLIGHT = 128 };

struct bl_compiled {
    unsigned unrolled;  /* 1 if loops stay as written */
    unsigned in_flight; /* maximum number of loads of global memory in flight, of all instructions
                           together; 1 to BL_MAX_IN_FLIGHT */
    bool unrolls_all; /* also unrolls loops whose number of iterations cannot be computed before the
                         first one, runs any number of iterations at once, and overlaps loads that
                         are behind branches */
};

/* Copies a stream, with its loads and waits moved accordingly. The copy shares the sectors of the
 * original. Returns false if memory runs out; free the copy with bl_stream_free_compiled. */
bool bl_stream_compile(const struct bl_time_stream *stream, const struct bl_compiled *how,
                       struct bl_time_stream *compiled);
void bl_stream_free_compiled(struct bl_time_stream *stream);

/* Marks running sums in global memory: the stores that a later one makes unnecessary, and the loads
 * that would read what these have stored. is_kept_back: for each operation, all false before.
 * Private to host/trace. */
void bl_stream_mark_sums(const struct bl_time_stream *stream, bool is_kept_back[]);

#endif
