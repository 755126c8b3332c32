/* Computes a case's result from samples taken at several placements. A placement is a set of
 * addresses of the case's arrays.
 *
 * The addresses of an array change the cost of its accesses and stay the same for the life of a
 * process. So samples at one placement agree with each other better than with those of another run,
 * and an interval over them would be too narrow. The interval is therefore computed over
 * placements: repeat at the level where the uncertainty arises (T. Kalibera and R. Jones, "Rigorous
 * Benchmarking in Reasonable Time", ISMM 2013). */
#ifndef BANKLINE_MEASURE_PLACEMENTS_H
#define BANKLINE_MEASURE_PLACEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/stats.h"

enum { BL_MAX_PLACEMENTS = 8, BL_MAX_SAMPLES = 1000 };

/* One value of one sample. */
struct bl_placed {
    double value;       /* a ratio or a time, above 0 */
    double half_change; /* (second half - first half) / both, a fraction */
    unsigned placement; /* below BL_MAX_PLACEMENTS */
};

/* The standard deviation between processes, a fraction, that is added to that between placements:
 * code, stacks and page tables have the same addresses at all placements of a process, and other
 * addresses in the next process. In twenty whole runs on two H200s, the rows of a suite differed by
 * up to this much more than their placements showed (L1: 0.04 to 0.1 %; private arrays, which the
 * driver places: 0.17 to 0.19 %). */
#define BL_BETWEEN_PROCESSES 0.001

/* The case's result: the geometric mean of the placements' medians, each over undisturbed samples,
 * with a 95 % interval by Student's t on the logarithms that includes BL_BETWEEN_PROCESSES. Samples
 * are in the order in which they were taken; if consecutive samples are correlated, the interval is
 * widened accordingly. With a single placement, the result is the samples' median and its interval
 * (stats.h). Here and below 1 <= count <= BL_MAX_SAMPLES. */
struct bl_interval bl_placed_interval(const struct bl_placed samples[], size_t count);

/* How far the samples' noise can move the result, with 95 % certainty, a fraction; more samples
 * reduce it. Differences between placements do not count, because more samples do not reduce those.
 * INFINITY if all samples of some placement were disturbed. */
double bl_placed_noise(const struct bl_placed samples[], size_t count);

/* The limit of half_change, a fraction, beyond which one of these samples counts as disturbed. */
double bl_placed_usual_change(const struct bl_placed samples[], size_t count);

/* Whether a second sample at each placement is needed: there are fewer than two per placement, and
 * placements differ by clearly more than the two halves of a sample. The reason may be the arrays'
 * addresses, or noise that changes more slowly than a sample lasts, and only a second sample can
 * tell. */
bool bl_placed_is_ambiguous(const struct bl_placed samples[], size_t count);

/* Further findings, which a row's note reports. */
struct bl_placed_findings {
    double levels[2]; /* if placements form two groups far apart: the groups' medians, the lower
                         first */
    unsigned at_levels[2]; /* number of placements in each group; 0: one level */
    double drift;          /* from first to last sample, a fraction; 0: none is certain */
    double correlation;    /* of consecutive samples; 0: none is certain */
};

/* Reports two levels only if they differ by more than min_change, a fraction, and by far more than
 * samples of the same placement do. */
struct bl_placed_findings bl_placed_findings(const struct bl_placed samples[], size_t count,
                                             double min_change);

#endif
