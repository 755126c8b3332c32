/* When to stop sampling: a rule of its own, so that it can be tested with made-up samples. */
#ifndef BANKLINE_MEASURE_STOPPING_H
#define BANKLINE_MEASURE_STOPPING_H

#include <stddef.h>

struct bl_stopping_rule {
    size_t min_samples; /* never stop before this many, whatever they cost */
    size_t max_samples; /* never take more */
    double precision;   /* what noise may do to the result; 0.005 is 0.5 % */
    double budget_s;    /* time for this case, and more where min_samples need it */
};

enum bl_decision {
    BL_SAMPLE_MORE,
    BL_SETTLED,     /* noise is small enough */
    BL_BUDGET_SPENT /* it is not, and there is no time or room for more */
};

/* noise: of bl_placed_noise. It and not the interval's width decides: who stops as soon as an
 * interval happens to be narrow stops where it is too narrow, and loses 3 to 5 points of its
 * coverage. samples: good ones; taken: all, of which those that were discarded count for nothing.
 */
enum bl_decision bl_decide(const struct bl_stopping_rule *rule, double noise, size_t samples,
                           size_t taken, double spent_s);

#endif
