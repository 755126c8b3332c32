#include "measure/placements.h"

#include <math.h>
#include <stdlib.h>

/* Samples whose halves differ by more than this times what is usual were disturbed, by somebody
 * else's turn on the processor for example. */
static const double DISTURBED = 4;

static double median_half_change(const struct bl_placed samples[], size_t count)
{
    double changes[BL_MAX_SAMPLES];
    for (size_t i = 0; i < count; i++)
        changes[i] = fabs(samples[i].half_change);
    return bl_median(changes, count);
}

/* Leaves the disturbed samples out, but for those of placements that have no other. What is left
 * out depends on how far a sample agrees with itself, never on its value. */
static size_t undisturbed(const struct bl_placed samples[], size_t count,
                          struct bl_placed kept[BL_MAX_SAMPLES], bool *has_all)
{
    const double limit = DISTURBED * 1.4826 * median_half_change(samples, count);
    unsigned clean = 0, seen = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = 1u << samples[i].placement;
        seen |= bit;
        if (fabs(samples[i].half_change) <= limit)
            clean |= bit;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(samples[i].half_change) <= limit || !(clean >> samples[i].placement & 1))
            kept[n++] = samples[i];
    *has_all = clean == seen;
    return n;
}

/* A placement's samples, in logarithms. */
struct group {
    double centre; /* their median */
    size_t count;
};

static size_t groups_of(const struct bl_placed samples[], size_t count,
                        struct group groups[BL_MAX_PLACEMENTS])
{
    double values[BL_MAX_SAMPLES];
    size_t used = 0;
    for (unsigned placement = 0; placement < BL_MAX_PLACEMENTS; placement++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (samples[i].placement == placement)
                values[n++] = log(samples[i].value);
        groups[placement] = (struct group){.count = n};
        if (n == 0)
            continue;
        groups[placement].centre = bl_median(values, n);
        used++;
    }
    return used;
}

/* Of the placements' medians; there are two placements or more. */
static double variance_of_groups(const struct group groups[BL_MAX_PLACEMENTS], size_t used,
                                 double *mean)
{
    double squares = 0;
    *mean = 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        *mean += groups[i].count ? groups[i].centre / (double)used : 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        squares += groups[i].count ? pow(groups[i].centre - *mean, 2) : 0;
    return squares / (double)(used - 1);
}

static double residual(const struct bl_placed *sample, const struct group groups[BL_MAX_PLACEMENTS])
{
    return log(sample->value) - groups[sample->placement].centre;
}

/* Of each sample with the one taken before it, within their placements; 0 unless it is certain.
 * A placement's first sample is as far from its median as the second, which makes up for nothing
 * here: neighbours in time are of different placements. */
static double correlation_of(const struct bl_placed samples[], size_t count,
                             const struct group groups[BL_MAX_PLACEMENTS], size_t used)
{
    if (count < 2 * used || count < 12)
        return 0;
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double own = residual(&samples[i], groups);
        squares += own * own;
        if (i > 0)
            products += own * residual(&samples[i - 1], groups);
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
static double scatter_of(const struct bl_placed samples[], size_t count,
                         const struct group groups[BL_MAX_PLACEMENTS], size_t used)
{
    double squares = 0;
    if (count < 2 * used) {
        for (size_t i = 0; i < count; i++)
            squares += pow(samples[i].half_change, 2);
        return sqrt(squares / (double)count);
    }
    double distances[BL_MAX_SAMPLES];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (groups[samples[i].placement].count > 1)
            distances[n++] = fabs(residual(&samples[i], groups));
    if (count < 3 * used) {
        for (size_t i = 0; i < n; i++)
            squares += distances[i] * distances[i];
        return sqrt(squares / (double)(count - used));
    }
    /* From three samples on a placement's median leaves an outlier out, and so does this. */
    return 1.4826 * bl_median(distances, n) * sqrt((double)count / (double)(count - used));
}

/* What noise makes of the variance of a placement's median. */
static double variance_of_centre(const struct bl_placed samples[], size_t count,
                                 const struct group groups[BL_MAX_PLACEMENTS], size_t used)
{
    /* A median of three or more varies by up to pi / 2 as much as a mean. */
    const double inefficiency = count >= 3 * used ? 1.57 : 1;
    return inefficiency * pow(scatter_of(samples, count, groups, used), 2) * (double)used /
           (double)count;
}

/* Student's t, 97.5 %, for 1 to 7 degrees of freedom. */
static const double STUDENT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};

