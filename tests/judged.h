/* Judges whether a row changed between two runs, from nothing but its two intervals. */
#ifndef BANKLINE_TESTS_JUDGED_H
#define BANKLINE_TESTS_JUDGED_H

#include <math.h>

#include "measure/spread.h"
#include "measure/stats.h"
#include "report/compare.h"

/* Judges one of `rows` compared rows. threshold: the smallest change to report, a fraction. */
static inline enum bl_change change_between(const struct bl_interval *before,
                                            const struct bl_interval *after, size_t rows,
                                            double threshold)
{
    const struct bl_spread_question question = {
        .tests = rows, .chance = BL_FALSE_ALARMS, .stated = BL_STATED_SPREAD};
    struct bl_spread spread;
    const double error =
        hypot(bl_log_half_width(before->lo, before->hi), bl_log_half_width(after->lo, after->hi)) /
        BL_WITHIN_95;
    if (!before->is_95 || !after->is_95 || !bl_spread_learn(&question, &spread, NULL))
        return BL_CHANGE_UNCLEAR;
    return bl_change_of(log(after->median) - log(before->median), error,
                        bl_spread_limit(&spread, error, 0), threshold);
}

#endif
