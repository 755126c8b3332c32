/* From suites to what this device can run: cases x widths x shapes. No OpenCL, no measurement. */
#ifndef BANKLINE_RUN_PLAN_H
#define BANKLINE_RUN_PLAN_H

#include "cl/device.h"
#include "run/case.h"

struct bl_arrays;
struct bl_bench;

struct bl_plan_filter {
    const char *const *selectors; /* case ids, suites or shell globs; none: every case */
    size_t selector_count;
    bool quick;            /* row form only, except where the case is about forms */
    struct bl_shape shape; /* of --shape; x is 0 when none is given */
};

struct bl_plan_item {
    const struct bl_case *test_case;
    struct bl_workload own;
    struct bl_workload baseline; /* row form, as many work-items */
    double claim;                /* NAN unless the row is the guide's own set-up */
    /* By each alternative of the machine's banks, where the cost depends on them. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    enum bl_row_status status; /* BL_ROW_OK: to be run; else the reason why not */
    char reason[768];
};

/* The items in the order in which they run; the caller frees *items. device NULL plans for a
 * device without limits, for the model alone. A requested shape leaves out the cases that take
 * none, unless they are selected: then they are skipped with a reason. BL_UNKNOWN_CASE when a
 * selector matches nothing, with the nearest that does, or the catalogue lacks a baseline,
 * BL_BAD_SHAPE when the requested shape does not fit the device, BL_NO_MEMORY. */
enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error);

/* The ratio of the baseline's clocks to the workload's own, both for a unit of work; NAN where one
 * is not known. */
double bl_predicted_ratio(const struct bl_workload *own, const struct bl_workload *baseline);

/* Gives an item that was laid out its status and reason: whether both workloads fit the device. */
void bl_plan_check(struct bl_plan_item *item, const struct bl_device *device);

/* Preparing a plan for measuring: arrays, and kernels that are built ahead. */

/* Placements of each case, where memory allows: enough for a narrow interval of Student's. */
enum { BL_PLACEMENTS = 6, BL_QUICK_PLACEMENTS = 5 };

/* Gives the workloads of these items, of one suite, arrays at several placements
 * (bl_session_place), as large as the largest needs; items that are not BL_ROW_OK need none. */
enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error);

/* Lets the session build the items' kernels while others are measured, on a GPU alone: on a CPU the
 * two would slow each other down. The items must live as long as the session. */
void bl_queue_builds(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count);

/* A sentence, after a blank, for people who compare predictions made without a device with those of
 * a run: why they may differ; or "". */
const char *bl_sampling_words(const struct bl_machine *machine);

#endif
