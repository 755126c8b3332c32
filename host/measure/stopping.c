#include "measure/stopping.h"

#include <stdbool.h>

enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s)
{
    if (samples >= rule->min_samples && noise <= rule->precision)
        return BL_SETTLED;
    /* Where half as many again do not hold as many good ones, a third are bad, and there will be no
     * number. */
    const bool is_enough = samples >= rule->min_samples || taken >= (rule->min_samples * 3 + 1) / 2;
    return taken >= rule->max_samples || (spent_s >= rule->budget_s && is_enough) ? BL_BUDGET_SPENT
                                                                                  : BL_SAMPLE_MORE;
}
