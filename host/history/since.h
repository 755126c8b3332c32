/* Since when a row is at the level it has now. */
#ifndef BANKLINE_HISTORY_SINCE_H
#define BANKLINE_HISTORY_SINCE_H

#include "measure/stats.h"
#include "report/row.h"

/* Points are measurements of one row, oldest first; those without a number are passed over. */

/* The index of the first point at the level of the last one: from it on no point differs from the
 * level of those after it by more than the threshold and noise allow (report/change.h), and the one
 * before it does, or was measured by other kernels. 0: all are at one level. At least one point has
 * a number. */
size_t bl_since_first(const struct bl_row points[], size_t count, double threshold);

/* The median of the points from `first` on, a few of them at most, and the mean width of their
 * intervals. One of them at least has a number. */
struct bl_interval bl_since_level(const struct bl_row points[], size_t count, size_t first);

#endif
