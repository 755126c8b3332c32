/* Computes a case's result from samples taken at several placements. A placement is a set of
 * addresses of the case's arrays.
 *
 * An array's addresses affect the cost of accessing it, and they stay fixed for the life of a
 * process. So samples of one placement agree with each other better than with samples of another
 * run, and an interval over the samples of one placement would be too narrow. The interval is
 * therefore computed over several placements: an experiment must be repeated at the level at which
 * the uncertainty arises (T. Kalibera and R. Jones, "Rigorous Benchmarking in Reasonable Time",
 * ISMM 2013). */
#ifndef BANKLINE_MEASURE_PLACEMENTS_H
#define BANKLINE_MEASURE_PLACEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/stats.h"

enum { BL_MAX_PLACEMENTS = 8, BL_MAX_SAMPLES = 1000 };

/* One value of one sample. */
struct bl_placed {
    double value;       /* a ratio or a time, above 0 */
    double half_change; /* (second half - first half) / whole time of the sample; for a ratio, the
                           baseline's half_change minus the case's */
    unsigned placement; /* below BL_MAX_PLACEMENTS */
};

/* The standard deviation between processes, as a fraction of the result; the interval includes it
 * in addition to the standard error that follows from the placements. Code, stacks and page tables
 * keep their addresses at all placements of one process, but have different addresses in the next
 * process. In twenty whole runs on two H200s, this deviation was 0.04 to 0.1 % in suites whose data
 * fit in L1, and 0.17 to 0.19 % for private arrays, whose addresses the driver chooses. */
#define BL_BETWEEN_PROCESSES 0.001

/* The case's result and its 95 % interval. The result is the geometric mean of the placements'
 * medians (bl_placed_medians). The interval is computed with Student's t from the logarithms of
 * these medians, and includes BL_BETWEEN_PROCESSES. Samples are in the order in which they were
 * taken; if consecutive samples are correlated, the interval is widened accordingly.
 *
 * With a single placement, the result is the samples' median and its interval (stats.h). Here and
 * below 1 <= count <= BL_MAX_SAMPLES. */
struct bl_interval bl_placed_interval(const struct bl_placed samples[], size_t count);

/* The median of each placement's samples, without the disturbed samples (bl_placed_usual_change),
 * unless all of the placement's samples were disturbed. NAN for placements without samples. */
void bl_placed_medians(const struct bl_placed samples[], size_t count,
                       double medians[BL_MAX_PLACEMENTS]);

/* How far the samples' noise can move the result, as a fraction, with 95 % certainty. Includes only
 * noise that more samples would reduce, so it excludes differences between placements. INFINITY if
 * all samples of some placement were disturbed. */
double bl_placed_noise(const struct bl_placed samples[], size_t count);

/* The limit of |half_change|, a fraction. A sample beyond the limit counts as disturbed, for
 * example by another process. */
double bl_placed_usual_change(const struct bl_placed samples[], size_t count);

/* Whether a second sample at each placement is needed: true if there are fewer than two samples per
 * placement, and placements differ clearly more than the two halves of a sample do. The difference
 * may come from the arrays' addresses, or from noise that changes more slowly than a sample lasts.
 * Only a second sample can distinguish these two causes. */
bool bl_placed_is_ambiguous(const struct bl_placed samples[], size_t count);

/* Further findings, which a row's note reports. */
struct bl_placed_findings {
    double levels[2];      /* medians of the two groups into which the placements' results fall,
                              lower first */
    unsigned at_levels[2]; /* number of placements in each group; 0 if there is only one group */
    double drift;       /* drift from first to last sample, a fraction; 0 if no drift is certain */
    double correlation; /* correlation of consecutive samples; 0 if no positive correlation is
                           certain */
};

/* Finds what is unusual about the samples. A drift below min_change, a fraction, is not reported.
 * Two groups are reported only if the gap between them is at least min_change, and far wider than
 * each group and than the noise of a placement. */
struct bl_placed_findings bl_placed_findings(const struct bl_placed samples[], size_t count,
                                             double min_change);

#endif
