/* Makes the plan of a run: one item for each case in each of its widths and shapes. An item that
 * the device cannot run states the reason. Only bl_place and bl_queue_builds make OpenCL calls. */
#ifndef BANKLINE_RUN_PLAN_H
#define BANKLINE_RUN_PLAN_H

#include "cl/device.h"
#include "run/case.h"

struct bl_arrays;
struct bl_bench;

struct bl_plan_filter {
    const char *const *selectors; /* case ids, suites or shell globs; every case if empty */
    size_t selector_count;
    bool quick;            /* omit cases with skip_in_quick, unless there are selectors; measure
                              only the row form of cases that have it */
    struct bl_shape shape; /* value of --shape; x is 0 if the option is not given */
};

struct bl_plan_item {
    const struct bl_case *test_case;
    struct bl_workload own;
    struct bl_workload baseline; /* in row form; with as many work-items per group as `own`, unless
                                    the baseline has a fixed group size */
    double claim;                /* NAN unless the case's claim applies to this shape */
    /* One prediction for each of the machine's alternatives, if the machine's banks are not known
     * for certain and the item's cost depends on banks. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    enum bl_row_status status; /* BL_ROW_OK if the item can run */
    char reason[768];          /* why the item cannot run */
};

/* Makes the items, in the order in which they run; the caller frees *items. If device is NULL,
 * plans for the model alone, without a device's limits. With --shape, cases that take no shape are
 * omitted; if the user selected them, their items are skipped, with a reason.
 *
 * Fails with BL_UNKNOWN_CASE if a selector matches nothing (the error suggests a similar id or
 * suite) or if the catalogue lacks a baseline; with BL_BAD_SHAPE if the requested shape does not
 * fit the device; or with BL_NO_MEMORY. */
enum bl_status bl_plan(const struct bl_catalogue *catalogue, const struct bl_plan_filter *filter,
                       const struct bl_machine *machine, const struct bl_device *device,
                       struct bl_plan_item **items, size_t *count, struct bl_error *error);

/* The predicted ratio: the baseline's clocks divided by the workload's clocks, both per unit of
 * work. NAN if either is unknown. */
double bl_predicted_ratio(const struct bl_workload *own, const struct bl_workload *baseline);

/* Checks that both workloads of a laid-out item fit the device, and sets the item's status and
 * reason. */
void bl_plan_check(struct bl_plan_item *item, const struct bl_device *device);

/* The functions below prepare measuring: they make arrays, and queue kernels to be built. */

/* The number of placements of each case, if there is enough memory. With fewer placements, the
 * confidence interval (by Student's t) would be much wider. */
enum { BL_PLACEMENTS = 6, BL_QUICK_PLACEMENTS = 5 };

/* Makes arrays at several placements (bl_session_place) for these items, which belong to one suite.
 * The arrays are as large as the largest workload needs. Items whose status is not BL_ROW_OK are
 * ignored. */
enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error);

/* Lets the session build the items' kernels in the background while other items are measured. Does
 * so only for a GPU, because on a CPU the builds would disturb the measurement. The items must
 * stay valid as long as the sources given to bl_session_queue_builds. */
void bl_queue_builds(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count);

/* Why predictions made without a device may differ from those of a run: sentences, with a blank
 * before the first. "" if they do not differ. */
const char *bl_sampling_words(const struct bl_machine *machine);

#endif
