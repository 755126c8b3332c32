/* When to stop sampling: a rule of its own, so that it can be tested with made-up samples. */
#ifndef BANKLINE_MEASURE_STOPPING_H
#define BANKLINE_MEASURE_STOPPING_H

#include <stddef.h>

#include "measure/stats.h"

struct bl_stopping_rule {
    size_t min_samples; /* never stop as settled before this many */
    size_t max_samples; /* never take more */
    double precision;   /* half-width of the interval over the median; 0.005 is 0.5 % */
    double budget_s;    /* time for this case, and more where a 95 % interval needs it */
};

enum bl_decision {
    BL_SAMPLE_MORE,
    BL_SETTLED,     /* the interval is narrow enough */
    BL_BUDGET_SPENT /* it is not, and there is no time or room for more */
};

/* True when the interval is a 95 % one and within the rule's precision of its median. */
bool bl_is_precise(const struct bl_stopping_rule *rule, const struct bl_interval *interval);

/* samples: all that were taken, of which those that made the interval are the good ones. */
enum bl_decision bl_decide(const struct bl_stopping_rule *rule, const struct bl_interval *interval,
                           size_t samples, double spent_s);

#endif
