/* Measures one planned case against its baseline on an open session, and fills in its row. */
#ifndef BANKLINE_RUN_MEASURE_CASE_H
#define BANKLINE_RUN_MEASURE_CASE_H

#include "cl/session.h"
#include "measure/gpu.h"
#include "measure/sampler.h"
#include "run/plan.h"

struct bl_row;

/* The launch lengths of the last row's baseline: the next row mostly has the same baseline. */
struct bl_known_baseline {
    const struct bl_kernel *kernel; /* a kernel of the session; NULL: unknown */
    struct bl_dispatch dispatch;
    struct bl_lengths rounds;
};

/* The session's arrays. */
struct bl_arrays {
    unsigned placements; /* number of placements; 0: no shared arrays, each case gets its own */
    char why_fewer[256]; /* why there are fewer than wanted: a sentence; else empty */
};

/* The kernels of the rows so far, by the column `kernels`, and the cases that they belong to. */
struct bl_measured_kernels {
    struct bl_named_kernels {
        char kernels[24];
        const struct bl_case *test_case;
    } * all;
    size_t count, capacity;
};

/* Local memory per group that the driver reports for a kernel that uses none and for one that uses
 * 64 bytes. NVIDIA's driver reports 1 byte for the first, PoCL 5 reports 0 for the second. */
struct bl_local_report {
    bool was_asked;
    uint64_t without, with; /* unless `with` is larger, the driver's report is useless */
};

struct bl_bench {
    struct bl_session *session;
    const struct bl_device *device;
    const struct bl_machine *machine;
    bool quick;
    double tolerance; /* tolerance of the verdict, a fraction */
    double precision; /* a fraction: sampling ends once noise can change the ratio by no more than
                         this; 0: 0.005 */
    double seconds;   /* max sampling time of a case; 0: chosen by device and `quick` */
    struct bl_arrays arrays;
    struct bl_known_baseline baseline;
    struct bl_local_report local_report;
    struct bl_gpu gpu;                   /* opened and closed by the bench's owner */
    struct bl_measured_kernels measured; /* the bench's owner frees `all` */
};

/* The row before anything is measured: the case, the claim, the model's numbers. */
struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* The row of a run that measures nothing: skipped, unless there is a better reason. */
struct bl_row bl_predicted_row(const struct bl_plan_item *item, const struct bl_machine *machine);

/* Brings the device to its working clocks by launching the item's baseline for a while. */
enum bl_status bl_warm_up(const struct bl_bench *bench, const struct bl_plan_item *item,
                          struct bl_error *error);

/* Adds the measurement to a planned row, with its samples, which the caller frees. Returns BL_OK
 * when the row has a number; else the row has the status and the reason, and error, which must have
 * no sentence before, has the message. Remembers the baseline in bench. */
enum bl_status bl_measure_case(struct bl_bench *bench, const struct bl_plan_item *item,
                               struct bl_row *row, struct bl_error *error);

/* The verdict on a row: whether prediction and measurement are about the same thing, and agree. */

/* The evidence that the verdict needs in addition to the row. */
struct bl_occupancy_evidence {
    bool in_registers;        /* a private array that should be in memory is in registers */
    double baseline_round_ns; /* time of a round of the whole launch */
};

/* The verdict on a row with a number. BL_NO_RULE also if the rule's premises do not hold: *why_none
 * then has the reason unless the row shows it; otherwise *why_none is NULL. */
enum bl_verdict bl_row_verdict(const struct bl_bench *bench, const struct bl_plan_item *item,
                               const struct bl_occupancy_evidence *evidence,
                               const struct bl_row *row, const char **why_none);

/* BL_IMPOSSIBLE if the row has more bytes than the machine's banks can deliver. */
enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error);

/* BL_IMPOSSIBLE if memory would have to deliver more, at this time per round, than its clock and
 * width allow: part of the data came from a cache. */
enum bl_status bl_check_memory_limit(const struct bl_bench *bench, const struct bl_workload *of,
                                     double round_ns, struct bl_error *error);

#endif
