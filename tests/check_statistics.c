/* Counts the false alarms of `compare` and `history`, and the changes that they find. Simulates
 * runs from the rows of a reference run, and prints tables in Markdown. scripts/check-statistics
 * builds and runs this program. */
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
#include "simulated_fleet.h"

enum { MAX_ROWS = 400, MAX_NIGHTS = 100, PLACEMENTS = 6 };
enum {
    NORMAL,
    HEAVY
}; /* kinds of noise: normal, or Student's t with 3 degrees of freedom, whose
      tails are heavy */

static struct bl_run_rows reference;
static uint64_t state;
static double share = 1; /* factor for all numbers of repetitions */

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A random number of this kind, with a standard deviation of 1. */
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

static struct bl_error error;

static void need(bool is_done)
{
    if (is_done)
        return;
    fprintf(stderr, "check_statistics: %s\n",
            *error.sentence ? error.sentence : "out of memory, or cannot create a file");
    exit(1);
}

static unsigned times(unsigned all) { return (unsigned)fmax(1, all * share); }

/* Sets a value and its interval. `at` and `half` are logarithms: the value is number * exp(at), and
 * the interval extends by a factor exp(half) in both directions. */
static void take_number(double number, double *middle, double *lo, double *hi, double at,
                        double half)
{
    *middle = number * exp(at);
    *lo = *middle * exp(-half);
    *hi = *middle * exp(half);
}

/* The part of a row's standard error (as a logarithm) that comes from the differences between its
 * placements. */
static double own_error(const struct bl_row *truth)
{
    const double half = bl_log_half_width(truth->measured_lo, truth->measured_hi);
    return sqrt(fmax(half * half - pow(BL_WITHIN_95 * BL_BETWEEN_PROCESSES, 2), 1e-8)) /
           bl_student_within_95(PLACEMENTS - 1);
}

/* Simulates a measurement of a row. The six placements differ as in the reference run. In addition,
 * the row deviates by noise with the standard deviation `hidden`, which all placements share, so
 * that their differences do not show it. */
static void measure(const struct bl_row *truth, double hidden, unsigned kind, struct bl_row *row)
{
    const double sd = own_error(truth);
    double sum = 0, squares = 0, ratios[PLACEMENTS];
    for (unsigned p = 0; p < PLACEMENTS; p++) {
        ratios[p] = sd * sqrt(PLACEMENTS) * normal();
        sum += ratios[p];
        squares += ratios[p] * ratios[p];
    }
    const double variance = (squares - sum * sum / PLACEMENTS) / (PLACEMENTS - 1);
    const double shared = hidden * noise(kind), at = sum / PLACEMENTS + shared,
                 own = hypot(bl_student_within_95(PLACEMENTS - 1) * sqrt(variance / PLACEMENTS),
                             BL_WITHIN_95 * BL_BETWEEN_PROCESSES);
    *row = *truth;
    take_number(truth->measured, &row->measured, &row->measured_lo, &row->measured_hi, at, own);
    take_number(truth->case_ns, &row->case_ns, &row->case_ns_lo, &row->case_ns_hi, -at, own);
    for (unsigned p = 0; p < PLACEMENTS; p++)
        ratios[p] = truth->measured * exp(ratios[p] + shared);
    bl_row_set_placement_ratios(row, ratios, PLACEMENTS);
}

/* Reduces the row's throughput by the fraction `by`. */
static void slow_down(struct bl_row *row, double by)
{
    double *const faster[] = {&row->measured, &row->measured_lo, &row->measured_hi},
                  *const slower[] = {&row->case_ns, &row->case_ns_lo, &row->case_ns_hi};
    double ratios[PLACEMENTS];
    for (unsigned i = 0; i < 3; i++) {
        *faster[i] *= 1 - by;
        *slower[i] /= 1 - by;
    }
    bl_row_placement_ratios(row, ratios, PLACEMENTS);
    for (unsigned p = 0; p < PLACEMENTS; p++)
        ratios[p] *= 1 - by;
    bl_row_set_placement_ratios(row, ratios, PLACEMENTS);
}

