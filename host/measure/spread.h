/* How far measurements of the same thing lie apart by chance, learnt from all of them.
 *
 * Of many rows that two runs have, or many cards, most did not change: their differences show what
 * chance does (B. Efron, "Large-Scale Simultaneous Hypothesis Testing: The Choice of a Null
 * Hypothesis", JASA 99, 2004). All code that judges changes gets its limits here.
 */
#ifndef BANKLINE_MEASURE_SPREAD_H
#define BANKLINE_MEASURE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* The target rate of false alarms: comparisons, nights and fleets that raise an alarm although
 * nothing changed. The limits aim lower, because they are estimated themselves; with heavy tails
 * the rate can be twice as high. */
#define BL_FALSE_ALARMS 0.01

/* Groups with fewer members, such as suites, do not get a spread of their own. */
enum { BL_SPREAD_GROUP = 20 };

/* The min number of differences from which a spread is learnt. */
enum { BL_SPREAD_MEMBERS = 12 };

struct bl_spread_question {
    size_t n;
    const double *differences; /* differences, as logarithms */
    const double *errors;      /* standard deviations by the differences' own intervals */
    const size_t *groups; /* group of each difference, from 0 to below n; NULL: a single group */
    bool are_spreads; /* the errors include the differences between runs, known from many rows and
                         runs; else they come from intervals over six placements (placements.h) */
    size_t tests;     /* number of differences judged in all */
    double chance;    /* probability that one of these lies beyond its limit, in one direction */
    double stated;    /* hidden standard deviation to expect however small the differences are, with
                         tails as heavy as Student's with 3 degrees of freedom */
};

struct bl_spread {
    double hidden; /* standard deviation that the intervals do not include, over all groups */
    /* how many hidden standard deviations chance reaches in one of all tests together */
    double reach;
    double own;   /* the same in standard deviations of the interval itself */
    double least; /* lower bound of any limit */
};

/* Learns the spread, and each member's hidden standard deviation: that of all differences, or its
 * group's where that is clearly larger.
 *
 * The tails are learnt too: the limit comes from the predictive distribution, a mixture of
 * Student's distributions from 3 degrees of freedom up to the normal one and over scales, each
 * weighted by its likelihood. The one to three largest differences may be real, so they count only
 * as "at least this large"; differences beyond a gap or beyond the limit are left out, and the rest
 * is fitted again. Few differences cannot show light tails, so their limit is wide.
 *
 * Returns false if there is no memory.
 */
bool bl_spread_learn(const struct bl_spread_question *question, struct bl_spread *spread,
                     double hidden[]);

/* How far such a difference may lie from 0 by chance in one of all tests. */
double bl_spread_limit(const struct bl_spread *spread, double error, double hidden);

#endif
