/* What is usual of a row that was measured several times. */
#ifndef BANKLINE_HISTORY_TYPICAL_H
#define BANKLINE_HISTORY_TYPICAL_H

#include "report/row.h"

enum { BL_MAX_TYPICAL_POINTS = 100 };

/* The row that stands for the last BL_MAX_TYPICAL_POINTS of count >= 1 measurements of one row,
 * oldest first; only for those with the last one's kernels, others are not comparable. measured,
 * case_ns, baseline_ns, bytes_per_clock_cu and ns_per_request are their medians; the intervals the
 * spread that 95 % of them keep to (1.96 times the scaled median absolute deviation, in
 * logarithms), but no closer than the median of their own intervals. Where none has a number, it
 * has the last one's status and reason. */
struct bl_row bl_typical_row(const struct bl_row points[], size_t count);

#endif
