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

/* 95 % of a normal distribution lie within so many standard deviations; and what scales its median
 * absolute deviation to the standard deviation. */
static const double WITHIN_95 = 1.96, MAD_TO_SD = 1.4826;

/* The half-width of the spread that 95 % of the values keep to, in logarithms. */
static double spread_of(const double values[], size_t count, double median)
{
    double distances[BL_MAX_TYPICAL_POINTS];
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(log(values[i]) - log(median));
    return WITHIN_95 * MAD_TO_SD * median_of_known(distances, count);
}

static double half_width(double lo, double hi) { return (log(hi) - log(lo)) / 2; }

/* A quantity that has an interval, of several points. */
struct quantity {
    double values[BL_MAX_TYPICAL_POINTS], halves[BL_MAX_TYPICAL_POINTS];
};

static void conclude(const struct quantity *quantity, size_t count, double floor_sd, double *median,
                     double *lo, double *hi)
{
    *median = median_of_known(quantity->values, count);
    const double own = median_of_known(quantity->halves, count);
    double half = fmax(spread_of(quantity->values, count, *median), own);
    if (count < BL_FULL_HISTORY) /* another run differs from a median that has an error itself */
        half = fmax(half, WITHIN_95 * floor_sd * sqrt(1 + 1 / (double)count));
    *lo = *median * exp(-half);
    *hi = *median * exp(half);
}

bool bl_run_step(const struct bl_row points[], size_t count, const struct bl_row *next,
                 double *step)
{
    size_t last = count;
    while (last > 0 && !bl_row_has_number(&points[last - 1]))
        last--;
    if (last == 0 || !next || !bl_row_has_number(next) ||
        strcmp(points[last - 1].kernels, next->kernels) != 0)
        return false;
    *step = log(next->measured) - log(points[last - 1].measured);
    return true;
}

size_t bl_run_differences(const struct bl_row points[], size_t count, double differences[])
{
    size_t n = 0;
    for (size_t i = 1; i < count; i++)
        if (bl_run_step(points, i, &points[i], &differences[n])) {
            differences[n] = fabs(differences[n]);
            n++;
        }
    return n;
}

void bl_steps_to_differences(double steps[], size_t count)
{
    if (count == 0)
        return;
    const double common = bl_median(steps, count);
    for (size_t i = 0; i < count; i++)
        steps[i] = fabs(steps[i] - common);
}

struct bl_spread_floor bl_spread_floor_of(double differences[], size_t count)
{
    static const double stated_sd = 0.005;
    if (count < BL_MIN_SAMPLES)
        return (struct bl_spread_floor){.sd = stated_sd};
    /* A difference of two runs has the spread of both. */
    return (struct bl_spread_floor){MAD_TO_SD * bl_median(differences, count) / sqrt(2), count};
}

struct bl_row bl_typical_row(const struct bl_row points[], size_t count, double floor_sd,
                             size_t *runs)
{
    struct quantity ratio, own, baseline;
    double clocks[BL_MAX_TYPICAL_POINTS], times[BL_MAX_TYPICAL_POINTS];
    struct bl_row row = bl_row_empty();
    const struct bl_row *last = &points[count - 1];
    row.key = last->key;
    size_t n = 0;
    for (size_t i = count; i-- > 0 && n < BL_MAX_TYPICAL_POINTS;) {
        const struct bl_row *point = &points[i];
        if (!bl_row_has_number(point))
            continue;
        if (n == 0) {
            memcpy(row.suite, point->suite, sizeof row.suite);
            memcpy(row.kernels, point->kernels, sizeof row.kernels);
        } else if (strcmp(point->kernels, row.kernels) != 0) {
            break; /* not comparable, nor is what came before */
        }
        ratio.values[n] = point->measured;
        ratio.halves[n] = half_width(point->measured_lo, point->measured_hi);
        own.values[n] = point->case_ns;
        own.halves[n] = half_width(point->case_ns_lo, point->case_ns_hi);
        baseline.values[n] = point->baseline_ns;
        baseline.halves[n] = half_width(point->baseline_ns_lo, point->baseline_ns_hi);
        clocks[n] = point->bytes_per_clock_cu;
        times[n++] = point->ns_per_request;
    }
    *runs = n;
    if (n == 0) {
        row.status = last->status;
        memcpy(row.reason, last->reason, sizeof row.reason);
        return row;
    }
    conclude(&ratio, n, floor_sd, &row.measured, &row.measured_lo, &row.measured_hi);
    conclude(&own, n, floor_sd, &row.case_ns, &row.case_ns_lo, &row.case_ns_hi);
    conclude(&baseline, n, floor_sd, &row.baseline_ns, &row.baseline_ns_lo, &row.baseline_ns_hi);
    row.bytes_per_clock_cu = median_of_known(clocks, n);
    row.ns_per_request = median_of_known(times, n);
    return row;
}
