/* Fits distributions to the differences of many rows: Student's distributions, or those of the
 * difference of two such values, with several tails and widths, each weighted by its likelihood. A
 * single normal distribution would raise false alarms, because the limits lie in the tail, where
 * measurements are not normal. Differences beyond the limit count as real changes: they are left
 * out, and the rest is fitted again. */
#include "measure/spread.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

/* A row's interval is computed with Student's t over six placements (placements.h), which gives
 * five degrees of freedom. A difference of two rows has ten. */
static const double OWN_FREEDOM = 10;

/* How much wider a row's interval is than with a normal distribution. */
static double own_wider(void) { return bl_student_within_95(5) / BL_WITHIN_95; }

/* Degrees of freedom of an error that combines the row's own spread over runs with that of all rows
 * (history/typical.c). */
static const double SPREAD_FREEDOM = 30;

/* Half of the values of a normal distribution lie within this many standard deviations of the
 * mean. */
static const double HALF_WITHIN = 1 / BL_MAD_TO_SD;

/* The degrees of freedom that are tried. The first ones are odd, so that a difference of two values
 * has a density in closed form. With the last, the distribution is practically normal. */
static const double FREEDOMS[] = {3, 5, 7, 11, 1e4};
/* The prior weights of these distributions. Tails in between weigh least: noise like that looks
 * like heavy tails, which are safe to assume. Limits aim at a fraction of the target rate
 * (aim_of_hidden), so that heavy tails may weigh less than normal ones: a limit for normal noise
 * depends on the weight of heavy tails divided by the aim, but a limit for noise that shows heavy
 * tails depends on the aim alone. In simulations, other weights and aims raised more false alarms
 * or found fewer changes. */
static const double WEIGHTS[] = {0.4, 0.1, 0.1, 0.1, 1};

enum { TAILS = sizeof FREEDOMS / sizeof FREEDOMS[0], SCALES = 31, MIDDLE_SCALE = 15 };

/* The distribution of the difference of two independent values, each with Student's distribution
 * with an odd number n of degrees of freedom. Its characteristic function is the square of
 * exp(-a |t|) times a polynomial of a |t|, where a = sqrt(n), so its density and its tails are
 * rational functions, except for an arc tangent. */
enum { MOST_TERMS = 11 };

struct two_values {
    double terms[MOST_TERMS]; /* coefficients of the square of the polynomial */
    unsigned count;           /* number of terms; 0: the values are normal */
    double a, freedom;
};

static struct two_values two_values_of(double freedom)
{
    struct two_values of = {.a = sqrt(freedom), .freedom = freedom};
    if (freedom > FREEDOMS[TAILS - 2])
        return of;
    const unsigned m = ((unsigned)freedom - 1) / 2;
    double terms[MOST_TERMS];
    for (unsigned k = 0; k <= m; k++)
        terms[k] = exp(lgamma(2 * m - k + 1) + lgamma(m + 1) - lgamma(2 * m + 1) -
                       lgamma(m - k + 1) - lgamma(k + 1) + k * log(2));
    of.count = 2 * m + 1;
    for (unsigned i = 0; i <= m; i++)
        for (unsigned k = 0; k <= m; k++)
            of.terms[i + k] += terms[i] * terms[k];
    return of;
}

/* Beyond this value, where the closed form loses digits, a difference is large because one of the
 * two values is. */
static const double FAR = 60;

/* The sum over k, from 0 (density) or 1 (tails), of terms[k] times factor_k times the real part
 * (density) or minus the imaginary part (tails) of 1 / (2 a - i x)^(k + 1) or ^k. The factors are
 * k! a^k or (k - 1)! a^k. */
static double sum_of_terms(const struct two_values *of, double x, bool is_density)
{
    const double square = 4 * of->a * of->a + x * x, real = 2 * of->a / square, imag = x / square;
    double power[2] = {real, imag}, factor = is_density ? 1 : of->a, sum = 0;
    for (unsigned k = is_density ? 0 : 1; k < of->count; k++) {
        sum += of->terms[k] * factor * (is_density ? power[0] : -power[1]);
        factor *= (is_density ? k + 1 : k) * of->a;
        const double next = power[0] * real - power[1] * imag;
        power[1] = power[0] * imag + power[1] * real;
        power[0] = next;
    }
    return sum;
}

static double two_values_log_density(const struct two_values *of, double x)
{
    if (of->count == 0)
        return -x * x / 4 - log(4 * M_PI) / 2;
    if (x > FAR)
        return log(2) + bl_student_log_density(x, of->freedom);
    return log(sum_of_terms(of, x, true) / M_PI);
}

