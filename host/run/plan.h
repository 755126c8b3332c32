/* From suites to the items that this device can run: cases x widths x shapes. No OpenCL, no
 * measurement. */
#ifndef BANKLINE_RUN_PLAN_H
#define BANKLINE_RUN_PLAN_H

#include "cl/device.h"
#include "run/case.h"

struct bl_arrays;
struct bl_bench;

struct bl_plan_filter {
    const char *const *selectors; /* case ids, suites or shell globs; empty: every case */
    size_t selector_count;
    bool quick;            /* row form only, except for cases that are about forms */
    struct bl_shape shape; /* the value of --shape; x is 0 if it was not given */
};

struct bl_plan_item {
    const struct bl_case *test_case;
    struct bl_workload own;
    struct bl_workload baseline; /* row form, with as many work-items */
    double claim;                /* NAN unless the row is the guide's own set-up */
    /* The prediction by each alternative of the machine's banks, if the cost depends on them. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    enum bl_row_status status; /* BL_ROW_OK: to be run; else why not */
    char reason[768];
};

/* The items in the order in which they run; the caller frees *items. device NULL plans for a device
 * without limits, for the model alone. A requested shape omits the cases that take none; if such a
 * case is selected, it is skipped with a reason. BL_UNKNOWN_CASE if a selector matches nothing (the
 * error suggests the nearest that does) or the catalogue lacks a baseline, BL_BAD_SHAPE when the
 * requested shape does not fit the device, BL_NO_MEMORY. */
enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error);

/* The ratio of the baseline's clocks to the workload's own, both per unit of work; NAN if one is
 * unknown. */
double bl_predicted_ratio(const struct bl_workload *own, const struct bl_workload *baseline);

/* Sets the status and reason of an item that was laid out, by whether both workloads fit the
 * device. */
void bl_plan_check(struct bl_plan_item *item, const struct bl_device *device);

/* Preparing a plan for measuring: arrays, and kernels built ahead. */

/* Placements of each case, memory permitting: enough for a narrow Student's interval. */
enum { BL_PLACEMENTS = 6, BL_QUICK_PLACEMENTS = 5 };

/* Gives the workloads of these items, all of one suite, arrays at several placements
 * (bl_session_place), as large as the largest workload needs; items that are not BL_ROW_OK need
 * none. */
enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error);

/* Lets the session build the items' kernels while others are measured, but only on a GPU: on a CPU,
 * building and measuring would slow each other down. The items must live as long as the session. */
void bl_queue_builds(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count);

/* A sentence, after a blank, for people who compare predictions made without a device with those of
 * a run: why they may differ; or "". */
const char *bl_sampling_words(const struct bl_machine *machine);

#endif
