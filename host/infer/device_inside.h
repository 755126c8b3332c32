/* Private to host/infer: the device of an inference, which on_device.c opens, and the functions of
 * device_probes.c that launch kernels on it and take samples. */
#ifndef BANKLINE_INFER_DEVICE_INSIDE_H
#define BANKLINE_INFER_DEVICE_INSIDE_H

#include "cl/device.h"
#include "cl/session.h"
#include "infer/target.h"
#include "measure/sampler.h"

enum { BL_KNOWN_PROBES = 8192, BL_MAX_OUTPUTS = 1 << 20, BL_PROBE_GROUP_ITEMS = 256 };

/* The pointer chase whose links are in the device's memory at present. */
struct bl_linked {
    struct bl_chase_probe probe; /* its `list` is unused */
    uint64_t hash;               /* hash of the probe and its list; 0 if no chain is linked */
    uint32_t *list;              /* a copy of the list, or NULL */
    uint32_t further;            /* step from one visited place to the next if there is no list */
    uint64_t hops;               /* hops made so far */
};

struct bl_device_target {
    struct bl_session *session;
    const struct bl_device *device;
    struct bl_target_limits limits;
    struct bl_device_array *arrays[BL_MAX_ARRAYS];
    struct bl_device_array *table, *outputs, *list, *constant;
    struct bl_linked linked;
    uint64_t linked_lanes; /* hash of the lane-by-lane chains in memory; 0 if there are none */
    uint64_t lane_hops;    /* hops that each lane-by-lane chain made so far */
    double launch_ns;      /* target length of the shorter of a sample's two launches */
    uint32_t busy_rounds;  /* rounds of the launch that keeps the device busy for a queue probe; 0
                              before the first such probe */
    /* Hash table of the probes sampled so far: the rounds of each probe's shorter launch. An entry
     * with 0 rounds is empty. */
    struct bl_known_probe {
        uint64_t hash;
        uint32_t rounds;
    } known[BL_KNOWN_PROBES];
    struct bl_error *error; /* error of the current probe */
};

/* A kernel and its launch. */
struct bl_device_launch {
    const char *file, *name, *options; /* file and name of the kernel; options may be NULL */
    size_t groups, group_items;
    struct bl_argument arguments[BL_MAX_ARGUMENTS]; /* terminated by a zeroed argument */
    uint32_t rounds;                                /* storage for the argument `rounds` */
    /* Called after each timed launch; may be NULL. */
    enum bl_status (*after)(struct bl_device_target *target, struct bl_device_launch *launch);
    void *context; /* context of `after` */
};

/* An argument that passes a variable's bytes. */
#define BL_VALUE(variable)                              \
    {                                                   \
        .value = &(variable), .bytes = sizeof(variable) \
    }

/* Runs one launch without timing it. */
enum bl_status bl_target_run(struct bl_device_target *target,
                             const struct bl_device_launch *launch);

/* Runs one launch of this many rounds and checks its timing. */
enum bl_status bl_target_time(struct bl_device_target *target, struct bl_device_launch *launch,
                              uint32_t rounds, double *ns);

/* Enqueues `first`, and `count` launches of `behind` while `first` runs (bl_session_queue). */
enum bl_status bl_target_queue(struct bl_device_target *target,
                               const struct bl_device_launch *first,
                               const struct bl_device_launch *behind, unsigned count,
                               struct bl_queue_timing *timing);

/* Takes one sample: the time of a round, from the difference of two launches. The shorter launch
 * has `min` to `max` rounds; the number is chosen when a probe with this hash is sampled for the
 * first time. */
enum bl_status bl_target_sample(struct bl_device_target *target, struct bl_device_launch *launch,
                                uint64_t hash, uint32_t min, uint32_t max, double *ns);

uint64_t bl_probe_hash(const char *kind, const void *probe, size_t bytes);

/* Finds the array that contains an address, and the offset of the address in that array. Fails with
 * BL_OUT_OF_RANGE if no array contains it. */
enum bl_status bl_target_locate(const struct bl_device_target *target, uint64_t address,
                                unsigned *array, uint64_t *offset);

/* The step, in places, from one visit of a chain to the next. Repeated steps reach all places.
 * Except in very short chains, no step leads to a neighbour. */
uint32_t bl_chain_further(uint64_t places);

/* Each function takes a sample of a probe; `context` is a struct bl_device_target. */
bl_sample bl_sample_lanes, bl_sample_chase, bl_sample_occupancy;

#endif
