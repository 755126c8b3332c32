/* A case laid out on a device: what to build and launch, which outputs to expect, how much work it
 * does, and the model's prediction. Everything that differs between suites is defined here;
 * measuring (measure_case.c) is the same for all suites.
 *
 * Every kernel has the signature (data, outputs, rounds, zero): an array to read or write, one uint
 * per output, the number of rounds, and a zero that the compiler cannot know. A kernel for an
 * expression also gets the table of the expression's values; some kernels get local memory.
 *
 * Numbers that are unknown or not applicable are NAN. */
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

/* What to lay out, and for which machine and device. */
struct bl_setting {
    const struct bl_case *test_case;
    const struct bl_machine *machine;
    const struct bl_device *device; /* NULL: lay out for the model alone, without a device's
                                       limits */
    unsigned compute_units;         /* number of compute units on the device; without a device, a
                                       small number */
    struct bl_shape shape;          /* shape of the group */
    bool quick;                     /* whether to use a smaller problem, if the case has a size */
};

/* The kernel to build. */
struct bl_build {
    const char *file, *kernel;
    char options[384];       /* compiler options; bl_add_option appends */
    unsigned required_lanes; /* sub-group size to require; 0 if the driver does not support that */
    /* the expression whose table the kernel takes, borrowed; or NULL */
    const struct bl_expression *expression;
    bool needs_required_lanes; /* whether the results depend on the sub-group size */
    bool array_in_memory;      /* whether the case measures a private array in memory, not in
                                  registers */
};

/* A working set of tiles (run/tiles.h). */
struct bl_tiles {
    uint64_t elements;             /* elements per tile; a whole number of lines */
    uint64_t blocks;               /* blocks in the array */
    unsigned per_block;            /* tiles per block */
    uint64_t begin_on, further_on; /* replica r begins at block r * begin_on, and moves on by
                                      further_on blocks in each round */
};

/* How the groups of a user's expression, or of a pattern in tiles, become a launch. The groups are
 * repeated until the device is full, and several of them may be launched as one group. */
struct bl_replicas {
    const uint64_t *starts; /* start element of each work-item of a replica, borrowed; or NULL */
    size_t start_count;
    unsigned
        groups_per_launch_group; /* how many of the expression's groups one launched group runs; if
                                    more than 1, each of them gets lanes_per_group lanes */
    unsigned lanes_per_group;    /* 0 if each group is launched unchanged */
    /* the tiles that each replica visits one after another; `blocks` is 0 if there are none */
    struct bl_tiles tiles;
};

/* The memory that a launch needs on the device. */
struct bl_buffers {
    size_t data_bytes;    /* size of the array that all groups read or write */
    size_t local_bytes;   /* local memory per group */
    bool local_argument;  /* whether the local memory is the kernel's last argument; such a kernel
                             is launched even if it asks for more than a group can have */
    size_t outputs;       /* number of outputs, uint32_t each */
    bool adds_to_outputs; /* whether the kernel adds to its outputs, so that they must be 0 before a
                             launch whose outputs are checked */
};

/* How a launch's outputs are checked. */
struct bl_check {
    /* Computes the outputs after `rounds` rounds. Returns BL_OK or BL_NO_MEMORY. */
    enum bl_status (*reference)(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error);
    bool is_linear; /* whether the outputs of r rounds are r times those of one round, modulo
                       2^32 */
};

/* The work of one round of the whole launch. */
struct bl_work {
    double units;    /* amount of work, in the unit in which case and baseline are
                        compared */
    double bytes;    /* bytes that work-items read or write; NAN if bytes are not counted */
    double requests; /* memory instructions of sub-groups; NAN if requests are not
                        counted */
    double bytes_per_delivered; /* bytes that lanes receive per byte that a bank delivers: 1, or
                                   more if lanes share words; NAN if banks do not limit bytes */
    size_t working_set_bytes;   /* 0 if not applicable */
    bool settles_slowly;        /* whether the time of a round is not yet steady after a
                                   millisecond */
    double min_share; /* the banks' rule applies only if the baseline reaches this fraction of the
                         banks' limit; 0 if there is no condition */
};

/* Data of at least this size exceed an L1 cache. The time of a round then changes while the caches
 * fill: on an H200 by 3 to 36 % between launches of 1 ms and launches of 6 ms. */
enum { BL_SETTLES_SLOWLY_BYTES = 256 * 1024 };

/* The model's prediction: means over requests. */
struct bl_mean_cost {
    double clocks; /* clocks per request, or per unit of work if requests are not counted */
    double lines, sectors, tag_passes, bank_passes;
    double fetched[BL_LEVELS]; /* granules fetched from each level beyond the compute unit's cache;
                                  0 if unknown */
    double charged[BL_LEVELS]; /* cost of these granules if requests share none; in granules for
                                  reads, in fully written sectors for writes */
    double fetched_together[BL_LEVELS],
        charged_together[BL_LEVELS];  /* `fetched` and `charged` if the requests of a launched group
                                         share granules */
    double charged_shared[BL_LEVELS]; /* `charged` by the rule for how much requests share; 0 or NAN
                                         if there is no rule */
    const char *bound; /* the bottleneck: "lines", "tags", "banks", "sectors" or "granules"; NULL if
                          unknown. Static. */
    const char *why_none; /* why clocks are unknown; NULL if they are known. Borrowed. */
};