/* Draws `count` random rows of the reference run. The rows stay in order. */
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

/* Whether `compare` reports any row of the two runs as changed for the worse. *found receives
 * whether it reports the row numbered `slowed` as slower; found may be NULL. */
static bool is_slower(const struct bl_run_rows *before, const struct bl_run_rows *after,
                      size_t slowed, bool *found)
{
    struct bl_comparison comparison = {
        .before = before, .after = after, .comparing = {.threshold = 0.02}};
    need(bl_compare(&comparison, &error) == BL_OK);
    const bool any = bl_comparison_bad(&comparison) > 0;
    if (found)
        *found = comparison.rows[slowed].change == BL_CHANGE_SLOWER;
    bl_comparison_free(&comparison);
    return any;
}

/* Chooses a random row whose interval has a half-width of at most 0.8 %. In such a row, a change of
 * 5 % is missed only if the limit for the whole comparison is too high. */
static size_t narrow_row(const struct bl_run_rows *run)
{
    size_t row;
    do
        row = (size_t)(uniform() * (double)run->count);
    while (bl_log_half_width(run->rows[row].measured_lo, run->rows[row].measured_hi) > 0.008);
    return row;
}

/* Returns the percentage of comparisons in which a change of 5 % would be found if the kind of
 * noise and each row's standard deviation were known. The limit is then the number of standard
 * deviations that only 1 of 100 comparisons of unchanged runs exceeds. Restores the state of the
 * random numbers, so that the rest of the table does not depend on this function. */
static double found_if_known(size_t rows, double hidden, unsigned kind)
{
    enum { REPETITIONS = 2000 };
    static double largest[REPETITIONS], changed[REPETITIONS];
    struct bl_run_rows truth = {.rows = row_memory[0]};
    const uint64_t kept = state;
    const unsigned of = times(REPETITIONS);
    unsigned found = 0;
    for (unsigned i = 0; i < of; i++) {
        choose(rows, &truth);
        largest[i] = 0;
        const size_t slowed = narrow_row(&truth);
        for (size_t k = 0; k < rows; k++) {
            const double own = own_error(&truth.rows[k]), sd = M_SQRT2 * hypot(own, hidden);
            const double by = hidden * (noise(kind) - noise(kind)) + own * (normal() - normal());
            largest[i] = fmax(largest[i], -by / sd);
            if (k == slowed)
                changed[i] = -(by + log1p(-0.05)) / sd;
        }
    }
    bl_sort(largest, of);
    for (unsigned i = 0; i < of; i++)
        found += changed[i] > largest[(size_t)(0.99 * of)];
    state = kept;
    return 100.0 * found / of;
}

static void check_compare(size_t rows, unsigned kind)
{
    static const double spreads[] = {0, 0.001, 0.002, 0.003, 0.005};
    struct bl_run_rows truth = {.rows = row_memory[0]},
                       runs[2] = {{.rows = row_memory[1]}, {.rows = row_memory[2]}};
    printf("| two runs of %zu rows, hidden spread %s |", rows,
           kind == NORMAL ? "normal" : "Student-3");
    char found_text[256] = "", known_text[256] = "";
    for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
        unsigned alarms = 0, found = 0;
        const unsigned of = times(rows > 300 ? 400 : 800);
        for (unsigned i = 0; i < of; i++) {
            choose(rows, &truth);
            for (unsigned r = 0; r < 2; r++) {
                runs[r].count = rows;
                for (size_t k = 0; k < rows; k++)
                    measure(&truth.rows[k], spreads[s], kind, &runs[r].rows[k]);
            }
            alarms += is_slower(&runs[0], &runs[1], 0, NULL);
            bool is_found;
            const size_t slowed = narrow_row(&truth);
            slow_down(&runs[1].rows[slowed], 0.05);
            is_slower(&runs[0], &runs[1], slowed, &is_found);
            found += is_found;
        }
        printf(" %.1f %% |", 100.0 * alarms / of);
        snprintf(found_text + strlen(found_text), sizeof found_text - strlen(found_text),
                 " %.1f %% |", 100.0 * found / of);
        snprintf(known_text + strlen(known_text), sizeof known_text - strlen(known_text),
                 " %.1f %% |", found_if_known(rows, spreads[s], kind));
        fflush(stdout);
    }
    printf("\n| 5 %% in one of its rows is found |%s\n", found_text);
    printf("| the same, if the noise is known exactly |%s\n", known_text);
}

