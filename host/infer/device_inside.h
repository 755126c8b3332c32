/* Inside host/infer only: what on_device.c, which holds the device and takes samples, and
 * device_probes.c, which has the probes, share. */
#ifndef BANKLINE_INFER_DEVICE_INSIDE_H
#define BANKLINE_INFER_DEVICE_INSIDE_H

#include "cl/device.h"
#include "cl/session.h"
#include "infer/target.h"
#include "measure/clock.h"

enum { BL_KNOWN_PROBES = 8192, BL_MAX_OUTPUTS = 1 << 20, BL_PROBE_GROUP_ITEMS = 256 };

/* The chase whose links are in memory now. */
struct bl_linked {
    struct bl_chase_probe probe; /* its list is not used */
    uint64_t hash;
    uint32_t *list;   /* a copy, or NULL */
    uint32_t further; /* places from one visit to the next, without a list */
    uint64_t hops;    /* made so far */
};

struct bl_device_target {
    struct bl_session *session;
    const struct bl_device *device;
    struct bl_target_limits limits;
    struct bl_device_array *arrays[BL_MAX_ARRAYS];
    struct bl_device_array *table, *outputs, *list, *constant;
    struct bl_linked linked;
    double launch_ns; /* target length of the shorter of two launches */
    /* How many rounds a probe needs, by its hash; 0: an empty slot. */
    struct bl_known_probe {
        uint64_t hash;
        uint32_t rounds;
    } known[BL_KNOWN_PROBES];
};

/* One launch of a probe's kernel with so many rounds. */
typedef enum bl_status bl_probe_launch(void *context, uint32_t rounds, struct bl_timing *timing,
                                       struct bl_error *error);

/* Builds a kernel with these options. */
enum bl_status bl_target_kernel(struct bl_device_target *target, const char *file, const char *name,
                                const char *options, struct bl_kernel **kernel,
                                struct bl_error *error);

/* One sample: what a round takes, from the difference of two launches. The number of rounds
 * is found the first time a probe of this hash is sampled. */
struct bl_rounds {
    uint32_t min, max; /* of the shorter launch */
};
enum bl_status bl_target_sample(struct bl_device_target *target, uint64_t hash,
                                const struct bl_rounds *limits, bl_probe_launch *launch,
                                void *context, double *ns, struct bl_error *error);
bool bl_target_knows(const struct bl_device_target *target, uint64_t hash);

/* One launch, its timing checked (clock.h). */
enum bl_status bl_target_launch(struct bl_device_target *target, struct bl_kernel *kernel,
                                size_t groups, size_t group_items,
                                const struct bl_argument arguments[], unsigned count,
                                struct bl_timing *timing, struct bl_error *error);

/* Preparing a probe takes one launch of a kernel, whose time does not matter. */
struct bl_preparation {
    const char *file, *name; /* of the kernel */
    size_t groups, group_items;
};
enum bl_status bl_target_prepare(struct bl_device_target *target,
                                 const struct bl_preparation *preparation,
                                 const struct bl_argument arguments[], unsigned count,
                                 struct bl_error *error);

/* An argument with the bytes of a variable. */
#define BL_VALUE(variable)                              \
    {                                                   \
        .value = &(variable), .bytes = sizeof(variable) \
    }

/* The array that an address is in, and its offset there; BL_OUT_OF_RANGE. */
enum bl_status bl_target_locate(const struct bl_device_target *target, uint64_t address,
                                unsigned *array, uint64_t *offset, struct bl_error *error);

/* Sets the functions of *target. */
void bl_device_probes(struct bl_target *target);

/* Of the first array, filled once; chains lie elsewhere. */
enum { BL_HOME_BYTES = 16 << 20 };

#endif
