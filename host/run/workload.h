/* A case laid out on a device: what to build, what to launch, what it must compute, what it does
 * and what the model says of it. Everything that differs between suites is in here; measuring one
 * is the same for all (measure_case.c).
 *
 * Every kernel has the signature (data, outputs, rounds, zero): an array to read, a uint for each
 * output, how often to do the round's work, and a zero known at run time only; a kernel of an
 * expression gets the table of its values after these.
 *
 * Numbers that are not known, or not applicable, are NAN.
 */
#ifndef BANKLINE_RUN_WORKLOAD_H
#define BANKLINE_RUN_WORKLOAD_H

#include <stdbool.h>

#include "cl/device.h"
#include "model/expression.h"
#include "model/launch.h"
#include "model/predict.h"
#include "report/row_status.h"

struct bl_case;
struct bl_workload;

/* What is to be laid out, and where. */
struct bl_setting {
    const struct bl_case *test_case;
    const struct bl_machine *machine;
    const struct bl_device *device; /* NULL: a device without limits, for the model alone */
    unsigned compute_units;         /* the device's; without one, a few */
    struct bl_shape shape;          /* of the group */
    bool quick;                     /* use a smaller problem, if the case has a size */
};

/* What is compiled. */
struct bl_build {
    const char *file, *kernel;
    char options[384];       /* for the compiler; bl_add_option appends */
    unsigned required_lanes; /* of a sub-group, where the driver lets kernels require it; else 0 */
    const struct bl_expression *expression; /* whose table the kernel takes, borrowed; or NULL */
    bool needs_required_lanes; /* with sub-groups of another size it computes something else */
    bool array_in_memory;      /* measures a private array that must not stay in registers */
};

/* A working set of tiles (run/tiles.h). */
struct bl_tiles {
    uint64_t elements;             /* of a tile; a whole number of lines */
    uint64_t blocks;               /* of the array */
    unsigned per_block;            /* tiles of a block */
    uint64_t begin_on, further_on; /* blocks */
};

/* How the groups of a person's expression become a launch: they are repeated until the device is
 * full, and several may be launched as one group. */
struct bl_replicas {
    const uint64_t *starts; /* of the work-items of one replica, borrowed; else NULL */
    size_t start_count;
    unsigned groups_per_launch_group; /* 1, or more: each then on lanes_per_group lanes */
    unsigned lanes_per_group;         /* 0: each group is launched as it is */
    struct bl_tiles tiles; /* that each replica visits in turn; no blocks: it stays in place */
};

/* What a launch needs of the device's memory. */
struct bl_buffers {
    size_t data_bytes;    /* of the shared array that the kernel reads */
    size_t local_bytes;   /* local memory of a group */
    bool local_argument;  /* it is the kernel's last argument; if it is more than a group can have,
                             the driver must refuse it */
    size_t outputs;       /* uint32_t each */
    bool adds_to_outputs; /* they must be 0 before a launch whose outputs are checked */
};

/* What the outputs must be. */
struct bl_check {
    /* Computes the outputs after `rounds` rounds. BL_OK or BL_NO_MEMORY. */
    enum bl_status (*reference)(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error);
    bool is_linear; /* outputs are `rounds` times those of one round, modulo 2^32 */
};

/* What one round of the whole launch does. */
struct bl_work {
    double units;    /* in the unit in which case and baseline are compared */
    double bytes;    /* that work-items read or write, where bytes are compared */
    double requests; /* memory instructions of a sub-group, where they are counted */
    double
        bytes_per_delivered;  /* bytes that lanes receive for each byte that a bank delivers: 1, or
                                 more where lanes share words; NAN where banks do not limit bytes */
    size_t working_set_bytes; /* 0: not applicable */
    bool settles_slowly;      /* the time of a round is not yet steady after a millisecond */
    double min_share; /* fraction of the banks' limit that a baseline must reach, or the banks' rule
                         says nothing about it; 0: no condition */
};

/* From this size on a group's data exceed a level-1 cache, and the time of a round changes while
 * the caches fill: on an H200 by 3 to 36 % between launches of 1 and of 6 ms. */
enum { BL_SETTLES_SLOWLY_BYTES = 256 * 1024 };

/* What the model says: means over requests. */
struct bl_mean_cost {
    double clocks; /* of a request; where these are not counted, of a unit of work */
    double lines, sectors, tag_passes, bank_passes;
    double
        fetched[BL_LEVELS]; /* granules from beyond the compute unit's cache; 0: none are known */
    double charged[BL_LEVELS]; /* what they cost, in granules, or writes in sectors that are
                                  written whole, if each request fetches its own, */
    double fetched_together[BL_LEVELS], charged_together[BL_LEVELS]; /* and if those of a launched
                                                                        group share them */
    const char *bound; /* the bottleneck: "lines", "tags", "banks", "sectors" or "granules"; NULL:
                          not known. Static. */
    const char *why_none; /* why clocks are not known; NULL where they are. Borrowed. */
};

