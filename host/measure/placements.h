/* Results of one case from samples taken at several placements in memory.
 *
 * Where an array lies changes its cost for the life of a process, so samples of one placement agree
 * with each other better than with those of another run. The interval is therefore over placements:
 * repeat at the level where the uncertainty arises (T. Kalibera and R. Jones, "Rigorous
 * Benchmarking in Reasonable Time", ISMM 2013).
 */
#ifndef BANKLINE_MEASURE_PLACEMENTS_H
#define BANKLINE_MEASURE_PLACEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/stats.h"

enum { BL_MAX_PLACEMENTS = 8, BL_MAX_SAMPLES = 1000 };

/* One quantity of one sample. */
struct bl_placed {
    double value;       /* a ratio or a time, above 0 */
    double half_change; /* half the difference between its two halves, as a fraction */
    unsigned placement; /* below BL_MAX_PLACEMENTS */
};

/* The additional standard deviation between processes, as a fraction: the driver lays out code,
 * stacks and page tables once for all placements. In twenty whole runs on two H200s, the rows of a
 * suite differed by up to this much more than their placements showed (L1: 0.04 to 0.1 %; private
 * arrays, which the driver places: 0.17 to 0.19 %). */
#define BL_BETWEEN_PROCESSES 0.001

/* The geometric mean over placements, each of which counts as the median of its undisturbed
 * samples, with a 95 % Student's interval of the logarithms that includes BL_BETWEEN_PROCESSES.
 * Samples are in the order in which they were taken; if each resembles the one before, the interval
 * is widened for that correlation. With one placement: the samples' median and its interval
 * (stats.h). 1 <= count <= BL_MAX_SAMPLES, here and below. */
struct bl_interval bl_placed_interval(const struct bl_placed samples[], size_t count);

/* How far the samples' noise alone can change the result, with 95 % certainty, as a fraction: more
 * samples reduce it. Differences between placements are not included. INFINITY if a placement has
 * only disturbed samples. */
double bl_placed_noise(const struct bl_placed samples[], size_t count);

/* The largest half_change, a fraction, of an undisturbed sample, estimated from these samples. */
double bl_placed_usual_change(const struct bl_placed samples[], size_t count);

/* Whether there are fewer than two samples per placement, and placements differ by clearly more
 * than the halves of a sample do: because of the arrays' addresses, or because the noise varies
 * more slowly than a sample lasts. A second sample of each placement decides. */
bool bl_placed_is_ambiguous(const struct bl_placed samples[], size_t count);

/* Further findings about the samples, for a row's note. */
struct bl_placed_findings {
    double levels[2];      /* medians of two groups of placements far apart, the lower first */
    unsigned at_levels[2]; /* number of placements in each group; 0: there is only one level */
    double drift; /* change from the first sample to the last, a fraction; 0: none is certain */
    double correlation; /* correlation of a sample with the one before; 0: none is certain */
};

/* Reports two levels if they differ by more than min_change, a fraction, and by far more than the
 * samples of a placement do. */
struct bl_placed_findings bl_placed_findings(const struct bl_placed samples[], size_t count,
                                             double min_change);

#endif
