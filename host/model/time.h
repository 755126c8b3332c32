/* Predicts how long a launch takes on a machine, by simulating one of its compute units.
 *
 * The unit's resident sub-groups each run a stream of operations in order: arithmetic, loads,
 * stores, and waits for loads that have not delivered yet. All sub-groups share the unit's
 * load-store path (on which passes add up), its scheduler, its first cache, and its share of L2 and
 * memory. Waves and tails follow from the number of groups that the busiest unit runs.
 * model/machine.h explains a machine's figures.
 *
 * The caller supplies the streams (trace/streams.h, or a test). The simulation does not depend on
 * OpenCL. */
#ifndef BANKLINE_MODEL_TIME_H
#define BANKLINE_MODEL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

enum bl_time_kind {
    BL_TIME_WORK, /* arithmetic instructions */
    BL_TIME_WAIT, /* waits until a load has delivered its value */
    BL_TIME_LOAD,
    BL_TIME_STORE,
    BL_TIME_LOCAL_LOAD,
    BL_TIME_LOCAL_STORE,
    BL_TIME_LOCAL_ATOMIC, /* delivers a value, as a load does */
    BL_TIME_ATOMIC,       /* on global memory; delivers a value, too */
    BL_TIME_BARRIER       /* barrier of the group */
};

/* A resident sub-group has an area of 2^BL_TIME_AREA_BITS bytes for its private arrays. */
enum { BL_TIME_AREA_BITS = 26 };

/* One operation of a sub-group. */
struct bl_time_op {
    uint8_t kind;
    bool is_partial;  /* for a store: it writes partial sectors */
    bool is_narrow;   /* for a store: of elements of less than 4 bytes */
    bool is_private;  /* the operation accesses a private array; the first cache keeps what it
                         stores. Of the address, only the lower BL_TIME_AREA_BITS bits are used */
    bool is_constant; /* for a load: of a constant array that the program declares; `banks` is the
                         number of clocks that its addresses take, and it has no sectors */
    bool is_firm;     /* for a wait: an address or a branch depends on the loaded value */
    bool is_rolled;   /* for a wait: a compiler runs the iteration alone, not several at once */
    bool is_unrolled; /* for a wait: the load is in a loop that is unrolled completely */
    bool is_behind;   /* for a wait: the load is behind a branch of its loop */
    bool is_early;    /* for a wait: the load's address depends only on counters of its loop, and
                         on what was computed before the loop; no branch of the loop is executed */
    bool is_again;    /* for a load or a store: a compiler moves it out of its loop, and this is not
                         the first iteration */
    bool passes_stores;   /* for a load: a compiler that runs several iterations at once moves it
                             above the stores of earlier ones */
    uint8_t at_once;      /* for a load: how many copies of it a compiler runs at once, in several
                             iterations of the loops around it; 0 if it is in no loop */
    uint8_t exchanging;   /* for an atomic: how many lanes try to exchange one word, in a loop that
                             ends   when they succeed; 0 if they exchange several words */
    uint16_t tags, banks; /* tag and bank passes of a request; at least one of the two is not 0. For
                             an atomic on global memory, `banks` is the number of its updates: for
                             each sector, the number of lanes that update its busiest word, summed
                             over sectors; or 1 in all if the compiler combines the lanes */
    uint16_t free_banks;  /* bank passes that the request would need if its bytes were contiguous;
                             only passes beyond these are conflicts */
    uint16_t lines;       /* lines that a request touches */
    uint32_t issued;      /* for work: number of instructions */
    uint32_t chain;       /* for work: length of the longest chain of dependent instructions */
    uint32_t carried; /* for work: the most instructions that it adds to a chain that began before
                         it. If iterations overlap, only these are serial */
    uint32_t array;   /* index into `shifts` and `sharing`: the instruction of a request, or of the
                         load that a wait needs */
    uint32_t first;   /* for a request: index of its first sector */
    uint32_t count;   /* for a request: number of its sectors; for a wait: which load to wait for,
                         counted back from the latest, which is 1 */
    uint32_t place;   /* for a load or a store: hash of the addresses; 0 if unknown */
};

/* What is known of the addresses that a launch's groups access. */
enum bl_time_overlap {
    BL_TIME_OVERLAP_UNKNOWN,
    BL_TIME_APART,   /* each group accesses other addresses */
    BL_TIME_TOGETHER /* the accesses of all sampled groups begin at one address */
};

/* How the groups' accesses by an instruction relate to each other. */
struct bl_time_sharing {
    enum bl_time_overlap overlap;
    /* How many units read the same block from memory at about the same time; 0: unknown, counts
     * like 1. */
    double units;
    /* For an instruction whose accesses do not follow from the group's position: the range of all
     * sampled accesses. bytes: 0 if it is not known. */
    uint64_t begin, bytes;
};