/* The next functions simulate nights in which all rows are measured twice. scripts/nightly measures
 * all rows a second time if one is slower, and reports only rows that are slower both times. */

/* Writes a run's rows to a CSV, as if they were measured in this night. */
static void write_night(const char *path, unsigned night, const struct bl_row rows[], size_t count)
{
    struct bl_run_info info = reference.info;
    info.schema =
        BL_CSV_SCHEMA; /* the columns are the present ones, whatever the reference run has */
    snprintf(info.run_id, sizeof info.run_id, "night-%u", night);
    snprintf(info.time_utc, sizeof info.time_utc, "2026-%02u-%02uT02:00:00Z", 1 + night / 28,
             1 + night % 28);
    FILE *file = fopen(path, "w");
    need(file);
    bl_csv_header(file);
    for (size_t i = 0; i < count; i++)
        bl_csv_row(file, &info, &rows[i]);
    fclose(file);
}

static void measure_all(double hidden, unsigned kind, struct bl_run_rows *run)
{
    run->count = reference.count;
    for (size_t i = 0; i < reference.count; i++)
        measure(&reference.rows[i], hidden, kind, &run->rows[i]);
}

/* Compares a run with the history. half: 1 for the first measurement of a night, 2 for the second;
 * each uses a different half of the past runs. slower[i] receives whether row i is slower. */
static void find_slower(struct bl_history *history, const struct bl_run_rows *now, unsigned half,
                        bool slower[])
{
    const struct bl_typical_settings settings = {10, 0.02, half};
    struct bl_run_rows typical;
    struct bl_history_basis basis;
    struct bl_comparison comparison = {
        .before = &typical, .after = now, .comparing = {.threshold = 0.02, .knows_spread = true}};
    need(bl_history_typical(history, now, &settings, &typical, &basis, &error) == BL_OK &&
         bl_compare(&comparison, &error) == BL_OK);
    for (size_t i = 0; i < comparison.count; i++)
        slower[i] = comparison.rows[i].change == BL_CHANGE_SLOWER;
    bl_comparison_free(&comparison);
    bl_run_free(&typical);
}

/* Simulates nights that follow a history of `nights` nights. Counts the nights with a false alarm
 * after the first and after the second measurement, and the nights in which both measurements find
 * a row that is 5 % slower. */
