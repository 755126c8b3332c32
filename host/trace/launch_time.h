/* The time of one launch, simulated (model/time.h) from the streams of its sampled groups
 * (streams.h). Inside host/trace only.
 *
 * A device's compiler may have more or fewer loads of a loop under way than the simulator's, so a
 * launch is simulated with several numbers of them.
 */
#ifndef BANKLINE_TRACE_LAUNCH_TIME_H
#define BANKLINE_TRACE_LAUNCH_TIME_H

#include "model/time.h"
#include "model/time_cache.h"
#include "trace/streams.h"

/* What earlier launches left in L2. All zero: nothing. */
struct bl_l2_left {
    /* For each block that a launch touched, the number of blocks fetched into L2 before that
     * launch: the more since, the less likely the block is still there. */
    struct bl_time_map touched;
    double fetched;
};

struct bl_launch_times {
    struct bl_time_result cold; /* with what earlier launches left in L2 */
    struct bl_time_result warm; /* with warm caches */
    double least_ns, most_ns;   /* warm with many loads under way; cold with one */
    /* What-ifs, on warm caches; NAN: not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
};

struct bl_simulated_launch {
    const struct bl_machine *machine; /* that bl_time_why_not has nothing against */
    const struct bl_wire_kernel *launch;
    const struct bl_streams *streams; /* at least one group */
    unsigned registers;               /* of a work-item; 0: not known */
    /* Not the kernel's first launch: what is left in L2 already is what such launches find, so that
     * the warm time uses it, too. */
    bool is_again;
};

/* Simulates the launch, and adds what it leaves to *left. BL_NO_MEMORY. */
enum bl_status bl_launch_times(const struct bl_simulated_launch *launch, struct bl_l2_left *left,
                               struct bl_launch_times *times, struct bl_error *error);

/* Simulates the launch on warm caches alone. BL_NO_MEMORY. */
enum bl_status bl_launch_warm_ns(const struct bl_simulated_launch *launch, double *ns,
                                 struct bl_error *error);

void bl_l2_left_free(struct bl_l2_left *left);

#endif
