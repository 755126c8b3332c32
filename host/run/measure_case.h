/* Measures one planned case against its baseline on an open session, and fills in its row. */
#ifndef BANKLINE_RUN_MEASURE_CASE_H
#define BANKLINE_RUN_MEASURE_CASE_H

#include "cl/session.h"
#include "measure/gpu.h"
#include "measure/sampler.h"
#include "run/plan.h"

struct bl_row;

/* How long the launches of the last row's baseline were: the next row mostly has the same one. */
struct bl_known_baseline {
    const struct bl_kernel *kernel; /* the session's; NULL: unknown */
    struct bl_dispatch dispatch;
    struct bl_lengths rounds;
};

/* The session's arrays. */
struct bl_arrays {
    unsigned placements; /* of the arrays; 0: there are none, each case gets its own */
    char why_fewer[256]; /* why there are fewer than wanted: a sentence; or empty */
};

/* The kernels of the rows so far, by the column `kernels`, and whose they are. */
struct bl_measured_kernels {
    struct bl_named_kernels {
        char kernels[24];
        const struct bl_case *test_case;
    } * all;
    size_t count, capacity;
};

/* Local memory of a group as the driver reports it of a kernel that has none and of one that has 64
 * bytes. Of the first NVIDIA's reports 1 byte; of the second PoCL 5 reports 0. */
struct bl_local_report {
    bool was_asked;
    uint64_t without, with; /* unless `with` is larger, the driver's report is useless */
};

struct bl_bench {
    struct bl_session *session;
    const struct bl_device *device;
    const struct bl_machine *machine;
    bool quick;
    double tolerance; /* a fraction, of the verdict */
    double precision; /* a fraction: sampling ends once noise can change the ratio by no more than
                         this; 0: by 0.005 */
    double seconds; /* or once a case was sampled for this long; 0: chosen by device and `quick` */
    struct bl_arrays arrays;
    struct bl_known_baseline baseline;
    struct bl_local_report local_report;
    struct bl_gpu gpu;                   /* opened and closed by the bench's owner */
    struct bl_measured_kernels measured; /* the bench's owner frees `all` */
};

/* What a row says before anything is measured: the case, the claim, the model's numbers. */
struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* The same for a run that measures nothing: skipped, unless there is a better reason. */
struct bl_row bl_predicted_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* Brings the device to its working clocks by launching the item's baseline for a while. */
enum bl_status bl_warm_up(const struct bl_bench *bench, const struct bl_plan_item *item,
                          struct bl_error *error);

/* Adds the measurement to a planned row, its samples included, which the caller frees. Returns
 * BL_OK when the row has a number; else the row has the status and the reason, and error, whose
 * sentence is empty before, has the message. Remembers the baseline in bench. */
enum bl_status bl_measure_case(struct bl_bench *bench, const struct bl_plan_item *item,
                               struct bl_row *row, struct bl_error *error);

/* The verdict on a row: whether prediction and measurement are about the same thing, and agree. */

/* What the verdict needs besides the row. */
struct bl_occupancy_evidence {
    bool in_registers;        /* a private array that should be in memory is in registers */
    double baseline_round_ns; /* of a round of the whole launch */
};

/* The verdict of a row with a number. BL_NO_RULE also where the rule's premises do not hold: then
 * *why_none says why, unless the row shows it; else it is NULL. */
enum bl_verdict bl_row_verdict(const struct bl_bench *bench, const struct bl_plan_item *item,
                               const struct bl_occupancy_evidence *evidence,
                               const struct bl_row *row, const char **why_none);

/* BL_IMPOSSIBLE for more bytes than the machine's banks can deliver. */
enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error);

/* BL_IMPOSSIBLE where memory delivers more, at so many ns a round, than its clock and width can
 * move: what was read was partly in a cache. */
enum bl_status bl_check_memory_limit(const struct bl_bench *bench, const struct bl_workload *of,
                                     double round_ns, struct bl_error *error);

#endif
