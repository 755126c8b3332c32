/* Makes the plan of a run: one item for each case in each of its widths and shapes. An item that
 * the device cannot run has the reason. Makes no OpenCL calls. */
#ifndef BANKLINE_RUN_PLAN_H
#define BANKLINE_RUN_PLAN_H

#include "cl/device.h"
#include "run/case.h"

struct bl_arrays;
struct bl_bench;

struct bl_plan_filter {
    const char *const *selectors; /* case ids, suites or shell globs; if empty, every case */
    size_t selector_count;
    bool quick;            /* measure the row form only, except in cases that compare forms */
    struct bl_shape shape; /* value of --shape; x is 0 without it */
};

struct bl_plan_item {
    const struct bl_case *test_case;
    struct bl_workload own;
    struct bl_workload baseline; /* in row form, with as many work-items per group as `own` unless
                                    the baseline's group size is fixed */
    double claim;                /* NAN unless shape and lanes are those of the document */
    /* The predictions by the machine's alternatives, if its banks are not known for certain and the
     * cost depends on them. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    enum bl_row_status status; /* BL_ROW_OK if the item can run, else why it cannot */
    char reason[768];
};

/* Makes the items, in the order in which they run; the caller frees *items. If device is NULL,
 * plans for the model alone, without a device's limits. With --shape, cases with a fixed group size
 * are omitted, or skipped with a reason if they were selected. Fails with BL_UNKNOWN_CASE if a
 * selector matches nothing (the error suggests the nearest id) or if the catalogue lacks a
 * baseline; BL_BAD_SHAPE if the requested shape does not fit the device; or BL_NO_MEMORY. */
enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error);

/* The predicted ratio: the baseline's clocks divided by the workload's, both per unit of work; NAN
 * if one is unknown. */
double bl_predicted_ratio(const struct bl_workload *own, const struct bl_workload *baseline);

/* Checks that both workloads of a laid-out item fit the device, and sets its status and reason. */
void bl_plan_check(struct bl_plan_item *item, const struct bl_device *device);

/* Preparing a plan for measuring: arrays, and kernels built in the background. */

/* The number of placements of each case, if memory permits. With fewer placements, Student's
 * interval would be much wider. */
enum { BL_PLACEMENTS = 6, BL_QUICK_PLACEMENTS = 5 };

/* Makes arrays at several placements (bl_session_place) for these items of one suite, as large as
 * the largest workload needs. Items that are not BL_ROW_OK need none. */
enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error);

/* Lets the session build the items' kernels in the background while others are measured; only for a
 * GPU, because on a CPU building would disturb measuring. The items must outlive the session. */
void bl_queue_builds(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count);

/* A sentence that begins with a blank and explains why predictions made without a device may differ
 * from those of a run; "" if they do not differ. */
const char *bl_sampling_words(const struct bl_machine *machine);

#endif
