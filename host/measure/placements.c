#include "measure/placements.h"

#include <math.h>
#include <stdlib.h>

/* A sample whose halves differ by more than this times the usual difference was disturbed, for
 * example by another process's time slice. */
static const double DISTURBED = 4;

/* A placement's samples, in logarithms. */
struct group {
    double centre; /* their median */
    size_t count;
};

/* The samples that are kept, grouped by placement. */
struct view {
    struct bl_placed samples[BL_MAX_SAMPLES];
    size_t count;
    struct group groups[BL_MAX_PLACEMENTS];
    size_t used;  /* placements that have samples */
    bool has_all; /* each of these has one that was not disturbed */
};

static double median_half_change(const struct bl_placed samples[], size_t count)
{
    double changes[BL_MAX_SAMPLES];
    for (size_t i = 0; i < count; i++)
        changes[i] = fabs(samples[i].half_change);
    return bl_median(changes, count);
}

double bl_placed_usual_change(const struct bl_placed samples[], size_t count)
{
    return DISTURBED * BL_MAD_TO_SD * median_half_change(samples, count);
}

/* Discards the disturbed samples, except those of placements that have no others. The choice
 * depends on how far a sample's halves agree, never on its value. */
static void keep_undisturbed(struct view *view, const struct bl_placed samples[], size_t count)
{
    const double limit = bl_placed_usual_change(samples, count);
    unsigned clean = 0, seen = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = 1u << samples[i].placement;
        seen |= bit;
        if (fabs(samples[i].half_change) <= limit)
            clean |= bit;
    }
    view->count = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(samples[i].half_change) <= limit || !(clean >> samples[i].placement & 1))
            view->samples[view->count++] = samples[i];
    view->has_all = clean == seen;
}

static void group(struct view *view)
{
    double values[BL_MAX_SAMPLES];
    view->used = 0;
    for (unsigned placement = 0; placement < BL_MAX_PLACEMENTS; placement++) {
        size_t n = 0;
        for (size_t i = 0; i < view->count; i++)
            if (view->samples[i].placement == placement)
                values[n++] = log(view->samples[i].value);
        view->groups[placement] = (struct group){.count = n};
        if (n == 0)
            continue;
        view->groups[placement].centre = bl_median(values, n);
        view->used++;
    }
}

static void look_at(struct view *view, const struct bl_placed samples[], size_t count)
{
    keep_undisturbed(view, samples, count);
    group(view);
}

/* Of the placements' medians; there are two placements or more. */
static double variance_of_groups(const struct view *view, double *mean)
{
    const struct group *groups = view->groups;
    double squares = 0;
    *mean = 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        *mean += groups[i].count ? groups[i].centre / (double)view->used : 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        squares += groups[i].count ? pow(groups[i].centre - *mean, 2) : 0;
    return squares / (double)(view->used - 1);
}

static double residual(const struct view *view, size_t i)
{
    const struct bl_placed *sample = &view->samples[i];
    return log(sample->value) - view->groups[sample->placement].centre;
}

/* The correlation of each sample with the one taken before it, both relative to their placements'
 * medians; 0 unless it is certain. That the first two samples of a placement are equally far from
 * its median adds no correlation: neighbours in time are of different placements. */
static double correlation_of(const struct view *view)
{
    const size_t count = view->count;
    if (count < 2 * view->used || count < 12)
        return 0;
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double own = residual(view, i);
        squares += own * own;
        if (i > 0)
            products += own * residual(view, i - 1);
    }
    const double correlation = squares > 0 ? products / squares : 0;
    return correlation > 2 / sqrt((double)count) ? fmin(correlation, 0.9) : 0;
}

static struct bl_interval interval_of_one(const struct bl_placed samples[], size_t count)
{
    double values[BL_MAX_SAMPLES];
    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].value;
    return bl_median_interval(values, count);
}

/* The standard deviation of a sample at its placement. */
static double scatter_of(const struct view *view)
{
    const size_t count = view->count, used = view->used;
    double squares = 0;
    if (count < 2 * used) {
        for (size_t i = 0; i < count; i++)
            squares += pow(view->samples[i].half_change, 2);
        return sqrt(squares / (double)count);
    }
    double distances[BL_MAX_SAMPLES];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (view->groups[view->samples[i].placement].count > 1)
            distances[n++] = fabs(residual(view, i));
    if (count < 3 * used) {
        for (size_t i = 0; i < n; i++)
            squares += distances[i] * distances[i];
        return sqrt(squares / (double)(count - used));
    }
    /* From three samples on a placement's median leaves an outlier out, and so does this. */
    return BL_MAD_TO_SD * bl_median(distances, n) * sqrt((double)count / (double)(count - used));
}

