/* Runs a workload on a device as the sampler's subject. A runner builds the kernel, launches it,
 * and checks its outputs at each new launch length and each new placement. With more than a million
 * outputs, it checks only at each new length. bl_check_kernels checks that the kernels measure what
 * the case describes. */
#ifndef BANKLINE_RUN_RUNNER_H
#define BANKLINE_RUN_RUNNER_H

#include <stdint.h>

#include "cl/session.h"
#include "measure/sampler.h"
#include "run/measure_case.h"
#include "run/plan.h"
#include "run/workload.h"

enum { BL_CHECKED_LENGTHS = 16 };

struct bl_runner {
    struct bl_subject subject; /* the sampler's view of this runner; its context is the runner */
    struct bl_session *session;
    struct bl_kernel *kernel;
    const struct bl_workload *workload;
    struct bl_dispatch dispatch;
    /* expected outputs after expected_rounds rounds; or after one round, if outputs are linear in
     * the rounds */
    uint32_t *expected;
    uint32_t expected_rounds;             /* 0 if none were computed yet */
    uint32_t *outputs;                    /* the outputs that were read back */
    uint32_t checked[BL_CHECKED_LENGTHS]; /* launch lengths whose outputs were found right */
    unsigned checked_count;
    unsigned checked_placements; /* placements whose outputs were checked, one bit per placement */
};

/* Fills in the runner; close it even after a failure. The runner and the workload must not move in
 * memory until then. */
enum bl_status bl_runner_open(struct bl_session *session, const struct bl_workload *workload,
                              struct bl_runner *runner, struct bl_error *error);

void bl_runner_close(struct bl_runner *runner);

/* The kernel source of this build; its strings are borrowed from the build. */
struct bl_kernel_source bl_source_of(const struct bl_build *build);
struct bl_dispatch bl_dispatch_of(const struct bl_workload *workload);

/* The functions below check that a row's kernels measure what its case describes. A kernel that was
 * built without one of its options may compute the right result and still measure something else.
 * Only the driver's reports, or another row with the same kernel, reveal this.
 *
 * The last function adapts a plan's item if the driver runs its kernels with a sub-group size other
 * than the machine's. */

struct bl_runner;

/* Checks the local memory that the driver reports for the workload's kernel (`bytes`): a case of
 * local memory must use some, any other case none. Does nothing if this driver's reports do not
 * distinguish kernels with and without local memory. Fails with BL_OPENCL_FAILED and the reason. */
enum bl_status bl_check_local_bytes(const struct bl_workload *workload,
                                    const struct bl_local_report *report, uint64_t bytes,
                                    struct bl_error *error);

/* Checks that no other case of the run has the same kernels, unless one of the cases states why
 * (bl_case.same_kernels): otherwise two cases would measure one thing under two names. Remembers
 * the case in bench. Returns BL_OK, BL_NO_MEMORY, or BL_OPENCL_FAILED with the other case's name.
 */
enum bl_status bl_check_kernels_differ(struct bl_bench *bench, const struct bl_case *test_case,
                                       const char *kernels, struct bl_error *error);

/* Performs both checks above for a row whose column `kernels` is filled in, except the first for a
 * kernel whose local memory is an argument, and the second for a user's expression. The first call
 * builds two kernels to see what the driver reports, so it may also fail as bl_session_kernel does.
 */
enum bl_status bl_check_kernels(struct bl_bench *bench, const struct bl_runner *own,
                                const struct bl_runner *baseline, const struct bl_row *row,
                                struct bl_error *error);

/* The sub-group sizes, in work-items, of an item's two kernels on this driver; 0 if unknown. */
struct bl_sub_group_sizes {
    size_t own, baseline;
};

/* Computes the cost of the item's requests again for these sub-group sizes, and adds a note. The
 * launches do not change.
 *
 * A whole multiple of the machine's sub-group size does not change the cost, because the hardware
 * splits an instruction into requests of the machine's lanes (Intel's SIMD32 sends two messages of
 * 16 lanes, AMD's wave64 runs as two halves). With a smaller size, the cost is that of smaller
 * requests of the same pattern, and the claim is removed, because the claim is about the planned
 * requests. With any other size, and for a user's expression at a level beyond the first cache, the
 * item has no cost, and why_none says that there is no rule.
 *
 * Returns whether any requests have another number of lanes than planned. */
bool bl_item_in_sub_groups(struct bl_plan_item *item, const struct bl_machine *machine,
                           const struct bl_sub_group_sizes *sizes);

#endif
