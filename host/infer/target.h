/* A target runs probes and returns their times; a machine is inferred from these. The real target
 * is an OpenCL device; tests use simulated ones.
 *
 * A probe returns a time and nothing else, so that nothing can be inferred from the name of the
 * device. */
#ifndef BANKLINE_INFER_TARGET_H
#define BANKLINE_INFER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"

enum {
    BL_TABLE_ITEMS = 128, /* work-items with distinct places: a multiple of any machine's lanes */
    BL_TABLES = 2,
    BL_PROBE_STEPS = 4,    /* accesses per round */
    BL_MAX_ARRAYS = 4,     /* max arrays in global memory */
    BL_TILE_BYTES = 16384, /* bytes of local memory in which places may lie */
    BL_WALKED_PLACES = 16384
};

/* The place of a work-item that accesses nothing. */
#define BL_IDLE UINT64_MAX

enum bl_probe_access { BL_PROBE_READ, BL_PROBE_WRITE, BL_PROBE_ADD };

/* Repeats the same requests, given lane by lane, on all compute units. Work-item i of a group
 * accesses table[i % BL_TABLE_ITEMS] + step_bytes * (0 to BL_PROBE_STEPS - 1). A place is an
 * address in global memory, or an offset in the tile in local memory or in the array in constant
 * memory. Each BL_TABLE_ITEMS work-items use the next table. The value is ns per access of all
 * work-items of a table, with as many accesses in flight as the device holds, so times of one
 * memory are comparable. */
struct bl_lanes_probe {
    enum bl_memory memory;
    enum bl_probe_access access; /* writes and additions only in local memory */
    const struct bl_type *type;
    unsigned step_bytes;
    unsigned tables;
    uint64_t places[BL_TABLES][BL_TABLE_ITEMS];
    unsigned sub_group_items; /* 0, or work-items per group for a launch of `groups` groups */
    unsigned groups;
};

/* A pointer chase by a single work-item; the value is ns per read. The chain is read once before it
 * is timed. If it has more than BL_WALKED_PLACES places, all compute units together read every
 * place once instead, and then only a part of the chain is timed; a list may not be that long. */
struct bl_chase_probe {
    uint64_t address;     /* address of the first place */
    uint64_t pitch_bytes; /* distance from one place to the next */
    uint64_t places;      /* number of places; neighbours are never visited in succession */
    /* not 0: each visit is followed by a second read, this many bytes further on */
    uint64_t second_bytes;
    const uint32_t *list; /* not NULL: the order in which places are visited; place i is at address
                             + i * pitch_bytes */
};

/* All compute units read or write a working set, 16 bytes per work-item, side by side: bytes per
 * ns. Its size is rounded down to whole blocks of some KiB. */
struct bl_stream_probe {
    uint64_t bytes;
    bool is_for_each_unit; /* whether every group reads all of it */
    bool is_write;
};

/* Groups that chase pointers, all work-items of a group the same, each group with this much local
 * memory: the time of all of them, as a multiple of the time of two. */
struct bl_occupancy_probe {
    unsigned groups;
    unsigned local_bytes;
    unsigned group_items; /* 0: one */
};

/* Barriers in groups of this size; the value is ns per barrier, including the exchange of a word.
 */
struct bl_barrier_probe {
    unsigned group_items;
};

/* Sub-groups that follow chains through a working set, all lanes in step: ns for each chain to go
 * on by a request. A place of a chain has `lines` lines, of which lane i reads line i % lines. */
enum { BL_MAX_READS = 16, BL_FAR_BYTES = 16384 };
struct bl_reads_probe {
    uint64_t address, bytes; /* of the working set; bytes are rounded down to whole places */
    unsigned lanes, line_bytes;
    unsigned lines;            /* a power of two, at most as many as lanes */
    unsigned line_pitch_bytes; /* from line to line of a place: of lines side by side, or
                                  BL_FAR_BYTES */
    bool is_first_word;        /* lanes read the first words of their lines; false: each another */
    bool is_written;           /* one chain, of lines side by side, that writes each word
                                  before it reads it */
    unsigned reads;            /* chains of a sub-group: a power of two up to BL_MAX_READS */
    unsigned sub_groups, groups; /* sub-groups of a group */
};

/* ns from one operation to the next, which needs its result. */
enum bl_chain { BL_CHAIN_LOCAL, BL_CHAIN_INTEGER, BL_CHAIN_FLOAT };
struct bl_chain_probe {
    enum bl_chain of;
    unsigned items; /* that each do the same, in one group; 0: one */
};

/* ns of a launch of groups that do nothing. */
struct bl_start_probe {
    unsigned groups, group_items;
};

/* An array in global memory that probes may access. */
struct bl_array_place {
    uint64_t address, bytes;
};

struct bl_target_limits {
    /* the largest first; bytes 0: no array */
    struct bl_array_place arrays[BL_MAX_ARRAYS];
    uint64_t local_bytes; /* local memory available to a group */
    unsigned max_group_items;
    unsigned groups_to_fill; /* estimated number of groups that fill the device */
};

/* Takes one sample of a probe; the probe's comment says what *value is. BL_BAD_CLOCK,
 * BL_WRONG_RESULT, BL_HANGS, BL_INTERRUPTED, BL_OPENCL_FAILED, BL_BUILD_FAILED: there is no kernel
 * for this type, memory and access. */
typedef enum bl_status bl_sample(void *context, const void *probe, double *value,
                                 struct bl_error *error);

struct bl_target {
    void *context;
    struct bl_target_limits limits;
    /* Each takes the probe with its name: `lanes` takes a struct bl_lanes_probe, and so on. */
    bl_sample *lanes, *chase, *stream, *occupancy, *barrier, *reads, *chain, *start;
};

/* The OpenCL device. */

struct bl_device;
struct bl_device_target;
struct bl_session;

/* Makes a target of an OpenCL device: allocates arrays in global memory (max_bytes in total, or as
 * much as there is) and finds their addresses. session and device must outlive the target; pass
 * *target to bl_infer. BL_NO_MEMORY, BL_OPENCL_FAILED, and any status of a launch. */
enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error);

/* NULL is allowed. */
void bl_device_target_close(struct bl_device_target *opened);

#endif
