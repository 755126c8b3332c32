/* The least time that a kernel's accesses take on a machine, whatever its compiler does.
 *
 * Each stage of a compute unit works on one request at a time: its tags, its banks (which local
 * memory may share), and what sends writes on. The sum of a stage's clocks over all requests,
 * divided by compute units, is a lower bound of the kernel's clocks. A compiler may read at once
 * what a work-item reads one after another: neighbouring accesses of one instruction are counted as
 * if it did, up to 16 bytes, and what is read again as if it were kept. Beyond the compute units
 * each sector is fetched at least once a launch.
 */
#ifndef BANKLINE_TRACE_BOUNDS_H
#define BANKLINE_TRACE_BOUNDS_H

#include "trace/trace.h"

/* Fills in the bound of each kernel of a finished trace: of all its launches, whose further groups
 * are taken to be like those that were traced. BL_NO_MEMORY. */
enum bl_status bl_trace_bound(struct bl_trace *trace, struct bl_error *error);

/* The stage's name, as "banks". */
const char *bl_stage_name(enum bl_stage stage);

/* What a device was measured to do with contiguous accesses; NAN: it is not known. */
struct bl_delivery {
    double read_bytes_per_ns[BL_LEVELS],
        written_bytes_per_ns[BL_LEVELS]; /* of all units together */
    double kept_bytes[BL_LEVELS]; /* what the levels before may still have of a launch's data */
    double clock_ns;              /* of a compute unit at work */
};

/* Adds the times on the device that the trace's kernels were timed on. */
void bl_trace_bound_times(struct bl_trace *trace, const struct bl_delivery *delivery);

#endif
