/* A case laid out on a device: what to build, what to launch, what it must compute, and what the
 * model says of it. Everything that differs between suites is in here; measuring one is the same
 * for all (measure_case.c).
 *
 * Every kernel has the signature (data, outputs, rounds, zero): an array to read, a uint for each
 * output, how often to do the round's work, and a zero known at run time only.
 */
#ifndef BANKLINE_RUN_WORKLOAD_H
#define BANKLINE_RUN_WORKLOAD_H

#include <stdbool.h>

#include "cl/device.h"
#include "model/expression.h"
#include "model/launch.h"
#include "report/row.h"

struct bl_case;

/* Sub-groups that kernels without a machine's own number launch for each compute unit: as many as
 * are resident on an H100 in groups of one. */
enum { BL_SUB_GROUPS_PER_CU = 32 };

/* Where a case is to be laid out. */
struct bl_setting {
    const struct bl_machine *machine;
    const struct bl_device *device; /* NULL: a device without limits, for the model alone */
    unsigned compute_units;         /* the device's, or a few */
    struct bl_shape shape;          /* of the group */
    bool quick;                     /* a smaller problem, where it has a size */
};

struct bl_workload {
    const struct bl_case *test_case;
    /* memory, type, shape, lanes and groups always; the rest for index patterns. */
    struct bl_launch launch;
    const struct bl_expression *expression; /* of the kernels that take one; or NULL. Borrowed. */
    unsigned groups_per_launch_group; /* groups of the launch that are launched as one, each on
                                         `stack_lanes` lanes */
    unsigned lanes_per_group;         /* 0: each is launched as it is */
    const uint64_t *starts;           /* of a person's expression: those of its groups. Borrowed. */
    size_t start_count;
    const char *file, *kernel;
    char options[384];       /* for the compiler; bl_add_option appends */
    unsigned required_lanes; /* of a sub-group, where the driver takes such a wish; else 0 */
    size_t data_bytes;       /* of the shared array that the kernel reads */
    bool is_constant;        /* the array is in constant memory */
    size_t outputs;          /* uint32_t each */
    bool adds_to_outputs;    /* they must be 0 before a launch whose outputs are looked at */
    /* Fills in what the outputs must be after `rounds` rounds. is_linear: rounds times what they
     * are after one, modulo 2^32. BL_OK or BL_NO_MEMORY. */
    enum bl_status (*reference)(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error);
    bool is_linear;
    size_t local_bytes;       /* local memory of a group */
    size_t working_set_bytes; /* 0: not applicable */
    const char *type_name;
    /* Of one round of the whole launch. */
    double work;     /* in the unit in which case and baseline are compared */
    double bytes;    /* that work-items read or write; 0 where bytes are not the point */
    double requests; /* memory instructions of a sub-group; 0 where not counted */
    double clocks;   /* by the model, of the requests that the work needs; NAN without a rule */
    double lines, sectors, tag_passes, bank_passes; /* means over requests; NAN where not known */
    char note[448];                                 /* what laying it out found out */
    bool limited_by_banks;      /* bytes beyond what the banks deliver are impossible */
    double bytes_per_delivered; /* bytes that lanes get for each that a bank delivers: 1, or more
                                   where lanes share words */
    enum bl_row_status status;  /* BL_ROW_OK, or why it cannot run */
    char reason[256];
};

/* Appends to the build options, printf's format. */
void bl_add_option(struct bl_workload *workload, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes the workload one that the device cannot run, unless it is so already. */
void bl_unsupported(struct bl_workload *workload, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes it one that this computer has no memory to lay out: planning fails then. */
void bl_no_memory(struct bl_workload *workload);

/* What all workloads have in common: file and kernel, the launch with this many sub-groups a
 * compute unit, one output a work-item, no claim on the model. Suites fill in the rest. */
void bl_workload_begin(struct bl_workload *workload, const struct bl_case *test_case,
                       const struct bl_setting *setting, const char *file, const char *kernel);

/* The options that every kernel of global.cl, local.cl and their like needs, and the sizes that
 * follow from the launch: data, local memory, bytes, requests. */
void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine);

/* What the model says of the launch's requests: starts of `groups` groups that stand for all. */
void bl_lay_out_prediction(struct bl_workload *workload, const struct bl_machine *machine,
                           const uint64_t starts[], size_t groups);

/* An index pattern in global, local or constant memory, as the case's row says. */
void bl_lay_out_pattern(const struct bl_case *test_case, const struct bl_setting *setting,
                        struct bl_workload *workload);

/* Whether the device has room for what the workload needs; makes it unsupported if not. */
void bl_check_limits(struct bl_workload *workload, const struct bl_device *device);

#endif
