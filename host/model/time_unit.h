/* The simulated compute unit: its groups, sub-groups and resources, and the order in which
 * sub-groups continue and use them. Private to host/model. */
#ifndef BANKLINE_MODEL_TIME_UNIT_H
#define BANKLINE_MODEL_TIME_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/time.h"
#include "model/time_cache.h"
#include "model/time_memory.h"

/* Loads of a sub-group that a wait can refer to; a power of two. */
enum { BL_TIME_LOADS_UNDER_WAY = 256 };

/* The parts into which a load's time is divided, to attribute waits to limits. */
enum bl_time_part {
    BL_TIME_OF_PATH,
    BL_TIME_OF_CONSTANTS,
    BL_TIME_OF_LATENCY,
    BL_TIME_OF_L2,
    BL_TIME_OF_MEMORY,
    BL_TIME_PARTS
};

struct bl_time_under_way {
    double arrival_ns;
    double parts_ns[BL_TIME_PARTS];
};

/* The lines that the unit's last stores of parts of sectors wrote to. */
enum { BL_TIME_OPEN_LINES = 28 };
struct bl_time_open {
    struct bl_time_open_line {
        const struct bl_time_sub_group *of; /* the sub-group that wrote, or NULL if none */
        uint64_t number;                    /* the line's address divided by its size */
        uint64_t sectors;                   /* a bit for each sector */
        uint64_t store;                     /* the last store to the line */
        uint32_t loads;                     /* number of loads of `of` before that store */
        bool is_joined;                     /* several stores wrote to the line */
    } lines[BL_TIME_OPEN_LINES];
    unsigned next;  /* the line that was opened first */
    uint64_t store; /* number of the current store */
};

struct bl_time_sub_group {
    struct bl_time_stream stream;
    size_t place;    /* index of its group's slot (struct bl_time_place) */
    size_t at;       /* number of operations begun so far */
    double now_ns;   /* when the sub-group can continue */
    double head_ns;  /* arithmetic after the last wait; wait_for has already counted it */
    double banks_ns; /* when the banks have served its last read or atomic of local memory */
    bool is_waiting; /* at a barrier */
    uint32_t worked; /* instructions of the current operation that it has executed */
    uint32_t loads;  /* number of loads so far */
    struct bl_time_under_way under_way[BL_TIME_LOADS_UNDER_WAY];
};

/* A slot of the unit for a resident group. */
struct bl_time_place {
    unsigned sub_groups, running, waiting; /* waiting: at the barrier */
    size_t wave;
    double barrier_ns; /* when the latest sub-group reached the barrier */
};

/* The sub-groups that can continue: a binary heap, ordered by time. */
struct bl_time_ready {
    double ns;       /* when the sub-group can continue */
    uint32_t number; /* the sub-group's number */
};

struct bl_time_queue {
    struct bl_time_ready *ready; /* heap of `count` elements, of which the first is the earliest;
                                    the caller's array, large enough for all sub-groups */
    size_t count;
};

struct bl_time_unit {
    const struct bl_machine *machine;
    const struct bl_time_launch *launch;
    double busy_units; /* units that have groups */
    unsigned resident;
    size_t groups, simulated; /* groups assigned to the unit, and how many of them are simulated */
    size_t started, ended;
    struct bl_time_place *places;
    struct bl_time_sub_group *subs; /* subs_of_place sub-groups for each slot */
    struct bl_time_queue queue;
    unsigned subs_of_place;
    struct bl_time_cache cache;
    struct bl_time_memory memory;
    /* When each resource is free again. */
    double path_ns, constants_ns, stores_ns, scheduler_ns, starter_ns;
    /* ns per clock, per stored sector and per start of a group; if the units share a rate, at this
     * unit's share of it. fill_ns: from a group's start to its first instruction. */
    double clock_ns, store_sector_ns, start_ns, fill_ns;
    double occupied_ns[3];                   /* how long tags, banks and stores occupied the path */
    double lost_ns[BL_LIMITS], lost_path_ns; /* time lost to each limit, and to the path */
    size_t ops, all_ops;
    /* For each scheduler: the sub-group that stores parts of sectors one after another, or NULL. */
    const struct bl_time_sub_group *storing[BL_MAX_SCHEDULERS];
    struct bl_time_open open;
    double updated_ns; /* when L2 has done the atomics, and the stores that all units share */
    double half_ns;    /* when half of the operations had begun */
    /* Ends of all sub-groups so far, of the first resident groups, and of the last group. */
    double end_ns, first_ended_ns, last_ended_ns;
};

void bl_time_queue_push(struct bl_time_queue *queue, struct bl_time_ready ready);

/* Removes the sub-group that can continue first (if there are several, the one with the lowest
 * number) and returns its number. The queue must not be empty. */
uint32_t bl_time_queue_pop(struct bl_time_queue *queue);

/* Whether another sub-group comes before this one. */
bool bl_time_queue_is_ahead(const struct bl_time_queue *queue, struct bl_time_ready ready);

/* Starts instructions of a sub-group when the scheduler is free. */
void bl_time_issue(struct bl_time_unit *unit, struct bl_time_sub_group *sub, uint32_t instructions);

/* Returns when the load-store path accepts the request. more_ns: minimum time that the request
 * occupies the path. */
double bl_time_take_path(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                         const struct bl_time_op *op, double more_ns);

/* The address of the i-th sector of an operation. */
uint64_t bl_time_address_of(const struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                            const struct bl_time_op *op, uint32_t i);

struct bl_time_sharing bl_time_sharing_of(const struct bl_time_sub_group *sub,
                                          const struct bl_time_op *op);

/* L2 will have done a sub-group's request at done_ns. If L2 lags behind too much, the path stalls
 * from start_ns or from when the sub-group can continue, whichever is later. Returns for how long.
 */
double bl_time_stall(struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                     double start_ns, double done_ns);

/* In time_stores.c: */

/* Stores join none of the sub-group's earlier ones: another group starts in its slot. */
void bl_time_close_lines(struct bl_time_unit *unit, const struct bl_time_sub_group *sub);

/* Whether the sub-group's next operation, a store, must wait because another sub-group of its
 * scheduler is in a series of stores. If so, the sub-group is later now. */
bool bl_time_is_held(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                     const struct bl_time_op *op);

/* A store to global or private memory. Sub-groups do not wait for it, unless the path stalls
 * because the queue of stores is full or L2 lags behind. */
void bl_time_store(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                   const struct bl_time_op *op);

#endif
