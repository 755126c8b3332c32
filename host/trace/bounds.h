/* Lower bounds of the time that a kernel's memory accesses take on a machine, for any compiler.
 *
 * A compute unit has three stages: cache tags, banks (which may also serve local memory), and the
 * write path. Each stage works on one request at a time, so the sum of a stage's clocks over all
 * requests, divided by the number of compute units, is a lower bound of the kernel's clocks. A
 * compiler may merge accesses, so the bound assumes the best case: a work-item's accesses to
 * neighbouring elements count as one access of up to 16 bytes, and its reads and writes of the same
 * bytes count once between two barriers. Beyond the compute units, each sector that a launch
 * touches is read or written at least once. The set of these sectors is the launch's footprint. */
#ifndef BANKLINE_TRACE_BOUNDS_H
#define BANKLINE_TRACE_BOUNDS_H

#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

struct bl_trace;

enum bl_stage {
    BL_STAGE_TAGS,
    BL_STAGE_BANKS,
    BL_STAGE_WRITES,
    BL_STAGE_CONSTANTS, /* of arrays that the program declares */
    BL_STAGES
}; /* stages of a compute unit */

/* The stage's name, such as "banks". */
const char *bl_stage_name(enum bl_stage stage);

/* The bounds of all launches of a kernel together. */
struct bl_bound {
    double clocks[BL_STAGES]; /* clocks of each stage if a single compute unit did all the work */
    enum bl_stage busiest;
    double read_bytes, written_bytes; /* bytes of the distinct sectors of global and constant memory
                                         that each launch touches, summed over launches */
    /* Times on the device on which the launches were timed. 0 if unknown, or if the stage or level
     * does not limit the time. */
    double stage_ns, level_ns[BL_LEVELS];               /* lower bounds */
    double likely_stage_ns, likely_level_ns[BL_LEVELS]; /* estimates from measured rates */
    double ns;                                          /* the largest lower bound */
    const char *limited_by; /* name of the stage or level that sets this bound */
};

/* Fills in `clocks` and `busiest` of each kernel's bounds, for all launches of a finished trace
 * together. Costs of untraced groups are estimated from the traced groups (launch_groups.h). Fails
 * with BL_NO_MEMORY. */
enum bl_status bl_trace_bound(struct bl_trace *trace, struct bl_error *error);

/* Rates measured on a device with contiguous accesses; NAN if unknown. */
struct bl_delivery {
    double read_bytes_per_ns[BL_LEVELS],
        written_bytes_per_ns[BL_LEVELS]; /* rates of all compute units together */
    double kept_bytes[BL_LEVELS]; /* maximum number of bytes that a previous launch can have left in
                                     the levels nearer to the compute units */
    double clock_ns;              /* clock period of a busy compute unit */
};

/* Converts the bounds to times on the device on which the trace's kernels were timed. */
void bl_trace_bound_times(struct bl_trace *trace, const struct bl_delivery *delivery);

#endif
