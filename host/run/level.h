/* Patterns whose data do not fit the cache of a compute unit: the layout of the data, the cost of a
 * granule at the level where the data lie, and the model's prediction.
 *
 * The rule: a charge is the time that one stage needs for a request. A request has one charge for
 * the compute unit's cache and one for each level that the request goes through. The request takes
 * as long as the largest of these charges. A level's charge is the request's cost in granules
 * (model/granules.h), times the time of one granule. A granule's time is measured with contiguous
 * accesses in the same run, so a predicted ratio has no free parameter. */
#ifndef BANKLINE_RUN_LEVEL_H
#define BANKLINE_RUN_LEVEL_H

#include "run/try.h"

/* Measured times of one compute unit, in ns; NAN if unknown. */
struct bl_rates {
    double granule_ns[BL_LEVELS];    /* time to fetch or write one granule at this level */
    double contiguous_ns[BL_LEVELS]; /* time of a contiguous request of the setup's type and shape
                                        at this level */
    double clock_ns;                 /* time of one clock of the compute unit's cache */
    char why_none[BL_LEVELS][320];   /* why there is no prediction, as a sentence; empty if there is
                                        a prediction */
    char remark[BL_LEVELS][320];     /* anything unusual about the measurement; empty if there is
                                        nothing */
};

struct bl_rates bl_rates_unknown(void);

/* The size in bytes of a working set that lies mostly at this level: too large for the level before
 * it, but not for this level. 0 if the machine has no rule or lacks the level, or if the level's
 * size on this device is unknown. */
uint64_t bl_level_bytes(const struct bl_machine *machine, const struct bl_device *device,
                        unsigned level);

/* Like bl_try_plan, but for data at this level of global memory. The working set has about
 * bl_level_bytes. The item is unsupported if the working set does not fit the device's memory. The
 * item gets its prediction later, from bl_level_predict. Fails with BL_NO_MEMORY. */
enum bl_status bl_level_plan(const struct bl_try *try, const struct bl_try *contiguous,
                             const struct bl_try_setup *setup, const struct bl_bench *bench,
                             unsigned level, struct bl_plan_item *item, struct bl_error *error);

/* Measures the rates of this level, and checks that the working set lies at one level.
 * If it does not, if the measurement fails, or if the machine has no rule for these accesses,
 * rates->why_none receives the reason, and BL_OK is returned. Only BL_INTERRUPTED, BL_NO_MEMORY and
 * BL_HANGS are returned as failures. Replaces the bench's arrays. */
enum bl_status bl_level_calibrate(struct bl_bench *bench, const struct bl_try *contiguous,
                                  const struct bl_try_setup *setup, unsigned level,
                                  struct bl_rates *rates, struct bl_error *error);

/* Why reads (or writes, if is_write) at this level have no prediction, as a sentence; NULL if they
 * have a prediction. */
const char *bl_why_no_rule_of_level(const struct bl_machine *machine, unsigned level,
                                    bool is_write);

/* Adds the prediction to a planned item, and the bottleneck and a fix to the item's note. */
void bl_level_predict(const struct bl_bench *bench, const struct bl_rates *rates, unsigned level,
                      struct bl_plan_item *item);

#endif
