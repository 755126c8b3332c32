#include "report/change.h"

#include <math.h>

const char *bl_change_name(enum bl_change change)
{
    static const char *const names[] = {"same",    "slower",         "faster",
                                        "unclear", "missing",        "new",
                                        "broken",  "baseline-moved", "kernel-changed"};
    return names[change];
}

bool bl_change_is_bad(enum bl_change change)
{
    return change == BL_CHANGE_SLOWER || change == BL_CHANGE_MISSING || change == BL_CHANGE_BROKEN;
}

static double half_width(const struct bl_interval *interval)
{
    return (log(interval->hi) - log(interval->lo)) / 2;
}

enum bl_change bl_change_of(const struct bl_interval *before, const struct bl_interval *after,
                            double threshold)
{
    if (!before->is_95 || !after->is_95)
        return BL_CHANGE_UNCLEAR;
    const double change = log(after->median) - log(before->median);
    const double error = BL_CHANGE_CERTAIN * hypot(half_width(before), half_width(after));
    const double min = -log1p(-threshold / 2), limit = -log1p(-threshold);
    if (fabs(change) >= min && fabs(change) > error)
        return change < 0 ? BL_CHANGE_SLOWER : BL_CHANGE_FASTER;
    return fabs(change) + error < limit ? BL_CHANGE_SAME : BL_CHANGE_UNCLEAR;
}
