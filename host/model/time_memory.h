/* L2 and memory of a simulated launch (time.h), as one of its compute units finds them: which
 * blocks L2 holds, and how long sectors take from L2 and from memory. Private to host/model. */
#ifndef BANKLINE_MODEL_TIME_MEMORY_H
#define BANKLINE_MODEL_TIME_MEMORY_H

#include "model/time.h"
#include "model/time_cache.h"

enum { BL_TIME_SLICES = 80 };

struct bl_time_memory {
    const struct bl_machine *machine;
    const struct bl_time_launch *launch;
    struct bl_time_map fetched; /* when each block arrived in L2; 0 if L2 held it before */
    struct bl_time_map written; /* when the launch first wrote each block; for a block of a private
                                   array, 0 if memory has its data */
    struct bl_time_map touched; /* filled_ns + private_filled_ns when each block of a private
                                   array was last used */
    double l2_ns, memory_ns;    /* when L2 and memory are free again */
    double busy_ns;             /* how long memory was occupied */
    /* Amounts of data, as the time that memory needs for them: what L2 held at the beginning or
     * took in since, and how much L2 can keep. */
    double filled_ns, kept_ns;
    /* For private arrays, whose areas the simulated groups share with the others: what L2 took in
     * of them, the size of all of them, and how much L2 can keep if all groups are simulated. */
    double private_filled_ns, private_ns, share_ns;
    double l2_granule_ns, granule_ns; /* ns per L2 sector and per block of memory, at this unit's
                                         share of the units' common rate, or at its own highest rate
                                         if that is lower */
    double slices_ns[BL_TIME_SLICES]; /* when each slice of L2 has done its atomics and shared
                                         writes */
    /* Numbers of sectors with atomics in each slice, and in all, if their overlap is unknown. */
    double updated[BL_TIME_SLICES], updated_all;
    double updates_ns; /* when all slices together have done the atomics */
    double busy_units;
    double shared_ns; /* granule_ns if only the rate of all units together limits it */
    /* How long recent reads and writes of all units occupied memory, decayed exponentially up to
     * the time recent_until_ns. */
    double recent_reads_ns, recent_writes_ns, recent_until_ns;
    bool has_failed; /* out of memory */
};

/* A read request of a sub-group, beyond the first cache. */
struct bl_time_fetch {
    double from_ns;   /* when the request arrives at L2 */
    uint64_t address; /* address of the previous sector; UINT64_MAX before the first one */
    unsigned l2_lines, memory_lines;
    double l2_more_ns, memory_more_ns; /* delays so far for further lines from L2 and from memory */
    double queued_ns[2];               /* the longest wait of a sector for L2 and for memory */
    double idle_ns;                    /* arrival of the last sector if there were no queues */
    size_t wave;                       /* wave of the unit's groups */
    double units;    /* as in struct bl_time_sharing: each takes an equal part of memory's time */
    bool is_private; /* from a private array */
    bool is_from_memory; /* memory, not L2, delivers the previous sector */
};

/* part: the part of the unit's groups that is simulated. busy_units: number of units that have
 * groups. Free the memory with bl_time_memory_free. */
void bl_time_memory_open(struct bl_time_memory *memory, const struct bl_machine *machine,
                         const struct bl_time_launch *launch, double busy_units, double part);
void bl_time_memory_free(struct bl_time_memory *memory);

/* Fetches a sector that the first cache does not hold; returns its arrival. */
double bl_time_fetch_sector(struct bl_time_memory *memory, struct bl_time_fetch *fetch,
                            uint64_t address);

/* Occupies L2 for a read request that fetched `sectors` sectors of `lines` lines. */
void bl_time_occupy_l2(struct bl_time_memory *memory, double from_ns, unsigned sectors,
                       unsigned lines);

/* Writes a sector; returns whether the launch has written its block before now_ns. Written data
 * stays in L2 until L2 is full. From then on, each block that the launch brings into L2 and writes
 * costs memory a write, which delays reads. A block that L2 held before the launch stays there.
 * is_alone: no other sector of the block is written at about the same time; memory then takes
 * longer. now_ns is above 0. */
bool bl_time_write_sector(struct bl_time_memory *memory, uint64_t address, bool is_alone,
                          size_t wave, double now_ns);

/* The same for a sector of a private array. All units together may have more private arrays than L2
 * holds. L2 replaces the least recently used blocks: a block that is used again after L2 has taken
 * in as much as L2 can keep comes from memory. If the block had been written, L2 has written it to
 * memory. */
bool bl_time_write_private(struct bl_time_memory *memory, uint64_t address, double now_ns);

/* Occupies the L2 slice of a sector that requests of all units write, each only partially. Returns
 * when the slice has written the sector. */
double bl_time_write_shared(struct bl_time_memory *memory, uint64_t address, double from_ns);

struct bl_time_update {
    uint64_t address;
    double updates;               /* of the sector, by one request */
    enum bl_time_overlap overlap; /* with what other units update; may be the same if unknown */
    double exchanging; /* lanes of the unit that try to exchange the sector's word together; 0 if
                          the update is no such exchange */
};

/* Updates a sector by an atomic; returns when the old value arrives. Raises *done_ns to the
 * time when L2 has done the update. */
double bl_time_update_sector(struct bl_time_memory *memory, struct bl_time_fetch *fetch,
                             const struct bl_time_update *update, double *done_ns);

#endif