static void check_nights(unsigned nights, double hidden, unsigned kind)
{
    char folder[] = "/tmp/bankline-statistics-XXXXXX", csv[64], database[64], more[80];
    static bool slower[2][MAX_ROWS];
    struct bl_run_rows now = {.rows = row_memory[1], .info = reference.info};
    unsigned first = 0, red = 0, found = 0, of = 0;
    need(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/night.csv", folder);
    snprintf(database, sizeof database, "%s/history.db", folder);
    for (unsigned h = 0; h < times(5); h++) {
        struct bl_history *history;
        need(bl_history_open(database, BL_HISTORY_ADD, &history, &error) == BL_OK);
        for (unsigned night = 0; night < nights; night++) {
            struct bl_history_added added;
            measure_all(hidden, kind, &now);
            write_night(csv, night, now.rows, now.count);
            need(bl_history_add(history, csv, &added, &error) == BL_OK);
        }
        snprintf(now.info.run_id, sizeof now.info.run_id, "now");
        snprintf(now.info.time_utc, sizeof now.info.time_utc, "2026-12-24T02:00:00Z");
        for (unsigned i = 0; i < 20; i++, of++) {
            bool any[2] = {false, false}, is_found = true;
            const size_t slowed =
                (size_t)(uniform() * 100); /* the first rows all have narrow intervals */
            for (unsigned again = 0; again < 2; again++) {
                measure_all(hidden, kind, &now);
                slow_down(&now.rows[slowed], 0.05);
                find_slower(history, &now, again + 1, slower[again]);
                is_found &= slower[again][slowed];
                slower[again][slowed] = false;
            }
            for (size_t r = 0; r < now.count; r++) {
                any[0] |= slower[0][r];
                any[1] |= slower[0][r] && slower[1][r];
            }
            first += any[0];
            red += any[1];
            found += is_found;
        }
        bl_history_close(history);
        static const char *const suffixes[] = {"", "-wal", "-shm"};
        for (unsigned i = 0; i < 3; i++) {
            snprintf(more, sizeof more, "%s%s", database, suffixes[i]);
            unlink(more);
        }
    }
    unlink(csv);
    rmdir(folder);
    printf("| %u nights, %s | %.1f %% | %.1f %% | %.1f %% | %.0f %% |\n", nights,
           kind == NORMAL ? "normal" : "Student-3", 100 * hidden, 100.0 * first / of,
           100.0 * red / of, 100.0 * found / of);
    fflush(stdout);
}

/* The next functions count how often `history since` is right about a simulated row. */

/* What `history since` finds in a row of this many nights. Noise has the standard deviation
 * `spread` (a fraction) and the correlation `correlation` between a night and the next. From night
 * `step` on, the ratio differs by the fraction `by`, and by `drift` more each night. */
static struct bl_since since_of(double spread, double correlation, double by, double drift,
                                size_t step, size_t nights)
{
    struct bl_row points[MAX_NIGHTS];
    double last = normal();
    for (size_t i = 0; i < nights; i++) {
        last = correlation * last + sqrt(1 - correlation * correlation) * normal();
        const double level = i >= step ? by + drift * (double)(i - step) : 0;
        points[i] = reference.rows[0];
        take_number(1, &points[i].measured, &points[i].measured_lo, &points[i].measured_hi,
                    log1p(level) + spread * last, 0.003);
    }
    return bl_since_of(points, nights, 0.02, 1);
}

static void check_since(void)
{
    enum { NIGHTS = 60 };
    const unsigned of = times(2000);
    printf("\n| `history since`, 60 nights | spread 0.25 %% | 0.5 %% | 0.75 %% | 1 %% |\n"
           "| --- | ---: | ---: | ---: | ---: |\n");
    static const char *const kinds[] = {
        "unchanged: a change point or drift is found", "the same, autocorrelated (0.6)",
        "5 % slower: the right night is found", "5 % slower over 50 nights: a drift is found"};
    for (unsigned kind = 0; kind < 4; kind++) {
        printf("| %s |", kinds[kind]);
        for (unsigned s = 1; s <= 4; s++) {
            unsigned count = 0;
            for (unsigned i = 0; i < of; i++) {
                const size_t step = kind == 3   ? 10
                                    : kind == 2 ? 10 + (size_t)(uniform() * 50)
                                                : NIGHTS;
                const struct bl_since since =
                    since_of(0.0025 * s, kind == 1 ? 0.6 : 0, kind == 2 ? -0.05 : 0,
                             kind == 3 ? -0.001 : 0, step, NIGHTS);
                count += kind == 3   ? since.is_drift
                         : kind == 2 ? since.first == step && !since.is_drift
                                     : since.first > 0 || since.is_drift;
            }
            printf(" %.1f %% |", 100.0 * count / of);
        }
        puts("");
        fflush(stdout);
    }
}

/* Searches simulated fleets with 88 rows per card (tests/simulated_fleet.c) for outliers. In half
 * of the fleets, one ratio of one card is 10 % lower. Counts the other fleets in which any card is
 * reported, and the lower ratios that are found. */
static void check_fleets(size_t cards, unsigned repetitions)
{
    static const char *const kinds[] = {"normal", "Student-3",
                                        "normal, 10 % of differences five times as large"};
    static const struct bl_outlier_search search = {.least = 0.02, .least_speed = 0.05};
    struct bl_fleet_value *values = calloc(cards * FLEET_ROWS, sizeof *values);
    need(values);
    for (unsigned noise_kind = 0; noise_kind < 3; noise_kind++) {
        unsigned named = 0, found = 0;
        const unsigned of = times(repetitions);
        for (unsigned i = 0; i < 2 * of; i++) {
            const bool is_odd = i % 2;
            const struct simulated_fleet how = {.cards = cards,
                                                .spread = 0.0012,
                                                .clocks = 0.08,
                                                .noise = noise_kind,
                                                .odd_row_card = is_odd ? 2 : SIZE_MAX,
                                                .odd_row = 7,
                                                .odd_row_by = -0.1,
                                                .slow_card = SIZE_MAX};
            struct bl_fleet fleet;
            simulated_fleet_make(&how, &fleet, values);
            const struct bl_fleet_values all = {values, cards * FLEET_ROWS, simulated_fleet_keys,
                                                NULL};
            need(bl_fleet_search(&fleet, &all, &search, &error) == BL_OK);
            if (!is_odd)
                named += fleet.outlier_count > 0;
            for (size_t o = 0; is_odd && o < fleet.outlier_count; o++)
                found += fleet.outliers[o].card == 2 && fleet.outliers[o].oddity == BL_ODD_RATIO;
            bl_fleet_free(&fleet);
        }
        printf("| %zu cards, %s | %u of %u | %.0f %% |\n", cards, kinds[noise_kind], named, of,
               fmin(100, 100.0 * found / of));
        fflush(stdout);
    }
    free(values);
}

static void check_comparisons(void)
{
    static const size_t sizes[] = {MAX_ROWS, 88, 16, 8};
    printf("| hidden spread between runs | 0 | 0.1 %% | 0.2 %% | 0.3 %% | 0.5 %% |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned kind = NORMAL; kind <= HEAVY; kind++)
            check_compare(sizes[i] < reference.count ? sizes[i] : reference.count, kind);
}

static void check_history(void)
{
    static const unsigned nights[] = {3, 10, 24};
    printf(
        "\n| nights of %zu rows | spread | red at first | after the second | 5 %% found twice |\n"
        "| --- | ---: | ---: | ---: | ---: |\n",
        reference.count);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned wide = 1; wide <= 2; wide++)
            for (unsigned kind = NORMAL; kind <= (i == 1 ? HEAVY : NORMAL); kind++)
                check_nights(nights[i], 0.005 * wide, kind);
    check_since();
    printf("\n| `history outliers` | healthy fleets with an alarm | ratios 10 %% off, found |\n"
           "| --- | ---: | ---: |\n");
    check_fleets(8, 400);
    check_fleets(32, 100);
    check_fleets(1000, 4);
}

/* check_statistics RUN.csv SEED SHARE PART: SHARE is a factor for all numbers of repetitions. Part
 * 1 compares two runs; part 2 searches histories and fleets. */
int main(int count, char **arguments)
{
    struct bl_run_rows all;
    if (count != 5 || bl_run_read(arguments[1], &all, &error) != BL_OK ||
        !simulated_fleet_read_samples())
        return 2;
    const uint64_t seed = strtoull(arguments[2], NULL, 10);
    share = strtod(arguments[3], NULL);
    reference = all;
    reference.count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (bl_row_has_number(&all.rows[i]) && reference.count < MAX_ROWS)
            reference.rows[reference.count++] = all.rows[i];
    state = seed * 2862933555777941757u + 3037000493u;
    simulated_fleet_seed(seed);
    if (strcmp(arguments[4], "1") == 0)
        check_comparisons();
    else
        check_history();
    bl_run_free(&all);
    return 0;
}
