/* How far measurements of the same thing lie apart by chance, learnt from all of them.
 *
 * Of many rows that two runs have, or many cards, most did not change: their differences show what
 * chance does (B. Efron, "Large-Scale Simultaneous Hypothesis Testing: The Choice of a Null
 * Hypothesis", JASA 99, 2004). Everything that judges changes asks here how far that reaches.
 */
#ifndef BANKLINE_MEASURE_SPREAD_H
#define BANKLINE_MEASURE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* About so many comparisons, nights and fleets are to raise an alarm for nothing. The limits aim
 * lower, because what they rest on is estimated; with heavy tails it can be twice as many. */
#define BL_FALSE_ALARMS 0.01

/* Groups of fewer members, suites for example, do not have a spread of their own. */
enum { BL_SPREAD_GROUP = 20 };

/* From fewer differences no spread is learnt. */
enum { BL_SPREAD_MEMBERS = 12 };

struct bl_spread_question {
    size_t n;
    const double *differences; /* logarithms */
    const double *errors;      /* standard deviations that their intervals state */
    const size_t *groups;      /* of each, from 0 up and below n; NULL: there is one */
    bool are_spreads; /* the errors hold what differs between runs, known from many rows and runs;
                         else they are of intervals over six placements (placements.h) */
    size_t tests;     /* differences that are judged in all */
    double chance;    /* that one of these lies beyond its limit, in one direction */
    double stated; /* hidden standard deviation that is to be expected however small the differences
                      are, with tails as heavy as Student's with 3 degrees of freedom */
};

struct bl_spread {
    double hidden; /* standard deviation that the intervals do not show, over all groups */
    double reach;  /* how many of them chance reaches in one of all tests together */
    double own;    /* the same of the standard deviation that an interval states */
    double least;  /* a limit is never below this */
};

/* Learns the spread, and each member's hidden standard deviation: that of all differences, or its
 * group's where that is clearly larger.
 *
 * The tails are learnt too: the limit is that of the predictive distribution over Student's
 * distributions, of 3 degrees of freedom up to normal ones and over scales, each weighted by its
 * likelihood. The largest differences, one to three, count only as "at least so large", as these
 * may be real; what lies beyond a gap is left out, and so is what lies beyond the limit, and then
 * the rest is looked at again. Few
 * differences cannot show light tails, so their limit is wide.
 *
 * false: there is no memory. */
bool bl_spread_learn(const struct bl_spread_question *question, struct bl_spread *spread,
                     double hidden[]);

/* How far such a difference lies from 0 by chance in one of all tests. */
double bl_spread_limit(const struct bl_spread *spread, double error, double hidden);

#endif
