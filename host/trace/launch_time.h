/* The time of one launch, simulated (model/time.h) from the streams of its sampled groups
 * (streams.h). Private to host/trace.
 *
 * The device's compiler may keep more or fewer loads of a loop in flight than Oclgrind's, so a
 * launch is simulated with several such numbers.
 */
#ifndef BANKLINE_TRACE_LAUNCH_TIME_H
#define BANKLINE_TRACE_LAUNCH_TIME_H

#include "model/time.h"
#include "model/time_cache.h"
#include "trace/streams.h"

/* The blocks that earlier launches left in L2. All zero: none. */
struct bl_l2_left {
    /* For each block that a launch touched, the number of blocks fetched into L2 before that
     * launch: the more since, the less likely the block is still there. */
    struct bl_time_map touched;
    double fetched;
};

struct bl_launch_times {
    struct bl_time_result cold; /* with what earlier launches left in L2 */
    struct bl_time_result warm; /* with warm caches */
    double least_ns, most_ns;   /* warm caches and 16 loads in flight; cold and 1 load */
    /* What-ifs, on warm caches; NAN: not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
};

struct bl_simulated_launch {
    const struct bl_machine *machine; /* bl_time_why_not must be NULL for it */
    const struct bl_wire_kernel *launch;
    const struct bl_streams *streams; /* at least one group */
    unsigned registers;               /* per work-item; 0: unknown */
    /* Not the kernel's first launch. What is left in L2 is then what repeated launches find, so the
     * warm time is simulated with it as well. */
    bool is_again;
};

/* Simulates the launch, and adds the blocks that it leaves in L2 to *left. BL_NO_MEMORY. */
enum bl_status bl_launch_times(const struct bl_simulated_launch *launch, struct bl_l2_left *left,
                               struct bl_launch_times *times, struct bl_error *error);

/* Simulates the launch only on warm caches. BL_NO_MEMORY. */
enum bl_status bl_launch_warm_ns(const struct bl_simulated_launch *launch, double *ns,
                                 struct bl_error *error);

void bl_l2_left_free(struct bl_l2_left *left);

#endif
