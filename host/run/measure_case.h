/* Measures a planned case against its baseline on an open session, fills in its row and gives the
 * verdict. */
#ifndef BANKLINE_RUN_MEASURE_CASE_H
#define BANKLINE_RUN_MEASURE_CASE_H

#include "cl/session.h"
#include "measure/host_info.h"
#include "measure/sampler.h"
#include "run/plan.h"

struct bl_row;

/* The launch lengths found for the last row's baseline. The next row usually has the same baseline,
 * which then need not be calibrated again. */
struct bl_known_baseline {
    const struct bl_kernel *kernel; /* a kernel of the session; NULL if unknown */
    struct bl_dispatch dispatch;
    struct bl_lengths rounds;
};

/* The arrays of the session, at several placements. */
struct bl_arrays {
    unsigned placements; /* number of placements; 0 if the arrays are made separately for each
                            case */
    char why_fewer[256]; /* why there are fewer placements than wanted, as a sentence; else empty */
};

/* The kernels of all rows so far, as in the column `kernels`, and the rows' cases. */
struct bl_measured_kernels {
    struct bl_named_kernels {
        char kernels[24];
        const struct bl_case *test_case;
    } * all;
    size_t count, capacity;
};

/* The local memory that the driver reports for a kernel without local memory (`without`), and for a
 * kernel with 64 bytes (`with`). These reports are not reliable: NVIDIA's driver reports 1 byte for
 * a kernel without local memory, and PoCL 5 reports 0 bytes for a kernel with 64. */
struct bl_local_report {
    bool was_asked;
    uint64_t without, with; /* the reports are useful only if `with` is the larger number */
};

struct bl_bench {
    struct bl_session *session;
    const struct bl_device *device;
    const struct bl_machine *machine;
    bool quick;
    double tolerance; /* max distance from the prediction that the verdict allows, a fraction */
    double precision; /* sampling ends when noise moves the ratio by at most this fraction
                         (bl_stopping_rule); 0 for the default of 0.005 */
    double seconds;   /* time for the samples of a case, in s (bl_stopping_rule.budget_s); 0 for the
                         default, which depends on the device's type and `quick` */
    struct bl_arrays arrays;
    struct bl_known_baseline baseline;
    struct bl_local_report local_report;
    struct bl_gpu gpu;                   /* opened and closed by the bench's owner */
    struct bl_measured_kernels measured; /* the bench's owner frees `all` */
};

/* Returns a row with all that is known before the measurement: the case, the claim, the prediction.
 */
struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* Returns the row of an item that will not be measured. The row's status is `skipped` if the item
 * can run, else the item's status. */
struct bl_row bl_predicted_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* Launches the item's baseline for 0.2 s, so that the device's clock rises to its usual frequency
 * under load. */
enum bl_status bl_warm_up(const struct bl_bench *bench, const struct bl_plan_item *item,
                          struct bl_error *error);

/* Measures the item, and adds the results to the row, which must be a planned row. The caller frees
 * the row's samples. error->sentence must be empty before the call. Returns BL_OK if the row has a
 * number; otherwise the row has the status and the reason, and error has the message. Remembers the
 * baseline's launch lengths in bench. */
enum bl_status bl_measure_case(struct bl_bench *bench, const struct bl_plan_item *item,
                               struct bl_row *row, struct bl_error *error);

/* The functions below judge a row: does the prediction apply to what was measured, and do
 * prediction and measurement agree? */

/* Findings that the verdict needs in addition to the row. */
struct bl_occupancy_evidence {
    bool in_registers;        /* whether a private array that should be in memory is in registers */
    double baseline_round_ns; /* time of a round of the baseline's launch */
};

/* Judges a row that has a number. Returns BL_NO_RULE if there is neither a predicted ratio nor a
 * direction, or if the rules do not apply to what was measured; *why_none then receives the reason,
 * or NULL if the row already shows the reason. For a baseline, *why_none receives a reason only if
 * the machine does not describe the device. */
enum bl_verdict bl_row_verdict(const struct bl_bench *bench, const struct bl_plan_item *item,
                               const struct bl_occupancy_evidence *evidence,
                               const struct bl_row *row, const char **why_none);

/* Fails with BL_IMPOSSIBLE if the row's throughput exceeds what the machine's banks can deliver. */
enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error);

/* Fails with BL_IMPOSSIBLE if reading or writing the data in round_ns needs more than the memory's
 * bandwidth: then part of the data came from a cache. */
enum bl_status bl_check_memory_limit(const struct bl_bench *bench, const struct bl_workload *of,
                                     double round_ns, struct bl_error *error);

#endif
