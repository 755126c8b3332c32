/* Where a curve of latencies over working sets leaves one level for the next, and what that says of
 * the cache: its size, and how many lines a set of it holds.
 *
 * Of a working set that is walked round and round, a cache that replaces what was used longest ago
 * keeps those sets that have no more lines than they hold, and nothing of the others. If an
 * address's lower bits choose the set, all sets grow alike: reads begin to miss at the cache's
 * size, and all miss when each set has one line more. If a hash chooses, sets have more or less by
 * chance. Of a working set that is not walked round, of which a part is read after all of it was,
 * the cache has as large a share as fits.
 */
#ifndef BANKLINE_INFER_KNEE_H
#define BANKLINE_INFER_KNEE_H

#include <stdbool.h>
#include <stddef.h>

enum { BL_MAX_WAYS = 64 };

/* The share of reads that miss. ways: lines that a set holds. */
double bl_knee_misses(double working_set_bytes, double cache_bytes, unsigned ways, bool is_hashed);

struct bl_knee_point {
    bool is_walked; /* round and round */
    double bytes;   /* of the working set */
    double log_ns;  /* of a read, measured */
};

struct bl_knee {
    double bytes, lo, hi; /* the cache's size, and where it is with 95 % certainty */
    unsigned ways;        /* the most likely */
    double ways_probability;
    double hashed_probability;
    double rms; /* of measured / expected - 1 */
};

/* The points from the level before to the one after; hit_ns and miss_ns are theirs. `scale` is that
 * of the points' errors. count >= 3. false: no memory. */
bool bl_knee_find(const struct bl_knee_point points[], size_t count, double hit_ns, double miss_ns,
                  double scale, struct bl_knee *knee);

#endif
