/* The time of one launch, simulated (model/time.h) from the streams of its sampled groups
 * (streams.h). Private to host/trace.
 *
 * How many loads of a loop are in flight depends on the device's compiler, so a launch is simulated
 * with several numbers of loads in flight. */
#ifndef BANKLINE_TRACE_LAUNCH_TIME_H
#define BANKLINE_TRACE_LAUNCH_TIME_H

#include "model/time.h"
#include "trace/launch_blocks.h"
#include "trace/streams.h"

struct bl_launch_times {
    struct bl_time_result cold; /* L2 holds only what earlier launches and the host left */
    struct bl_time_result warm; /* with warm caches */
    double least_ns,
        most_ns; /* least: warm caches, loops unrolled by 16; most: cold caches, 1 load in flight */
    /* What-ifs, on warm caches; NAN if not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
};

struct bl_simulated_launch {
    const struct bl_machine *machine; /* bl_time_why_not returns NULL for this machine */
    const struct bl_wire_kernel *launch;
    const struct bl_streams *streams; /* at least one group */
    unsigned registers;               /* per work-item; 0 if unknown */
    /* Whether the kernel was launched before. If so, the warm time is simulated with the blocks
     * that earlier launches left in L2; otherwise with an estimate of what a repeated launch would
     * find. */
    bool is_again;
};

/* Simulates the launch, and adds the blocks that it leaves in L2 to *left. Fails with BL_NO_MEMORY.
 */
enum bl_status bl_launch_times(const struct bl_simulated_launch *launch, struct bl_l2_left *left,
                               struct bl_launch_times *times, struct bl_error *error);

/* Simulates the launch only on warm caches. Fails with BL_NO_MEMORY. */
enum bl_status bl_launch_warm_ns(const struct bl_simulated_launch *launch, double *ns,
                                 struct bl_error *error);

#endif