struct bl_workload {
    /* the setting for which the workload was laid out; its pointers are borrowed */
    struct bl_setting setting;
    const struct bl_level *level; /* the machine's level at which the data lie; NULL if unknown, or
                                     if the data lie in the compute unit's cache */
    struct bl_launch launch;      /* memory, type, shape, lanes and groups are always set; the other
                                     members only for index patterns */
    struct bl_build build;
    struct bl_replicas replicas;
    struct bl_buffers buffers;
    struct bl_check check;
    struct bl_work work;
    struct bl_mean_cost cost;
    /* whether the machine's rules expect the case to be faster or slower than its baseline; used
     * only if the case itself has no direction */
    enum bl_direction direction;
    char note[BL_NOTE_BYTES];  /* findings of the layout, to be added to the row's note */
    enum bl_row_status status; /* BL_ROW_OK, or the kind of reason why the workload cannot run */
    char reason[256];
};

/* The bottleneck inside the compute unit that follows from these counts: "lines", "tags", "banks"
 * or "sectors"; NULL if unknown. */
const char *bl_bound_of(const struct bl_machine *machine, const struct bl_mean_cost *cost);

/* Appends to the build options, in printf's format; truncates what does not fit. */
void bl_add_option(struct bl_build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the predicted clocks of a workload whose suite computes them. */
void bl_set_clocks(struct bl_workload *workload, double clocks);

/* Sets the direction to BL_SLOWER if the working set is at least twice the machine's cache, because
 * the guides say that memory beyond a cache is slower. The caller ensures that the baseline's
 * working set fits the cache. */
void bl_expect_beyond_cache(struct bl_workload *workload, const struct bl_machine *machine);

/* Marks the workload as unsupported, with a reason in printf's format, unless its status is already
 * other than BL_ROW_OK. */
void bl_unsupported(struct bl_workload *workload, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets what all workloads share: file, kernel and its variant, the machine's number of groups, one
 * output per work-item, and no predicted cost. Suites set the rest. */
void bl_workload_begin(struct bl_workload *workload, const struct bl_setting *setting,
                       const char *file, const char *kernel);

/* Sets the number of groups to launch, with one output per work-item. */
void bl_set_groups(struct bl_workload *workload, size_t groups);

/* Repeats the launch's groups until each compute unit has about this many sub-groups. */
void bl_repeat_groups(struct bl_workload *workload, const struct bl_setting *setting,
                      unsigned sub_groups_per_cu);

/* Max size in bytes of an array of this type in global memory on the device. */
uint64_t bl_max_array_bytes(const struct bl_device *device, const struct bl_type *type);

/* Sets the number of groups so that each compute unit gets 32 sub-groups. That many groups of one
 * sub-group are resident on a compute unit of an H100. */
void bl_fill_device(struct bl_workload *workload, const struct bl_setting *setting);

/* Sets the options that the kernels of global.cl, local.cl and similar files need, and the sizes
 * that follow from the launch: data, local memory, bytes, requests. */
void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine);

/* Computes the cost of the launch's requests from the starts of `groups` groups, which represent
 * all groups. May be called again for another address of the array. */
void bl_lay_out_cost(struct bl_workload *workload, const struct bl_machine *machine,
                     const uint64_t starts[], size_t groups);

/* Like bl_lay_out_cost, for the case's own pattern. If memory runs out, sets the status to
 * BL_ROW_ERROR, with which bl_plan fails. */
void bl_lay_out_pattern_cost(struct bl_workload *workload, const struct bl_machine *machine);

/* Lays out an index pattern in global, local or constant memory, as the case's row says. */
void bl_lay_out_pattern(const struct bl_setting *setting, struct bl_workload *workload);

/* Like bl_lay_out_pattern, for writes to local memory: every work-item writes the element that its
 * index selects. */
void bl_lay_out_local_writes(const struct bl_setting *setting, struct bl_workload *workload);

/* Lays out the reads or writes of a pattern over a working set at the level where the case's data
 * lie. */
void bl_lay_out_level(const struct bl_setting *setting, struct bl_workload *workload);

/* Returns BL_OK, or BL_BAD_SHAPE if a group of this shape does not fit the device. If device is
 * NULL, only the limits of the model apply. */
enum bl_status bl_check_shape(const struct bl_device *device, struct bl_shape shape,
                              struct bl_error *error);

/* On a CPU, marks a workload as unsupported if its working set exceeds 64 MiB and four times the
 * last-level cache, because a CPU's memory is so slow that the run would take minutes. */
void bl_check_caches(struct bl_workload *workload, const struct bl_device *device);

/* The cases of the suites private and spill, and width/private-*, have an array for each work-item.
 * The members of such a case mean: n is the number of elements; variant is the number of operations
 * per element beyond the first two; define is one of STATIC, UNIFORM, NONUNIFORM, UNIQUE=u and
 * IN_LOCAL (kernels/private.cl); type is the element type: int or a narrower type, a vector of 2
 * to 4 ints, or NULL for uint. */

/* Lays out such a case. Work is counted in elements changed, or in their bytes if the case has a
 * type. */
void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload);

#endif
