#include "measure/stopping.h"

#include <math.h>

bool bl_is_precise(const struct bl_stopping_rule *rule, const struct bl_interval *interval)
{
    const double half_width =
        fmax(interval->hi - interval->median, interval->median - interval->lo);
    return interval->is_95 && interval->median > 0 &&
           half_width <= rule->precision * interval->median;
}

enum bl_decision bl_decide(const struct bl_stopping_rule *rule, const struct bl_interval *interval,
                           size_t samples, double spent_s)
{
    if (samples >= rule->least_samples && bl_is_precise(rule, interval))
        return BL_SETTLED;
    if (samples >= rule->most_samples || (spent_s >= rule->budget_s && interval->is_95))
        return BL_BUDGET_SPENT;
    /* A 95 % interval needs six samples whatever they cost; four times the budget is the end. */
    return spent_s >= 4 * rule->budget_s ? BL_BUDGET_SPENT : BL_SAMPLE_MORE;
}