struct bl_workload {
    struct bl_setting setting;    /* that it was laid out for; what it points to is borrowed */
    const struct bl_level *level; /* of the machine, at which its data lie; NULL: in the cache that
                                     the machine's other rules are of, or nobody knows */
    struct bl_launch launch; /* memory, type, shape, lanes and groups always; the rest for index
                                patterns */
    struct bl_build build;
    struct bl_replicas replicas;
    struct bl_buffers buffers;
    struct bl_check check;
    struct bl_work work;
    struct bl_mean_cost cost;
    enum bl_direction direction; /* expected by the machine, besides the case's claim */
    char note[BL_NOTE_BYTES];    /* findings of the layout, for the row */
    enum bl_row_status status;   /* BL_ROW_OK, or why it cannot run */
    char reason[256];
};

/* Appends to the build options, printf's format; what does not fit is cut off. */
void bl_add_option(struct bl_build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the clocks of a workload that has a rule of its own. */
void bl_set_clocks(struct bl_workload *workload, double clocks);

/* Expects the workload to be slower where its working set is at least twice the machine's cache and
 * the baseline's fits it, by the guides' order of memories. */
void bl_expect_beyond_cache(struct bl_workload *workload, const struct bl_machine *machine);

/* Makes the workload one that the device cannot run, unless it is so already. */
void bl_unsupported(struct bl_workload *workload, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What all workloads have in common: file, kernel and its variant, the machine's number of groups,
 * one output a work-item, no claim on the model. Suites fill in the rest. */
void bl_workload_begin(struct bl_workload *workload, const struct bl_setting *setting,
                       const char *file, const char *kernel);

/* Launches so many groups, with an output a work-item. */
void bl_set_groups(struct bl_workload *workload, size_t groups);

/* Repeats the launch's groups until each compute unit has so many sub-groups. */
void bl_repeat_groups(struct bl_workload *workload, const struct bl_setting *setting,
                      unsigned sub_groups_per_cu);

/* Bytes that an array in global memory may have on the device. */
uint64_t bl_max_array_bytes(const struct bl_device *device, const struct bl_type *type);

/* Launches as many groups as give each compute unit what is resident on one of an H100. */
void bl_fill_device(struct bl_workload *workload, const struct bl_setting *setting);

/* The options that every kernel of global.cl, local.cl and their like needs, and the sizes that
 * follow from the launch: data, local memory, bytes, requests. */
void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine);

/* Computes the cost of the launch's requests from the starts of `groups` groups, which represent
 * all. It may be called again, for another address. */
void bl_lay_out_cost(struct bl_workload *workload, const struct bl_machine *machine,
                     const uint64_t starts[], size_t groups);

/* The same for the case's own pattern; where there is no memory for it, planning fails. */
void bl_lay_out_pattern_cost(struct bl_workload *workload, const struct bl_machine *machine);

/* An index pattern in global, local or constant memory, as the case's row says. */
void bl_lay_out_pattern(const struct bl_setting *setting, struct bl_workload *workload);

/* The same for writes of local memory: every work-item writes where its index says. */
void bl_lay_out_local_writes(const struct bl_setting *setting, struct bl_workload *workload);

/* A pattern over a working set at the level where the case's data lie: reads, or writes. */
void bl_lay_out_level(const struct bl_setting *setting, struct bl_workload *workload);

/* BL_OK, or BL_BAD_SHAPE if a group of this shape does not fit the device; device NULL: the limits
 * of the model alone. */
enum bl_status bl_check_shape(const struct bl_device *device, struct bl_shape shape,
                              struct bl_error *error);

/* On a CPU, whose memory is slow enough for a run to take minutes, makes a workload unsupported
 * that reads far more than its caches hold. */
void bl_check_caches(struct bl_workload *workload, const struct bl_device *device);

/* An array for each work-item, shared by the suites private and spill. The case's n is the number
 * of elements; its variant is how many operations beyond the first two each element gets; it
 * defines one of STATIC, UNIFORM, NONUNIFORM, UNIQUE=u and IN_LOCAL, as kernels/private.cl says;
 * its type, narrower than an int or a vector of 2 to 4, is that of the elements, NULL: uint. */

/* Work is counted in elements changed, or in their bytes where the case has a type. */
void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload);

#endif