/* Returns address + shift. If sharing (which may be NULL) has a range, an address beyond one end
 * enters it at the other. */
uint64_t bl_time_shifted(uint64_t address, int64_t shift, const struct bl_time_sharing *sharing);

struct bl_time_stream {
    const struct bl_time_op *ops;
    size_t count;
    const uint64_t *sectors; /* addresses in bytes */
    const int64_t *shifts;   /* bytes to add to the addresses of each array; NULL if none */
    /* How many operations the sub-group executes after the last one: it begins again, each time at
     * addresses that are further by `again` for each array; NULL: at the same addresses. */
    size_t further;
    const int64_t *again;
    const struct bl_time_sharing *sharing; /* for each array; NULL: unknown */
};

struct bl_time_group {
    const struct bl_time_stream *streams; /* streams of its sub-groups */
    unsigned sub_groups;                  /* 1 to bl_time_launch.sub_groups */
};

enum { BL_TIME_MAX_SUB_GROUPS = 64 };

struct bl_time_launch {
    /* Sets *group to the unit's group number `index`. The array of streams is valid until the next
     * call; what the streams point to is valid until the simulation ends. */
    void (*group)(void *context, size_t index, struct bl_time_group *group);
    /* Whether L2 holds this address when the unit's groups of wave `wave` first request it. */
    bool (*is_in_l2)(void *context, uint64_t address, size_t wave);
    void *context;
    double l2_filled;     /* fraction of L2 that holds data when the launch begins, 0 to 1 */
    size_t groups;        /* groups of the whole launch, at least 1 */
    unsigned group_items; /* work-items of a group */
    unsigned sub_groups;  /* sub-groups of a group */
    unsigned local_bytes; /* local memory of a group; 0 if none */
    unsigned registers;   /* registers of a work-item; 0: unknown, and so no limit */
    double more; /* length of the whole streams divided by that of the given ones; at least 1 */
    double more_arithmetic; /* the same of their arithmetic alone; 0: as `more` */
    size_t max_ops;         /* about how many operations to simulate; the rest is extrapolated */
};

/* Parts of the time. */
enum bl_time_limit {
    BL_LIMIT_LATENCY,    /* waiting for loads, apart from BL_LIMIT_OCCUPANCY */
    BL_LIMIT_OCCUPANCY,  /* waiting for loads that more resident sub-groups would hide; 0 if the
                            busiest unit holds all of its groups at once */
    BL_LIMIT_TAGS,       /* load-store path stalled on tag lookups */
    BL_LIMIT_BANKS,      /* load-store path stalled on bank passes, or waiting for addresses of
                            constant arrays that the program declares */
    BL_LIMIT_STORES,     /* load-store path stalled on stores */
    BL_LIMIT_L2,         /* waiting in L2's queue */
    BL_LIMIT_MEMORY,     /* waiting in the queue of memory (DRAM) */
    BL_LIMIT_ARITHMETIC, /* arithmetic instructions between accesses */
    BL_LIMIT_LAUNCH,     /* starting the launch and its groups */
    BL_LIMIT_TAIL,       /* the last groups, while other units are idle */
    BL_LIMITS
};

/* "latency", ... */
const char *bl_time_limit_name(enum bl_time_limit limit);

struct bl_time_result {
    double ns;
    double shares[BL_LIMITS];      /* shares of the time; they add up to 1 */
    enum bl_time_limit limited_by; /* the limit with the largest share */
    unsigned resident;             /* groups resident on the unit simultaneously */
};

/* Why no time can be predicted for the machine: a sentence that says what is missing; NULL if a
 * time can be predicted. */
const char *bl_time_why_not(const struct bl_machine *machine);

/* Bytes of the smallest part of a line that is fetched alone: a sector, or the line. */
unsigned bl_time_sector_bytes(const struct bl_machine *machine);

/* How many of the launch's groups can be resident on a unit at the same time; at least 1. */
unsigned bl_time_resident(const struct bl_machine *machine, const struct bl_time_launch *launch);

/* How many bytes of the first cache the local memory of the resident groups leaves; at least an
 * eighth of the cache. */
size_t bl_time_cache_bytes(const struct bl_machine *machine, const struct bl_time_launch *launch);

/* Predicts the launch's time; bl_time_why_not must be NULL for the machine. Returns BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_time_of(const struct bl_machine *machine, const struct bl_time_launch *launch,
                          struct bl_time_result *result, struct bl_error *error);

#endif
