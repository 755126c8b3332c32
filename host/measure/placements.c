/* Combines samples from several placements into one result and its interval. placements.h explains
 * why the interval is over placements. A sample that another process disturbed is recognized by the
 * difference between its two halves, never by its value: rejecting outlying values would make
 * results look more consistent than they are. */
#include "measure/placements.h"

#include <math.h>

/* A sample counts as disturbed, for example by another process's time slice, if the difference
 * between its halves exceeds this many standard deviations, as estimated from the median difference
 * of all samples. */
static const double DISTURBED = 4;

/* The samples that are not discarded, and quantities computed from them. */
struct view {
    struct bl_placed samples[BL_MAX_SAMPLES];
    double residuals[BL_MAX_SAMPLES]; /* a sample's logarithm minus the centre of the sample's
                                         placement */
    bool is_alone[BL_MAX_SAMPLES];    /* whether a sample is the only one at its placement */
    size_t count;
    double centres[BL_MAX_PLACEMENTS]; /* medians of logarithms, one per placement with samples */
    size_t used;                       /* number of placements with samples */
    bool has_all; /* whether each of these placements has an undisturbed sample */
};

double bl_placed_usual_change(const struct bl_placed samples[], size_t count)
{
    double changes[BL_MAX_SAMPLES];
    for (size_t i = 0; i < count; i++)
        changes[i] = fabs(samples[i].half_change);
    return DISTURBED * BL_MAD_TO_SD * bl_median(changes, count);
}

/* Discards disturbed samples. If all samples of a placement are disturbed, keeps them. */
static void keep_undisturbed(struct view *view, const struct bl_placed samples[], size_t count)
{
    const double limit = bl_placed_usual_change(samples, count);
    unsigned clean = 0, seen = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = 1u << samples[i].placement;
        seen |= bit;
        clean |= fabs(samples[i].half_change) <= limit ? bit : 0;
    }
    view->count = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(samples[i].half_change) <= limit || !(clean >> samples[i].placement & 1))
            view->samples[view->count++] = samples[i];
    view->has_all = clean == seen;
}

static void look_at(struct view *view, const struct bl_placed samples[], size_t count)
{
    keep_undisturbed(view, samples, count);
    view->used = 0;
    for (unsigned placement = 0; placement < BL_MAX_PLACEMENTS; placement++) {
        double values[BL_MAX_SAMPLES];
        size_t n = 0;
        for (size_t i = 0; i < view->count; i++)
            if (view->samples[i].placement == placement)
                values[n++] = log(view->samples[i].value);
        if (n == 0)
            continue;
        const double centre = bl_median(values, n);
        view->centres[view->used++] = centre;
        for (size_t i = 0; i < view->count; i++)
            if (view->samples[i].placement == placement) {
                view->residuals[i] = log(view->samples[i].value) - centre;
                view->is_alone[i] = n == 1;
            }
    }
}

/* The variance and mean of the placements' centres; there must be at least two placements. */
static double variance_of_centres(const struct view *view, double *mean)
{
    double squares = 0;
    *mean = 0;
    for (size_t i = 0; i < view->used; i++)
        *mean += view->centres[i] / (double)view->used;
    for (size_t i = 0; i < view->used; i++)
        squares += pow(view->centres[i] - *mean, 2);
    return squares / (double)(view->used - 1);
}

/* Whether there are too few samples to judge correlation and drift. */
static bool is_short(const struct view *view)
{
    return view->count < 2 * view->used || view->count < 12;
}

/* The correlation between consecutive samples, each relative to the median of its placement; 0
 * unless a positive correlation is certain. If a placement has only two samples, they lie equally
 * far from their median, on opposite sides. This hardly affects the estimate, because only one of
 * these pairs consists of consecutive samples (placement_of in sampler.c). */
static double correlation_of(const struct view *view)
{
    const double *own = view->residuals;
    double products = 0, squares = 0;
    if (is_short(view))
        return 0;
    for (size_t i = 0; i < view->count; i++) {
        squares += own[i] * own[i];
        products += i > 0 ? own[i] * own[i - 1] : 0;
    }
    const double correlation = squares > 0 ? products / squares : 0;
    return correlation > 2 / sqrt((double)view->count) ? fmin(correlation, 0.9) : 0;
}

