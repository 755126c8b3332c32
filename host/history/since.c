#include "history/since.h"

#include <math.h>
#include <string.h>

#include "report/change.h"

enum { LEVEL_POINTS = 9 };

struct bl_interval bl_since_level(const struct bl_row points[], size_t count, size_t first)
{
    double ratios[LEVEL_POINTS], half = 0;
    size_t n = 0;
    for (size_t i = first; i < count && n < LEVEL_POINTS; i++) {
        if (!bl_row_has_number(&points[i]))
            continue;
        ratios[n++] = points[i].measured;
        half += (log(points[i].measured_hi) - log(points[i].measured_lo)) / 2;
    }
    half /= (double)n;
    const double median = bl_median(ratios, n);
    return (struct bl_interval){median, median * exp(-half), median * exp(half), true};
}

size_t bl_since_first(const struct bl_row points[], size_t count, double threshold)
{
    size_t first = count;
    for (size_t i = count; i-- > 0;) {
        if (!bl_row_has_number(&points[i]))
            continue;
        if (first < count && strcmp(points[i].kernels, points[first].kernels) != 0)
            return first;
        if (first < count) {
            const struct bl_interval level = bl_since_level(points, count, first);
            const struct bl_interval own = {points[i].measured, points[i].measured_lo,
                                            points[i].measured_hi, true};
            const enum bl_change change = bl_change_of(&own, &level, threshold);
            if (change == BL_CHANGE_SLOWER || change == BL_CHANGE_FASTER)
                return first;
        }
        first = i;
    }
    return 0;
}