/* The logarithm of P(|difference| > x). */
static double two_values_log_tails(const struct two_values *of, double x)
{
    if (of->count == 0)
        return bl_student_log_tails(x / M_SQRT2, of->freedom);
    if (x > FAR)
        return log(2) + bl_student_log_tails(x, of->freedom);
    return log(2 * (atan2(2 * of->a, x) + sum_of_terms(of, x, false)) / M_PI);
}

/* A mixture of distributions of noise: the weight and the scale of each. */
struct predictive {
    bool are_of_two; /* whether the noise is that of differences of two values */
    struct two_values two[TAILS];
    double weight[TAILS][SCALES], scale[TAILS][SCALES];
};

/* The sum of the logarithms of the density at these distances, divided by the scale. */
static double log_density_of_all(const struct predictive *predictive, size_t t,
                                 const double distances[], size_t n, double scale)
{
    const double freedom = FREEDOMS[t], constant = bl_student_log_density(0, freedom);
    double sum = predictive->are_of_two ? 0 : (double)n * constant;
    for (size_t i = 0; i < n; i++) {
        const double x = distances[i] / scale;
        sum += predictive->are_of_two ? two_values_log_density(&predictive->two[t], x)
                                      : -(freedom + 1) / 2 * log1p(x * x / freedom);
    }
    return sum - (double)n * log(scale);
}

static double log_tails(const struct predictive *predictive, size_t t, double x)
{
    return predictive->are_of_two ? two_values_log_tails(&predictive->two[t], x)
                                  : bl_student_log_tails(x, FREEDOMS[t]);
}