/* The standard deviation of samples at the same placement. With one sample per placement it is
 * estimated from the samples' halves; with two samples, from the difference of the two; with more,
 * from the median distance of samples from their placement's median. */
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
        if (!view->is_alone[i])
            distances[n++] = fabs(view->residuals[i]);
    if (count < 3 * used) {
        for (size_t i = 0; i < n; i++)
            squares += distances[i] * distances[i];
        return sqrt(squares / (double)(count - used));
    }
    /* With three or more samples, an outlier hardly moves the placement's median, so it must not
     * increase the estimated noise of the median either. */
    return BL_MAD_TO_SD * bl_median(distances, n) * sqrt((double)count / (double)(count - used));
}

struct bl_interval bl_placed_interval(const struct bl_placed samples[], size_t count)
{
    struct view view;
    look_at(&view, samples, count);
    if (view.used < 2) {
        double values[BL_MAX_SAMPLES];
        for (size_t i = 0; i < view.count; i++)
            values[i] = view.samples[i].value;
        return bl_median_interval(values, view.count);
    }
    double mean;
    const double variance = variance_of_centres(&view, &mean);
    /* With a correlation of r, n samples are worth n (1 - r) / (1 + r) independent samples. */
    const double r = correlation_of(&view);
    const double own = bl_student_within_95(view.used - 1) *
                       sqrt(variance / (double)view.used * (1 + r) / (1 - r));
    const double half = hypot(own, BL_WITHIN_95 * BL_BETWEEN_PROCESSES);
    return (struct bl_interval){exp(mean), exp(mean - half), exp(mean + half), true};
}

void bl_placed_medians(const struct bl_placed samples[], size_t count,
                       double medians[BL_MAX_PLACEMENTS])
{
    struct view view;
    look_at(&view, samples, count);
    size_t next = 0;
    for (unsigned placement = 0; placement < BL_MAX_PLACEMENTS; placement++) {
        size_t at = 0;
        while (at < view.count && view.samples[at].placement != placement)
            at++;
        medians[placement] = at < view.count ? exp(view.centres[next++]) : (double)NAN;
    }
}

double bl_placed_noise(const struct bl_placed samples[], size_t count)
{
    struct view view;
    look_at(&view, samples, count);
    if (!view.has_all)
        return INFINITY;
    /* The median of three or more samples varies more than their mean, at most as for many. */
    const double inefficiency =
        view.count >= 3 * view.used ? BL_MEDIAN_TO_MEAN_ERROR * BL_MEDIAN_TO_MEAN_ERROR : 1;
    /* the half-width of the interval, in standard errors */
    const double certain = view.used < 2 ? BL_WITHIN_95 : bl_student_within_95(view.used - 1);
    const double of_centre =
        inefficiency * pow(scatter_of(&view), 2) * (double)view.used / (double)view.count;
    return certain * sqrt(of_centre / (double)view.used);
}

/* Two variances differ clearly if one exceeds the other by this factor: the 95 % quantile of the F
 * distribution with 5 and 6 degrees of freedom, as for six placements. */
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
    return variance_of_centres(&view, &mean) > CLEARLY_MORE * of_halves;
}

/* Splits the placements into two groups at the widest gap between their centres, if the gap is at
 * least min_gap and at least four times as wide as the range of centres on each side. */
static void find_levels(struct view *view, double min_gap, struct bl_placed_findings *findings)
{
    double *sorted = view->centres;
    const size_t used = view->used;
    if (used < 4)
        return;
    bl_sort(sorted, used);
    size_t split = 1;
    for (size_t i = 2; i < used; i++)
        if (sorted[i] - sorted[i - 1] > sorted[split] - sorted[split - 1])
            split = i;
    const double gap = sorted[split] - sorted[split - 1];
    const double inside = fmax(sorted[split - 1] - sorted[0], sorted[used - 1] - sorted[split]);
    if (gap < min_gap || gap < 4 * inside)
        return;
    findings->levels[0] = exp(sorted[split / 2]);
    findings->levels[1] = exp(sorted[split + (used - split) / 2]);
    findings->at_levels[0] = (unsigned)split;
    findings->at_levels[1] = (unsigned)(used - split);
}

/* The drift from the first to the last sample, a fraction, estimated by a least-squares line
 * through the residuals. Returns 0 unless the slope exceeds four standard errors. */
static double drift_of(const struct view *view)
{
    const size_t count = view->count;
    const double middle = (double)(count - 1) / 2;
    double products = 0, times = 0, squares = 0;
    if (is_short(view))
        return 0;
    for (size_t i = 0; i < count; i++) {
        products += ((double)i - middle) * view->residuals[i];
        times += pow((double)i - middle, 2);
    }
    const double slope = products / times;
    for (size_t i = 0; i < count; i++)
        squares += pow(view->residuals[i] - slope * ((double)i - middle), 2);
    const double error = sqrt(squares / (double)(count - view->used - 1) / times);
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
