/* A workload on a device as the sampler's subject: builds its kernel, launches it, and checks every
 * output at each new length and each new placement, or, for more than a million outputs, only at
 * new lengths. */
#ifndef BANKLINE_RUN_RUNNER_H
#define BANKLINE_RUN_RUNNER_H

#include "cl/session.h"
#include "measure/sampler.h"
#include "run/workload.h"

enum { BL_CHECKED_LENGTHS = 16 };

struct bl_runner {
    struct bl_subject subject; /* the subject; its context is the runner */
    struct bl_session *session;
    struct bl_kernel *kernel;
    const struct bl_workload *workload;
    struct bl_dispatch dispatch;
    /* expected outputs, after one round if linear, else after expected_rounds */
    uint32_t *expected;
    uint32_t expected_rounds;             /* 0: none computed yet */
    uint32_t *outputs;                    /* the outputs that were read back */
    uint32_t checked[BL_CHECKED_LENGTHS]; /* lengths at which the outputs were right */
    unsigned checked_count;
    unsigned checked_placements; /* one bit per placement */
};

/* Fills in the runner; close it whatever is returned. Neither the runner nor the workload may move
 * afterwards. */
enum bl_status bl_runner_open(struct bl_session *session, const struct bl_workload *workload,
                              struct bl_runner *runner, struct bl_error *error);

void bl_runner_close(struct bl_runner *runner);

/* A kernel source for this build, which borrows its texts. */
struct bl_kernel_source bl_source_of(const struct bl_build *build);
struct bl_dispatch bl_dispatch_of(const struct bl_workload *workload);

#endif
