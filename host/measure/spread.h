/* Learns from many differences how large a difference chance can produce.
 *
 * Two runs share many rows, and most of these did not change between the runs, so their differences
 * show what chance does. The same holds for many cards of one model (B. Efron, "Large-Scale
 * Simultaneous Hypothesis Testing: The Choice of a Null Hypothesis", JASA 99, 2004). Comparisons of
 * two runs and of the cards of a fleet get their limits here. The hidden standard deviation
 * describes the part of the differences that the rows' intervals do not explain. */
#ifndef BANKLINE_MEASURE_SPREAD_H
#define BANKLINE_MEASURE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* The target rate of false alarms: the fraction of comparisons, nights and fleets that raise an
 * alarm although nothing changed. The limits are estimates themselves, so they aim at less. With
 * normal noise the simulated rate is below the target. With tails like those of Student's t with 3
 * degrees of freedom, it is up to two and a half times the target (results/README.md lists the
 * rates). */
#define BL_FALSE_ALARMS 0.01

/* A group, such as a suite, gets its own spread only if it has at least this many members. */
enum { BL_SPREAD_GROUP = 20 };

/* The minimum number of differences from which a spread is learnt. */
enum { BL_SPREAD_MEMBERS = 4 };

struct bl_spread_question {
    size_t n;
    const double *differences; /* logarithms of the ratios new / old */
    const double *errors;      /* the differences' standard deviations (see are_spreads) */
    const size_t *groups; /* group of each difference, 0 to n - 1; NULL if all are in one group */
    bool are_spreads; /* true if the errors come from many rows and runs, and so include differences
                         between runs; false if they come from intervals over six placements
                         (placements.h) */
    bool are_of_two;  /* whether each difference is that of two values with the same noise, such as
                         those of two runs, and not that of a value and an average */
    size_t tests;     /* number of differences that will be judged */
    double chance;    /* allowed probability that chance takes any of the judged differences beyond
                         its limit in one direction */
    double stated;    /* the smallest hidden standard deviation to assume; Student's t with 3
                         degrees of freedom is assumed for its tails */
};

struct bl_spread {
    double hidden; /* the hidden standard deviation, learnt from all groups */
    /* what the hidden spread adds to a limit, as a multiple of the hidden standard deviation; 0 if
     * no difference has a hidden standard deviation above 0 */
    double reach;
    double own;   /* what a difference's own error adds to its limit, as a multiple of the error */
    double least; /* lower bound of every limit, as the logarithm of a ratio */
};

/* Learns the spread, and each difference's hidden standard deviation: the value learnt from all
 * differences, or the value of the difference's group if it is clearly larger.
 *
 * The tails are learnt, too. The limit is a quantile of a mixture of Student's distributions (or of
 * the distributions of the difference of two such values), which range from 3 degrees of freedom to
 * the normal distribution and have several scales, each weighted by its likelihood. The largest
 * difference may be a real change, so it counts only as "at least this large". Differences beyond a
 * gap or beyond the limit are left out, and the rest is fitted again. A few differences cannot rule
 * out heavy tails, so their limit is wide.
 *
 * Returns false if memory runs out. */
bool bl_spread_learn(const struct bl_spread_question *question, struct bl_spread *spread,
                     double hidden[]);

/* The error, for bl_spread_question, of a difference that is the mean of `pairs` (2 or more) paired
 * differences with this standard error. A mean of few pairs has fewer degrees of freedom than a
 * difference of two intervals over placements. So the mean's error is enlarged until chance takes
 * the mean beyond its limit as seldom as it takes a difference of intervals beyond its limit. */
double bl_spread_error_of_pairs(double error, size_t pairs, size_t tests, double chance);

/* The limit for a difference with this error and this hidden standard deviation: chance does not
 * explain a larger difference in any of the tests. */
double bl_spread_limit(const struct bl_spread *spread, double error, double hidden);

#endif
