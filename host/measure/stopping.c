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
    if (samples >= rule->min_samples && bl_is_precise(rule, interval))
        return BL_SETTLED;
    /* There is no number without a 95 % interval, and that needs six good samples whatever they
     * cost. Where nine do not hold six, a third are bad, and there will be no number. */
    const bool is_enough = interval->is_95 || samples >= BL_MIN_SAMPLES * 3 / 2;
    return samples >= rule->max_samples || (spent_s >= rule->budget_s && is_enough)
               ? BL_BUDGET_SPENT
               : BL_SAMPLE_MORE;
}