/* The part of the variance of a placement's median that is due to noise. */
static double variance_of_centre(const struct view *view)
{
    /* A median of three or more varies by up to pi / 2 as much as a mean. */
    const double inefficiency = view->count >= 3 * view->used ? 1.57 : 1;
    return inefficiency * pow(scatter_of(view), 2) * (double)view->used / (double)view->count;
}

/* bl_student_quantile(0.05, 1 to 7), which is too slow to compute after each sample. */
static const double STUDENT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};

struct bl_interval bl_placed_interval(const struct bl_placed samples[], size_t count)
{
    struct view view;
    look_at(&view, samples, count);
    if (view.used < 2)
        return interval_of_one(view.samples, view.count);
    double mean;
    const double variance = variance_of_groups(&view, &mean);
    /* With this correlation n samples count as n (1 - r) / (1 + r). */
    const double r = correlation_of(&view);
    const double own =
        STUDENT[view.used - 2] * sqrt(variance / (double)view.used * (1 + r) / (1 - r));
    const double half = hypot(own, BL_WITHIN_95 * BL_BETWEEN_PROCESSES);
    return (struct bl_interval){exp(mean), exp(mean - half), exp(mean + half), true};
}

double bl_placed_noise(const struct bl_placed samples[], size_t count)
{
    struct view view;
    look_at(&view, samples, count);
    if (!view.has_all)
        return INFINITY;
    /* As wide as the interval is if placements do not differ. */
    const double certain = view.used < 2 ? BL_WITHIN_95 : STUDENT[view.used - 2];
    return certain * sqrt(variance_of_centre(&view) / (double)view.used);
}

/* The 95 % quantile of the F distribution with 5 and 6 degrees of freedom. */
static const double CLEARLY_MORE = 4.4;

bool bl_placed_is_ambiguous(const struct bl_placed samples[], size_t count)
{
    struct view view;
    look_at(&view, samples, count);
    if (view.used < 2 || view.count >= 2 * view.used)
        return false;
    double mean, of_halves = 0;
    for (size_t i = 0; i < view.count; i++)
        of_halves += pow(view.samples[i].half_change, 2) / (double)view.count;
    return variance_of_groups(&view, &mean) > CLEARLY_MORE * of_halves;
}

static int by_centre(const void *a, const void *b)
{
    const double x = ((const struct group *)a)->centre, y = ((const struct group *)b)->centre;
    return (x > y) - (x < y);
}

/* The widest gap between placements, if it is far wider than what lies on either side of it. */
static void find_levels(const struct view *view, double min_gap,
                        struct bl_placed_findings *findings)
{
    struct group sorted[BL_MAX_PLACEMENTS];
    size_t used = 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        if (view->groups[i].count)
            sorted[used++] = view->groups[i];
    if (used < 4)
        return;
    qsort(sorted, used, sizeof sorted[0], by_centre);
    size_t split = 1;
    for (size_t i = 2; i < used; i++)
        if (sorted[i].centre - sorted[i - 1].centre >
            sorted[split].centre - sorted[split - 1].centre)
            split = i;
    const double gap = sorted[split].centre - sorted[split - 1].centre;
    const double inside = fmax(sorted[split - 1].centre - sorted[0].centre,
                               sorted[used - 1].centre - sorted[split].centre);
    if (gap < min_gap || gap < 4 * inside)
        return;
    const size_t middle[2] = {split / 2, split + (used - split) / 2};
    for (int side = 0; side < 2; side++)
        findings->levels[side] = exp(sorted[middle[side]].centre);
    findings->at_levels[0] = (unsigned)split;
    findings->at_levels[1] = (unsigned)(used - split);
}

/* The least-squares line through the samples' residuals in the order in which they were taken. */
static double drift_of(const struct view *view)
{
    const size_t count = view->count, used = view->used;
    if (count < 2 * used || count < 12)
        return 0;
    const double middle = (double)(count - 1) / 2;
    double products = 0, times = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double at = (double)i - middle, own = residual(view, i);
        products += at * own;
        times += at * at;
    }
    const double slope = products / times;
    for (size_t i = 0; i < count; i++)
        squares += pow(residual(view, i) - slope * ((double)i - middle), 2);
    const double error = sqrt(squares / (double)(count - used - 1) / times);
    return fabs(slope) > 4 * error ? expm1(slope * (double)(count - 1)) : 0;
}

struct bl_placed_findings bl_placed_findings(const struct bl_placed samples[], size_t count,
                                             double min_change)
{
    struct bl_placed_findings findings = {0};
    struct view view;
    look_at(&view, samples, count);
    if (view.used == 0)
        return findings;
    findings.correlation = correlation_of(&view);
    findings.drift = drift_of(&view);
    if (fabs(findings.drift) < min_change)
        findings.drift = 0;
    const double noise = scatter_of(&view) / sqrt((double)view.count / (double)view.used);
    find_levels(&view, fmax(min_change, 8 * noise), &findings);
    return findings;
}
