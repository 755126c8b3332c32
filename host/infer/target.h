/* What a machine is inferred from: a device that runs probes and says how long they took. There is
 * the OpenCL device, and tests have one that is made up.
 *
 * A probe returns a time and nothing else. No function here says what kind of device it is.
 */
#ifndef BANKLINE_INFER_TARGET_H
#define BANKLINE_INFER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"

enum {
    BL_TABLE_ITEMS =
        128, /* work-items whose places differ: a whole number of any request's lanes */
    BL_TABLES = 2,
    BL_PROBE_STEPS = 4,    /* accesses of a round at different places */
    BL_MAX_ARRAYS = 4,     /* in global memory */
    BL_TILE_BYTES = 16384, /* of local memory, in which places may be */
    BL_WALKED_PLACES = 16384
};

/* A work-item that accesses nothing. */
#define BL_IDLE UINT64_MAX

enum bl_probe_access { BL_PROBE_READ, BL_PROBE_WRITE, BL_PROBE_ADD };

/* The same requests, given lane by lane, repeated by every compute unit. Work-item i of a group
 * accesses table[i % BL_TABLE_ITEMS] + step_bytes * (0 to BL_PROBE_STEPS - 1): an address in global
 * memory, a byte of the tile in local memory, and of an array in constant memory. Each
 * BL_TABLE_ITEMS work-items take the next of the tables. Measures ns per access of all
 * work-items of a table, with as many under way as the device holds, so that times of one memory
 * can be compared. */
struct bl_lanes_probe {
    enum bl_memory memory;
    enum bl_probe_access access; /* in local memory alone other than a read */
    const struct bl_type *type;
    unsigned step_bytes;
    unsigned tables;
    uint64_t places[BL_TABLES][BL_TABLE_ITEMS];
    unsigned sub_group_items; /* 0; or groups of so many work-items, and `groups` of them in all */
    unsigned groups;
};

/* A pointer chase by a single work-item: ns per read. It goes round once before it is timed. With
 * more than BL_WALKED_PLACES places, all compute units together read every place once instead, and
 * then a part of the chase is timed; a list has at most BL_WALKED_PLACES. */
struct bl_chase_probe {
    uint64_t address;     /* of the first place */
    uint64_t pitch_bytes; /* from a place to the next */
    uint64_t places;      /* how many; no two neighbours are visited one after the other */
    /* not 0: a second read, this many bytes further on, follows each visit */
    uint64_t second_bytes;
    const uint32_t *list; /* not NULL: the places visited, in this order, `places` of them, each
                             pitch_bytes times its number behind the first */
};

/* All compute units read a working set, 16 bytes a work-item, side by side: bytes per ns. It is
 * rounded down to whole blocks, of some KiB. */
struct bl_stream_probe {
    uint64_t bytes;
    bool is_for_each_unit; /* every group reads all of it */
};

/* Groups of one work-item that chase pointers, each with so much local memory: the time of all of
 * them, as a multiple of what two take. */
struct bl_occupancy_probe {
    unsigned groups;
    unsigned local_bytes;
};

/* ns per barrier, including the exchange between two barriers, in groups of so many work-items. */
struct bl_barrier_probe {
    unsigned group_items;
};

/* An array in global memory, in which places of probes may lie. */
struct bl_array_place {
    uint64_t address, bytes;
};

struct bl_target_limits {
    struct bl_array_place arrays[BL_MAX_ARRAYS]; /* the largest first; bytes 0: there is none */
    uint64_t local_bytes;                        /* available to a group */
    unsigned max_group_items;
    unsigned groups_to_fill; /* an estimate of how many fill the device */
};

/* One sample of a probe; *value as the probe says. BL_BAD_CLOCK, BL_WRONG_RESULT, BL_HANGS,
 * BL_INTERRUPTED, BL_OPENCL_FAILED, BL_BUILD_FAILED: a kernel for this type, memory and access
 * cannot be had. */
typedef enum bl_status bl_sample(void *context, const void *probe, double *value,
                                 struct bl_error *error);

struct bl_target {
    void *context;
    struct bl_target_limits limits;
    /* Each takes the probe of its name: struct bl_lanes_probe ... */
    bl_sample *lanes, *chase, *stream, *occupancy, *barrier;
};

/* The OpenCL device. */

struct bl_device;
struct bl_device_target;
struct bl_session;

/* Allocates arrays in global memory, max_bytes in all or as much as there is, and finds their
 * addresses. session and device are borrowed until it is closed; *target is to be passed to
 * bl_infer. BL_NO_MEMORY, BL_OPENCL_FAILED, and what a launch returns. */
enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error);

/* NULL is allowed. */
void bl_device_target_close(struct bl_device_target *opened);

#endif
