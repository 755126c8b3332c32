/* Patterns whose data lie beyond the cache of a compute unit: their layout, the cost of a granule
 * there, and the prediction that follows.
 *
 * Rule: a request costs the maximum of the charge of the compute unit's cache and, for each level
 * that the request passes, the level's charge in granules (model/granules.h) times the time of one
 * granule. That time is measured with contiguous accesses in the same run, so a ratio has no free
 * parameter.
 */
#ifndef BANKLINE_RUN_LEVEL_H
#define BANKLINE_RUN_LEVEL_H

#include "run/try.h"

/* Measured times, in ns of one compute unit; NAN: unknown. */
struct bl_rates {
    double granule_ns[BL_LEVELS];    /* one granule that the level charges */
    double contiguous_ns[BL_LEVELS]; /* a contiguous request there, of the setup's type and shape */
    double clock_ns;                 /* one clock of the compute unit's cache */
    char why_none[BL_LEVELS][320];   /* why there is no prediction: a sentence; else empty */
    char remark[BL_LEVELS][320];     /* what was unusual about the measurement; else empty */
};

struct bl_rates bl_rates_unknown(void);

/* The size in bytes of a working set of which most fits this level and little fits the level
 * before; 0: the machine does not have the level, or its size on this device is unknown. */
uint64_t bl_level_bytes(const struct bl_machine *machine, const struct bl_device *device,
                        unsigned level);

/* The bottleneck by the counts of the compute unit's cache or banks: "lines", "tags", "banks" or
 * "sectors"; NULL: unknown. */
const char *bl_bound_of(const struct bl_machine *machine, const struct bl_mean_cost *cost);

/* Like bl_try_plan and bl_try_predict, for global memory whose data are at this level, in a working
 * set of about bl_level_bytes. A pattern that does not fit the device's memory is unsupported.
 * bl_level_predict adds the level's charge. BL_NO_MEMORY. */
enum bl_status bl_level_plan(const struct bl_try *try, const struct bl_try *contiguous,
                             const struct bl_try_setup *setup, const struct bl_bench *bench,
                             unsigned level, struct bl_plan_item *item, struct bl_error *error);

/* Measures what a granule of this level costs, and whether the working set is at one level. If the
 * measurement fails, rates->why_none has the reason; only BL_INTERRUPTED and other failures that
 * end all measuring are returned. Moves the bench's arrays. */
enum bl_status bl_level_calibrate(struct bl_bench *bench, const struct bl_try *contiguous,
                                  const struct bl_try_setup *setup, unsigned level,
                                  struct bl_rates *rates, struct bl_error *error);

/* Why reads, or writes, at a level have no prediction: a sentence; NULL: they have one. */
const char *bl_why_no_rule_of_level(const struct bl_machine *machine, unsigned level,
                                    bool is_write);

/* Adds the prediction to a planned item, and the bottleneck and the fix to its note. */
void bl_level_predict(const struct bl_bench *bench, const struct bl_rates *rates, unsigned level,
                      struct bl_plan_item *item);

#endif