/* The value that |x| exceeds with this probability. */
static double quantile_of_tails(const struct predictive *predictive, size_t t, double probability)
{
    double low = 0, high = 100;
    while (high - low > 1e-6) {
        const double middle = (low + high) / 2;
        if (log_tails(predictive, t, middle) > log(probability))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Finds the hidden standard deviation (spread.h) by bisection, so that half of the distances lie
 * within HALF_WITHIN times their total standard deviation. 0 if the errors alone explain the
 * distances. */
static double hidden_of(const double distances[], const double errors[], size_t n, double scratch[])
{
    double low = 0, high = 0, largest_error = 0;
    for (size_t i = 0; i < n; i++)
        largest_error = fmax(largest_error, errors[i]);
    for (unsigned step = 0; step < (largest_error > 0 ? 60 : 1); step++) {
        const double hidden = step == 0 ? 0 : (low + high) / 2;
        for (size_t i = 0; i < n; i++) {
            const double sd = hypot(errors[i], hidden);
            scratch[i] = distances[i] > 0 ? distances[i] / fmax(sd, 1e-300) : 0;
        }
        const bool is_too_small = bl_median(scratch, n) > HALF_WITHIN;
        if (step == 0 && !is_too_small)
            return 0;
        if (step == 0) {
            memcpy(scratch, distances, n * sizeof *scratch);
            high = bl_median(scratch, n) / HALF_WITHIN;
        } else if (is_too_small) {
            low = hidden;
        } else {
            high = hidden;
        }
    }
    return high;
}

/* Computes the weight of each distribution: its prior weight times the likelihood of n sorted
 * distances, which are in standard deviations. */
static void weigh(const double sorted[], size_t n, struct predictive *predictive)
{
    static const double step = 0.08;
    const size_t body = n - 1;
    const double known = body > 0 ? sorted[body - 1] : sorted[0];
    const double middle = fmax(sorted[n / 2], 1e-12) / HALF_WITHIN;
    double best = -INFINITY, sum = 0;
    for (size_t t = 0; t < TAILS; t++) {
        predictive->two[t] = two_values_of(FREEDOMS[t]);
        const double widened = 1 / quantile_of_tails(predictive, t, 0.3173);
        for (size_t s = 0; s < SCALES; s++) {
            const double scale = middle * widened * exp(step * ((double)s - MIDDLE_SCALE));
            const double log_likelihood = log(WEIGHTS[t]) +
                                          log_density_of_all(predictive, t, sorted, body, scale) +
                                          log_tails(predictive, t, known / scale);
            predictive->scale[t][s] = scale;
            predictive->weight[t][s] = log_likelihood;
            best = fmax(best, log_likelihood);
        }
    }
    for (size_t i = 0; i < (size_t)TAILS * SCALES; i++) {
        double *weight = &predictive->weight[i / SCALES][i % SCALES];
        *weight = exp(*weight - best);
        sum += *weight;
    }
    for (size_t i = 0; i < (size_t)TAILS * SCALES; i++)
        predictive->weight[i / SCALES][i % SCALES] /= sum;
}

static double beyond(const struct predictive *predictive, double limit)
{
    double probability = 0;
    for (size_t t = 0; t < TAILS; t++)
        for (size_t s = 0; s < SCALES; s++)
            if (predictive->weight[t][s] > 1e-12)
                probability += predictive->weight[t][s] *
                               exp(log_tails(predictive, t, limit / predictive->scale[t][s]));
    return probability;
}

static double quantile_of(const struct predictive *predictive, double probability)
{
    double low = log(1e-3), high = log(1e6);
    while (high - low > 1e-4) {
        const double middle = (low + high) / 2;
        if (beyond(predictive, exp(middle)) > probability)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

struct learning {
    const struct bl_spread_question *question;
    size_t *kept, count; /* indices of the differences that do not count as real changes */
    double *distances, *errors, *scratch, *hidden;
    struct predictive *predictive;
};

/* Collects the indices of a group's kept differences, or of all kept differences if `group` is
 * SIZE_MAX. */
static size_t gather(struct learning *learning, size_t group, size_t members[])
{
    const size_t *groups = learning->question->groups;
    size_t n = 0;
    for (size_t i = 0; i < learning->count; i++)
        if (group == SIZE_MAX || groups[learning->kept[i]] == group)
            members[n++] = learning->kept[i];
    return n;
}

/* Computes the distances of these differences from their median. Returns the differences' hidden
 * standard deviation. */
static double hidden_of_members(struct learning *learning, const size_t members[], size_t n)
{
    const struct bl_spread_question *question = learning->question;
    for (size_t i = 0; i < n; i++)
        learning->scratch[i] = question->differences[members[i]];
    const double centre = bl_median(learning->scratch, n);
    for (size_t i = 0; i < n; i++) {
        learning->distances[members[i]] = fabs(question->differences[members[i]] - centre);
        learning->scratch[i] = learning->distances[members[i]];
        learning->errors[i] = question->errors[members[i]] / own_wider();
    }
    double *const distances = learning->scratch, *const work = learning->scratch + question->n;
    return hidden_of(distances, learning->errors, n, work);
}

static void learn_hidden(struct learning *learning, size_t members[], struct bl_spread *spread)
{
    const size_t n = learning->question->n;
    spread->hidden = hidden_of_members(learning, members, gather(learning, SIZE_MAX, members));
    for (size_t i = 0; i < n; i++)
        learning->hidden[i] = spread->hidden;
    for (size_t group = 0; learning->question->groups && group < n; group++) {
        const size_t count = gather(learning, group, members);
        if (count < BL_SPREAD_GROUP)
            continue;
        const double own = hidden_of_members(learning, members, count),
                     error = bl_median(learning->errors, count);
        /* Clearly larger means larger by two standard errors. 0.37: the median absolute deviation
         * of n values is as precise an estimate as the mean square of 0.37 n values. */
        const double clearly_more = 1 + 2 / sqrt(2 * 0.37 * (double)count);
        const bool is_more = hypot(own, error) > clearly_more * hypot(spread->hidden, error);
        for (size_t i = 0; i < n && is_more; i++)
            if (learning->question->groups[i] == group)
                learning->hidden[i] = own;
    }
}

/* Leaves out the differences beyond their limits. Returns whether any difference was left out. */
static bool leave_out(struct learning *learning, const struct bl_spread *spread)
{
    size_t kept = 0;
    for (size_t i = 0; i < learning->count; i++) {
        const size_t member = learning->kept[i];
        if (learning->distances[member] <=
            bl_spread_limit(spread, learning->question->errors[member], learning->hidden[member]))
            learning->kept[kept++] = member;
    }
    const bool is_any = kept < learning->count;
    learning->count = kept;
    return is_any;
}

/* The number of sorted distances before the first wide gap among the largest tenth. Rows that
 * really changed together lie beyond such a gap, and would look like a heavy tail. Chance seldom
 * produces such a gap: even with the tails of Student's t with 3 degrees of freedom, only about 1
 * in 100 sets have so wide a gap below the fifth largest value. */
static size_t before_gap(const double sorted[], size_t n)
{
    static const double gap = 1.5;
    enum { ENOUGH = 60 }; /* values needed to recognize a gap */
    for (size_t i = n < ENOUGH ? n : n - n / 10; i < n; i++)
        if (sorted[i] > gap * sorted[i - 1])
            return i;
    return n;
}

static void learn(struct learning *learning, size_t members[], double each,
                  struct bl_spread *spread)
{
    enum { ROUNDS = 4 };
    static const double most = 1e6; /* for rows without an error of their own */
    for (unsigned round = 0; round < ROUNDS && learning->count >= BL_SPREAD_MEMBERS; round++) {
        bool is_any_hidden = false;
        learn_hidden(learning, members, spread);
        for (size_t i = 0; i < learning->count; i++) {
            const size_t member = learning->kept[i];
            const double error = learning->question->errors[member] / own_wider();
            is_any_hidden |= learning->hidden[member] > 0;
            learning->scratch[i] =
                fmin(most, learning->distances[member] /
                               fmax(hypot(error, learning->hidden[member]), 1e-300));
        }
        bl_sort(learning->scratch, learning->count);
        spread->reach = 0;
        if (is_any_hidden) {
            weigh(learning->scratch, before_gap(learning->scratch, learning->count),
                  learning->predictive);
            spread->reach = quantile_of(learning->predictive, each);
        }
        if (!leave_out(learning, spread))
            break;
    }
}

/* The probability that a single difference exceeds its limit in either direction, if the limits of
 * all tests together aim at the fraction `aim` of the target rate of false alarms. The factor 2
 * accounts for two-sided limits. */
static double chance_of_each(double aim, size_t tests, double chance)
{
    return 2 * aim * chance / (double)(tests > 0 ? tests : 1);
}

/* Limits are estimates themselves, so they aim at a part of the target rate; simulations showed
 * which part is needed. For the rows' own errors that is half. For the hidden spread it is a
 * quarter, because its tails are estimated, too; but limits learnt from some dozens of differences
 * are wide, so they may aim at half. */
static const double AIM_OF_OWN = 0.5;

static double aim_of_hidden(size_t n, size_t tests)
{
    enum { FEW = 12, FEW_TESTS = 60 };
    return n >= FEW && tests < FEW_TESTS ? 0.5 : 0.25;
}

/* The lower bound of all limits. It matters only where differences are too few to show their tails;
 * among more than MOST differences, a bound for all of them would hide changes. */
static double least_of(double stated, size_t tests, double chance)
{
    enum { MOST = 120 };
    static const double freedom = 3, aim = 0.25;
    const double each = chance_of_each(aim, tests < MOST ? tests : MOST, chance);
    return stated * bl_student_quantile(each, freedom) / sqrt(freedom);
}

bool bl_spread_learn(const struct bl_spread_question *question, struct bl_spread *spread,
                     double hidden[])
{
    const size_t n = question->n, tests = question->tests;
    const double each = chance_of_each(AIM_OF_OWN, tests, question->chance);
    *spread = (struct bl_spread){
        .own = question->are_spreads ? bl_student_quantile(each, SPREAD_FREEDOM)
                                     : bl_student_quantile(each, OWN_FREEDOM) / own_wider(),
        .least = least_of(question->stated, tests, question->chance),
    };
    for (size_t i = 0; i < n; i++)
        hidden[i] = 0;
    if (n < BL_SPREAD_MEMBERS)
        return true;
    double *numbers = calloc(n, 4 * sizeof *numbers);
    size_t *members = calloc(n, 2 * sizeof *members);
    struct learning learning = {.question = question,
                                .kept = members,
                                .count = n,
                                .distances = numbers,
                                .hidden = hidden,
                                .predictive = calloc(1, sizeof *learning.predictive)};
    const bool has_memory = numbers && members && learning.predictive;
    if (has_memory) {
        learning.errors = numbers + n;
        learning.scratch = numbers + 2 * n;
        learning.predictive->are_of_two = question->are_of_two;
        for (size_t i = 0; i < n; i++)
            members[i] = i;
        learn(&learning, members + n,
              chance_of_each(aim_of_hidden(n, tests), tests, question->chance), spread);
    }
    free(numbers);
    free(members);
    free(learning.predictive);
    return has_memory;
}

double bl_spread_error_of_pairs(double error, size_t pairs, size_t tests, double chance)
{
    const double each = chance_of_each(AIM_OF_OWN, tests, chance);
    return error * own_wider() * bl_student_quantile(each, (double)pairs - 1) /
           bl_student_quantile(each, OWN_FREEDOM);
}

double bl_spread_limit(const struct bl_spread *spread, double error, double hidden)
{
    /* Squares would be right if both parts were normal. But the tails of at least one part are
     * heavy, and a sum lies far out mostly because this part does. */
    return fmax(spread->least, cbrt(pow(spread->own * error, 3) + pow(spread->reach * hidden, 3)));
}
