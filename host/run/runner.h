/* Runs a workload on a device as the sampler's subject. A runner builds the kernel, launches it and
 * checks its outputs: at each new launch length and each new placement; with more than a million
 * outputs, only at each new length. */
#ifndef BANKLINE_RUN_RUNNER_H
#define BANKLINE_RUN_RUNNER_H

#include "cl/session.h"
#include "measure/sampler.h"
#include "run/workload.h"

enum { BL_CHECKED_LENGTHS = 16 };

struct bl_runner {
    struct bl_subject subject; /* its context is this runner */
    struct bl_session *session;
    struct bl_kernel *kernel;
    const struct bl_workload *workload;
    struct bl_dispatch dispatch;
    /* expected outputs after expected_rounds rounds, or after one round if they are linear */
    uint32_t *expected;
    uint32_t expected_rounds;             /* 0: none computed yet */
    uint32_t *outputs;                    /* the outputs that were read back */
    uint32_t checked[BL_CHECKED_LENGTHS]; /* launch lengths whose outputs were right */
    unsigned checked_count;
    unsigned checked_placements; /* one bit per placement */
};

/* Fills in the runner; close it even after a failure. The runner and the workload must not move in
 * memory until then. */
enum bl_status bl_runner_open(struct bl_session *session, const struct bl_workload *workload,
                              struct bl_runner *runner, struct bl_error *error);

void bl_runner_close(struct bl_runner *runner);

/* The kernel source of this build; its strings are borrowed from the build. */
struct bl_kernel_source bl_source_of(const struct bl_build *build);
struct bl_dispatch bl_dispatch_of(const struct bl_workload *workload);

#endif
