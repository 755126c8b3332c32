#include "history/typical.h"

#include <math.h>
#include <string.h>

#include "measure/stats.h"

/* Of the values that are known; NAN: none is. */
static double median_of_known(const double values[], size_t count)
{
    double known[BL_MAX_TYPICAL_POINTS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            known[n++] = values[i];
    return n > 0 ? bl_median(known, n) : (double)NAN;
}

struct bl_row bl_typical_row(const struct bl_row points[], size_t count)
{
    double ratios[BL_MAX_TYPICAL_POINTS], halves[BL_MAX_TYPICAL_POINTS];
    double clocks[BL_MAX_TYPICAL_POINTS], times[BL_MAX_TYPICAL_POINTS];
    struct bl_row row = bl_row_empty();
    const struct bl_row *last = &points[count - 1];
    row.key = last->key;
    size_t n = 0;
    for (size_t i = count; i-- > 0 && n < BL_MAX_TYPICAL_POINTS;) {
        if (!bl_row_has_number(&points[i]))
            continue;
        ratios[n] = points[i].measured;
        halves[n] = (log(points[i].measured_hi) - log(points[i].measured_lo)) / 2;
        clocks[n] = points[i].bytes_per_clock_cu;
        times[n++] = points[i].ns_per_request;
    }
    if (n == 0) {
        row.status = last->status;
        memcpy(row.reason, last->reason, sizeof row.reason);
        return row;
    }
    row.measured = median_of_known(ratios, n);
    row.bytes_per_clock_cu = median_of_known(clocks, n);
    row.ns_per_request = median_of_known(times, n);
    for (size_t i = 0; i < n; i++)
        ratios[i] = fabs(log(ratios[i]) - log(row.measured));
    /* 1.4826 scales a normal distribution's median absolute deviation to its standard deviation. */
    const double spread = 1.96 * 1.4826 * median_of_known(ratios, n);
    const double half = fmax(spread, median_of_known(halves, n));
    row.measured_lo = row.measured * exp(-half);
    row.measured_hi = row.measured * exp(half);
    return row;
}
