/* A target runs probes and returns their times, from which a machine is inferred. The real target
 * is an OpenCL device; tests use simulated targets.
 *
 * A probe returns one measured number and nothing else, so nothing can be inferred from the
 * device's name. */
#ifndef BANKLINE_INFER_TARGET_H
#define BANKLINE_INFER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"

enum {
    BL_TABLE_ITEMS = 128, /* work-items of a table: a multiple of any machine's lanes */
    BL_TABLES = 2,
    BL_PROBE_STEPS = 4,    /* elements that a work-item accesses in turn */
    BL_MAX_ARRAYS = 4,     /* max arrays in global memory */
    BL_TILE_BYTES = 16384, /* bytes of local memory in which places may lie */
    BL_WALKED_PLACES = 16384,
    /* Bytes at the start of the first array, for lanes probes: they are filled once and keep their
     * content. Pointer chases, which write links, use the memory after these bytes. */
    BL_HOME_BYTES = 16 << 20
};

/* The place of a work-item that accesses nothing. */
#define BL_IDLE UINT64_MAX

enum bl_probe_access { BL_PROBE_READ, BL_PROBE_WRITE, BL_PROBE_ADD };

/* Repeats the same requests, given lane by lane, on all compute units. Work-item i of a group
 * accesses table[i % BL_TABLE_ITEMS] + step_bytes * (0 to BL_PROBE_STEPS - 1). A place is an
 * address in global memory, an offset in the tile of local memory, or an offset in the array of
 * constant memory. Group g begins with table g, and every further BL_TABLE_ITEMS work-items of the
 * group use the next table, modulo the number of tables. The value is the time in ns divided by how
 * often a whole table was accessed. Unless the probe sets the number of groups, enough groups run
 * to keep the device busy, so times for the same memory are comparable. */
struct bl_lanes_probe {
    enum bl_memory memory;
    enum bl_probe_access access; /* writes and additions only in local memory */
    const struct bl_type *type;
    unsigned step_bytes;
    unsigned tables;
    uint64_t places[BL_TABLES][BL_TABLE_ITEMS];
    unsigned sub_group_items; /* if not 0, the launch has `groups` groups of this size */
    unsigned groups;
};

/* A pointer chase by a single work-item; the value is ns per read. A place is an address that holds
 * the link to the next place. The chain of all places is read once before it is timed. If a chain
 * has more than BL_WALKED_PLACES places, all compute units together read every place at least once
 * instead, and only a part of the chain is timed; such a chain must have no `list`. */
struct bl_chase_probe {
    uint64_t address;     /* address of the first place */
    uint64_t pitch_bytes; /* distance from one place to the next */
    uint64_t places;      /* number of places; neighbours are hardly ever visited in succession */
    /* if not 0, each visit is followed by a second read this many bytes further on */
    uint64_t second_bytes;
    const uint32_t *list; /* if not NULL, the order in which places are visited; place i is at
                             address + i * pitch_bytes */
};

/* All compute units read or write a working set, with adjacent work-items accessing adjacent
 * elements of 16 bytes. The value is bytes per ns. The size of the working set is rounded down to
 * whole blocks of at most 32 KiB. */
struct bl_stream_probe {
    uint64_t bytes;
    bool is_for_each_unit; /* whether every group reads the whole working set */
    bool is_write;
};

/* Groups that chase pointers. All work-items of a group follow the same chain, and each group
 * allocates local_bytes of local memory. The value is the time of a launch of all groups divided by
 * the time of a launch of two groups. */
struct bl_occupancy_probe {
    unsigned groups;
    unsigned local_bytes;
    unsigned group_items; /* 0 means 1 */
};

/* Barriers in one group; the value is ns per barrier, including an access to local memory. */
struct bl_barrier_probe {
    unsigned group_items;
};

/* Sub-groups that follow chains through a working set, all lanes in lockstep. The value is the time
 * in ns in which each chain advances by one request. A place of a chain has `lines` lines, of which
 * lane i reads line i % lines. */
enum { BL_MAX_READS = 16, BL_FAR_BYTES = 16384 };
struct bl_reads_probe {
    uint64_t address, bytes; /* of the working set; bytes are rounded down to whole places */
    unsigned lanes, line_bytes;
    unsigned lines;            /* a power of two, at most `lanes` */
    unsigned line_pitch_bytes; /* distance between the lines of a place, such as line_bytes or
                                  BL_FAR_BYTES */
    bool is_first_word; /* lanes read the first word of their line; if false, different words */
    bool is_written; /* a single chain of adjacent lines that writes each word before reading it */
    unsigned reads;  /* chains per sub-group, a power of two up to BL_MAX_READS */
    unsigned sub_groups, groups; /* sub-groups per group, and number of groups */
};

/* Operations of which each needs the result of the previous one; the value is ns per operation. */
enum bl_chain { BL_CHAIN_LOCAL, BL_CHAIN_INTEGER, BL_CHAIN_FLOAT };
struct bl_chain_probe {
    enum bl_chain of;
    unsigned items; /* work-items of one group, which all do the same; 0 means 1 */
};

/* A launch of groups that do nothing; the value is its time in ns. */
struct bl_start_probe {
    unsigned groups, group_items;
};

/* While a longer launch keeps the device busy, the host enqueues BL_QUEUED_LAUNCHES launches of one
 * group that does nothing, without waiting. The value is the median duration of these launches by
 * their events or, if is_host_time, the host's time to enqueue one launch, in ns. Fails with
 * BL_OUT_OF_RANGE if no launch keeps the device busy for long enough. */
enum { BL_QUEUED_LAUNCHES = 16 };
struct bl_queue_probe {
    unsigned group_items;
    bool is_host_time;
};

/* An array in global memory that probes may access. */
struct bl_array_place {
    uint64_t address, bytes;
};

struct bl_target_limits {
    /* largest first; an element with 0 bytes is unused */
    struct bl_array_place arrays[BL_MAX_ARRAYS];
    uint64_t local_bytes; /* local memory available to a group */
    unsigned max_group_items;
    unsigned groups_to_fill; /* estimated number of groups that fill the device */
};

/* Takes one sample of a probe; the probe's comment defines *value. Fails with BL_BAD_CLOCK,
 * BL_WRONG_RESULT, BL_HANGS, BL_INTERRUPTED, BL_OPENCL_FAILED or BL_NO_MEMORY; with BL_OUT_OF_RANGE
 * if the target is too small for the probe; or with BL_BUILD_FAILED if there is no kernel for this
 * type, memory and access. */
typedef enum bl_status bl_sample(void *context, const void *probe, double *value,
                                 struct bl_error *error);

struct bl_target {
    void *context;
    struct bl_target_limits limits;
    /* Each function takes samples of the probe with its name: `lanes` expects a struct
     * bl_lanes_probe, and so on. */
    bl_sample *lanes, *chase, *stream, *occupancy, *barrier, *reads, *chain, *start, *queue;
};

/* The OpenCL device. */

struct bl_device;
struct bl_device_target;
struct bl_session;

/* Opens an OpenCL device as a target: allocates arrays in global memory (max_bytes in total, or as
 * much as there is) and finds their addresses. `session` and `device` must outlive the target; pass
 * *target to bl_infer. Close *opened even after a failure. Fails with BL_NO_MEMORY,
 * BL_OPENCL_FAILED or any status of a launch. */
enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error);

/* Closes the target; does nothing for NULL. */
void bl_device_target_close(struct bl_device_target *opened);

#endif