struct bl_interval bl_placed_interval(const struct bl_placed all[], size_t all_count)
{
    struct bl_placed samples[BL_MAX_SAMPLES];
    bool has_all;
    const size_t count = undisturbed(all, all_count, samples, &has_all);
    struct group groups[BL_MAX_PLACEMENTS];
    const size_t used = groups_of(samples, count, groups);
    if (used < 2)
        return interval_of_one(samples, count);
    double mean;
    const double variance = variance_of_groups(groups, used, &mean);
    /* With samples that follow each other like this, n count as n (1 - r) / (1 + r). */
    const double r = correlation_of(samples, count, groups, used);
    const double half = STUDENT[used - 2] * sqrt(variance / (double)used * (1 + r) / (1 - r));
    return (struct bl_interval){exp(mean), exp(mean - half), exp(mean + half), true};
}

double bl_placed_noise(const struct bl_placed all[], size_t all_count)
{
    struct bl_placed samples[BL_MAX_SAMPLES];
    bool has_all;
    const size_t count = undisturbed(all, all_count, samples, &has_all);
    if (!has_all)
        return INFINITY;
    struct group groups[BL_MAX_PLACEMENTS];
    const size_t used = groups_of(samples, count, groups);
    /* As wide as the interval is if placements do not differ. */
    const double certain = used < 2 ? 1.96 : STUDENT[used - 2];
    return certain * sqrt(variance_of_centre(samples, count, groups, used) / (double)used);
}

/* The 95 % quantile of the F distribution with 5 and 6 degrees of freedom. */
static const double CLEARLY_MORE = 4.4;

bool bl_placed_is_ambiguous(const struct bl_placed all[], size_t all_count)
{
    struct bl_placed samples[BL_MAX_SAMPLES];
    bool has_all;
    const size_t count = undisturbed(all, all_count, samples, &has_all);
    struct group groups[BL_MAX_PLACEMENTS];
    const size_t used = groups_of(samples, count, groups);
    if (used < 2 || count >= 2 * used)
        return false;
    double mean, of_halves = 0;
    for (size_t i = 0; i < count; i++)
        of_halves += pow(samples[i].half_change, 2) / (double)count;
    return variance_of_groups(groups, used, &mean) > CLEARLY_MORE * of_halves;
}

static int by_centre(const void *a, const void *b)
{
    const double x = ((const struct group *)a)->centre, y = ((const struct group *)b)->centre;
    return (x > y) - (x < y);
}

/* The widest gap between placements, if it is far wider than what lies on either side of it. */
static void find_levels(struct group sorted[], size_t used, double min_gap,
                        struct bl_placed_findings *findings)
{
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
static double drift_of(const struct bl_placed samples[], size_t count,
                       const struct group groups[BL_MAX_PLACEMENTS], size_t used)
{
    if (count < 2 * used || count < 12)
        return 0;
    const double middle = (double)(count - 1) / 2;
    double products = 0, times = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double at = (double)i - middle, own = residual(&samples[i], groups);
        products += at * own;
        times += at * at;
    }
    const double slope = products / times;
    for (size_t i = 0; i < count; i++)
        squares += pow(residual(&samples[i], groups) - slope * ((double)i - middle), 2);
    const double error = sqrt(squares / (double)(count - used - 1) / times);
    return fabs(slope) > 4 * error ? expm1(slope * (double)(count - 1)) : 0;
}

struct bl_placed_findings bl_placed_findings(const struct bl_placed all[], size_t all_count,
                                             double min_change)
{
    struct bl_placed samples[BL_MAX_SAMPLES];
    bool has_all;
    const size_t count = undisturbed(all, all_count, samples, &has_all);
    struct bl_placed_findings findings = {0};
    struct group groups[BL_MAX_PLACEMENTS], sorted[BL_MAX_PLACEMENTS];
    const size_t used = groups_of(samples, count, groups);
    if (used == 0)
        return findings;
    findings.correlation = correlation_of(samples, count, groups, used);
    findings.drift = drift_of(samples, count, groups, used);
    if (fabs(findings.drift) < min_change)
        findings.drift = 0;
    size_t n = 0;
    for (unsigned i = 0; i < BL_MAX_PLACEMENTS; i++)
        if (groups[i].count)
            sorted[n++] = groups[i];
    const double noise =
        scatter_of(samples, count, groups, used) / sqrt((double)count / (double)used);
    if (n >= 4)
        find_levels(sorted, n, fmax(min_change, 8 * noise), &findings);
    return findings;
}
