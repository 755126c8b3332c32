/* How often what judges changes is wrong, simulated with the rows of a reference run: a table in
 * Markdown. scripts/check-statistics builds and runs it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/typical.h"
#include "measure/placements.h"
#include "measure/stats.h"
#include "report/compare.h"
#include "report/csv.h"

enum { MAX_ROWS = 400, MAX_NIGHTS = 100, PLACEMENTS = 6 };
enum { NORMAL, HEAVY, CORRELATED };

static const double STUDENT = 2.571; /* of six placements */
static struct bl_run_rows reference;
static uint64_t state;
static double share = 1; /* of the repetitions */

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A standard deviation of 1. */
static double noise(unsigned kind)
{
    if (kind == NORMAL)
        return normal();
    double squares = 0;
    const double value = normal();
    for (unsigned i = 0; i < 3; i++)
        squares += pow(normal(), 2);
    return value / sqrt(squares);
}

static unsigned times(unsigned all) { return (unsigned)fmax(1, all * share); }

static void take_number(double number, double *middle, double *lo, double *hi, double at,
                        double half)
{
    *middle = number * exp(at);
    *lo = *middle * exp(-half);
    *hi = *middle * exp(half);
}

/* A row as it is measured: six placements, and what no placement shows. */
static void measure(const struct bl_row *truth, double hidden, unsigned kind, struct bl_row *row)
{
    const double half = bl_log_half_width(truth->measured_lo, truth->measured_hi);
    const double sd =
        sqrt(fmax(half * half - pow(BL_WITHIN_95 * BL_BETWEEN_PROCESSES, 2), 1e-8)) / STUDENT;
    double sum = 0, squares = 0;
    for (unsigned p = 0; p < PLACEMENTS; p++) {
        const double at = sd * sqrt(PLACEMENTS) * normal();
        sum += at;
        squares += at * at;
    }
    const double variance = (squares - sum * sum / PLACEMENTS) / (PLACEMENTS - 1);
    const double at = sum / PLACEMENTS + hidden * noise(kind),
                 own = hypot(STUDENT * sqrt(variance / PLACEMENTS),
                             BL_WITHIN_95 * BL_BETWEEN_PROCESSES);
    *row = *truth;
    take_number(truth->measured, &row->measured, &row->measured_lo, &row->measured_hi, at, own);
    take_number(truth->case_ns, &row->case_ns, &row->case_ns_lo, &row->case_ns_hi, -at, own);
}

static void slow_down(struct bl_row *row, double by)
{
    double *const faster[] = {&row->measured, &row->measured_lo, &row->measured_hi},
                  *const slower[] = {&row->case_ns, &row->case_ns_lo, &row->case_ns_hi};
    for (unsigned i = 0; i < 3; i++) {
        *faster[i] *= 1 - by;
        *slower[i] /= 1 - by;
    }
}

/* Takes `count` rows of the reference run, in the order of their keys. */
static void choose(size_t count, struct bl_run_rows *chosen)
{
    size_t left = reference.count, wanted = count;
    chosen->count = 0;
    for (size_t i = 0; i < reference.count && wanted > 0; i++, left--)
        if (uniform() * (double)left < (double)wanted) {
            chosen->rows[chosen->count++] = reference.rows[i];
            wanted--;
        }
}

static struct bl_row row_memory[4][MAX_ROWS];

static bool is_slower(const struct bl_run_rows *before, const struct bl_run_rows *after,
                      size_t slowed, bool *found)
{
    struct bl_comparison comparison = {
        .before = before, .after = after, .comparing = {.threshold = 0.02}};
    if (bl_compare(&comparison, NULL) != BL_OK)
        exit(1);
    const bool any = bl_comparison_bad(&comparison) > 0;
    if (found)
        *found = comparison.rows[slowed].change == BL_CHANGE_SLOWER;
    bl_comparison_free(&comparison);
    return any;
}

static void check_compare(size_t rows, unsigned kind)
{
    static const double spreads[] = {0, 0.001, 0.002, 0.003, 0.005};
    struct bl_run_rows truth = {.rows = row_memory[0]},
                       runs[2] = {{.rows = row_memory[1]}, {.rows = row_memory[2]}};
    printf("| two runs of %zu rows, hidden spread %s |", rows,
           kind == NORMAL ? "normal" : "Student-3");
    char found_text[256] = "";
    for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
        unsigned alarms = 0, found = 0;
        const unsigned of = times(rows > 300 ? 500 : 1000);
        for (unsigned i = 0; i < of; i++) {
            choose(rows, &truth);
            for (unsigned r = 0; r < 2; r++) {
                runs[r].count = rows;
                for (size_t k = 0; k < rows; k++)
                    measure(&truth.rows[k], spreads[s], kind, &runs[r].rows[k]);
            }
            alarms += is_slower(&runs[0], &runs[1], 0, NULL);
            bool is_found;
            size_t slowed = (size_t)(uniform() * (double)rows);
            /* One whose own interval is no wider than most, so that it says what the limit does. */
            while (bl_log_half_width(truth.rows[slowed].measured_lo,
                                     truth.rows[slowed].measured_hi) > 0.008)
                slowed = (size_t)(uniform() * (double)rows);
            slow_down(&runs[1].rows[slowed], 0.05);
            for (int m = 1; getenv("M") && m < atoi(getenv("M")); m++)
                slow_down(&runs[1].rows[(slowed + 7 * (size_t)m) % rows], 0.05);
            is_slower(&runs[0], &runs[1], slowed, &is_found);
            found += is_found;
        }
        printf(" %.1f %% |", 100.0 * alarms / of);
        snprintf(found_text + strlen(found_text), sizeof found_text - strlen(found_text),
                 " %.1f %% |", 100.0 * found / of);
        fflush(stdout);
    }
    printf("\n| 5 %% in one of its rows is found |%s\n", found_text);
}

int main(int count, char **arguments)
{
    const uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    share = count > 3 ? strtod(arguments[3], NULL) : 1;
    struct bl_error error;
    struct bl_run_rows all;
    if (count < 2 || bl_run_read(arguments[1], &all, &error) != BL_OK)
        return 2;
    reference = all;
    reference.count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (bl_row_has_number(&all.rows[i]) && reference.count < MAX_ROWS)
            reference.rows[reference.count++] = all.rows[i];
    state = seed * 2862933555777941757u + 3037000493u;
    printf("seed %llu\n\n| hidden spread between runs | 0 | 0.1 %% | 0.2 %% | 0.3 %% | 0.5 %% |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: |\n",
           (unsigned long long)seed);
    static const size_t sizes[] = {369, 88, 16};
    for (size_t i = 0; i < 3; i++)
        for (unsigned kind = NORMAL; kind <= HEAVY; kind++)
            check_compare(sizes[i] < reference.count ? sizes[i] : reference.count, kind);
    bl_run_free(&all);
    return 0;
}
