/* How long a launch takes on a machine, by simulating one of its compute units.
 *
 * The unit's resident sub-groups each run a stream of operations in order: arithmetic, loads,
 * stores, and waits for what a load has not delivered yet. All share the unit's load-store path, on
 * which passes add up, its scheduler, its first cache and its share of L2 and memory. Waves and
 * tails follow from the groups that the busiest unit gets. What the figures mean, and how a
 * machine's were measured: model/machine.h.
 *
 * Streams come from whoever has them (trace/streams.h, or a test). Nothing here knows of OpenCL.
 */
#ifndef BANKLINE_MODEL_TIME_H
#define BANKLINE_MODEL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

enum bl_time_kind {
    BL_TIME_WORK, /* arithmetic instructions */
    BL_TIME_WAIT, /* waits until a load has delivered */
    BL_TIME_LOAD,
    BL_TIME_STORE,
    BL_TIME_LOCAL_LOAD,
    BL_TIME_LOCAL_STORE,
    BL_TIME_LOCAL_ATOMIC, /* delivers as a load does */
    BL_TIME_BARRIER       /* barrier of the group */
};

/* One operation of a sub-group. */
struct bl_time_op {
    uint8_t kind;
    bool is_partial;      /* a store: it writes sectors in part */
    bool is_firm;         /* a wait: an address or a branch depends on what is loaded */
    uint16_t tags, banks; /* passes of a request, at least one of them 1 */
    uint16_t lines;       /* lines that a request touches */
    uint32_t issued;      /* work: instructions */
    uint32_t chain;       /* work: the longest chain of dependent instructions */
    uint32_t carried; /* work: of that chain, those that depend on the previous round of a loop */
    uint32_t array;   /* a request: the index of its shift */
    uint32_t first;   /* a request: index of its sectors */
    uint32_t count; /* a request: number of its sectors; a wait: which load, counted back from 1 */
    uint32_t place; /* a load or a global store: what each lane accesses, hashed; 0: not known */
};

struct bl_time_stream {
    const struct bl_time_op *ops;
    size_t count;
    const uint64_t *sectors; /* addresses in bytes */
    const int64_t *shifts;   /* bytes to add to those of each array; NULL: none */
};

struct bl_time_group {
    const struct bl_time_stream *streams; /* streams of its sub-groups */
    unsigned sub_groups;                  /* 1 to bl_time_launch.sub_groups */
};

enum { BL_TIME_MAX_SUB_GROUPS = 64 };

struct bl_time_launch {
    /* Returns the unit's group number `index`. The array of streams is valid until the next call;
     * what the streams point to is valid until the simulation ends. */
    void (*group)(void *context, size_t index, struct bl_time_group *group);
    /* Whether L2 holds this address when the unit's wave number `wave` of groups first asks for it.
     */
    bool (*is_in_l2)(void *context, uint64_t address, size_t wave);
    void *context;
    size_t groups;        /* groups of the whole launch, at least 1 */
    bool has_sides;       /* groups have more than one side */
    unsigned group_items; /* work-items of a group */
    unsigned sub_groups;  /* sub-groups of a group */
    unsigned local_bytes; /* local memory of a group; 0: none */
    unsigned registers;   /* of a work-item; 0: not known, and no limit */
    double more;          /* how many times each stream is repeated; at least 1 */
    size_t max_ops;       /* about how many operations to simulate; the rest is extrapolated */
};

/* Parts of the time. */
enum bl_time_limit {
    BL_LIMIT_LATENCY,    /* waiting for loads, with as many sub-groups as a unit can hold */
    BL_LIMIT_OCCUPANCY,  /* waiting for loads that more resident sub-groups would hide */
    BL_LIMIT_TAGS,       /* waiting for the load-store path, occupied by tags, */
    BL_LIMIT_BANKS,      /* banks, or */
    BL_LIMIT_STORES,     /* stores */
    BL_LIMIT_L2,         /* waiting in L2's queue */
    BL_LIMIT_MEMORY,     /* ... memory's */
    BL_LIMIT_ARITHMETIC, /* instructions between accesses */
    BL_LIMIT_LAUNCH,     /* starting the launch and its groups */
    BL_LIMIT_TAIL,       /* the last groups, while other units have none */
    BL_LIMITS
};

/* "latency", ... */
const char *bl_time_limit_name(enum bl_time_limit limit);

struct bl_time_result {
    double ns;
    double shares[BL_LIMITS];      /* shares of the time; they add up to 1 */
    enum bl_time_limit limited_by; /* the largest of these */
    unsigned resident;             /* groups that run on the unit at once */
    double unit_groups;            /* groups of the busiest unit */
};

/* Why no time can be predicted for the machine: a sentence that says what is missing; NULL if
 * nothing is. */
const char *bl_time_why_not(const struct bl_machine *machine);

/* The number of groups that a unit holds at once. */
unsigned bl_time_resident(const struct bl_machine *machine, const struct bl_time_launch *launch);

/* Predicts the launch's time; bl_time_why_not must be NULL for the machine. BL_OK or BL_NO_MEMORY.
 */
enum bl_status bl_time_of(const struct bl_machine *machine, const struct bl_time_launch *launch,
                          struct bl_time_result *result, struct bl_error *error);

#endif
