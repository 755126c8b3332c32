/* The actions of `bankline history`, except `why` (history_why.c). Their queries are in
 * history/. */
#include "cli/history_actions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/output.h"
#include "history/outliers.h"
#include "history/typical.h"
#include "report/layout.h"

/* The action `outliers`, which finds cards that differ from the other cards of their model. */

/* Whether the text is a date such as "2026-11-20", or a full time such as
 * "2026-11-20T02:00:00Z". */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    const size_t length = strlen(text);
    if (length != 10 && length != sizeof form - 1)
        return false;
    for (size_t i = 0; i < length; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    struct tm given = {0}, same;
    const char *end = strptime(text, length == 10 ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ", &given);
    const time_t then = timegm(&given);
    gmtime_r(&then, &same);
    /* timegm changes a day that does not exist, such as 31 February */
    return end && !*end && same.tm_mday == atoi(text + 8);
}

enum bl_status bl_history_do_outliers(struct bl_history *history,
                                      const struct bl_history_settings *settings,
                                      const struct bl_arguments *arguments, struct bl_error *error)
{
    if (settings->since && !is_date(settings->since))
        return bl_fail(error, BL_USAGE,
                       "--since is '%s'; expected a date such as 2026-11-20, or a UTC time, "
                       "2026-11-20T02:00:00Z",
                       settings->since);
    const struct bl_outlier_search search = {.since = settings->since,
                                             .selectors = arguments->words,
                                             .selector_count = arguments->count,
                                             .least = settings->least,
                                             .least_speed = settings->least_speed,
                                             .absolute = settings->change.absolute};
    struct bl_fleet fleet;
    enum bl_status status = bl_history_outliers(history, &search, &fleet, error);
    if (status == BL_OK && fleet.row_count == 0)
        status = arguments->count > 0 ? bl_fail(error, BL_UNKNOWN_CASE,
                                                "no run in the period to compare has a case '%s'%s",
                                                arguments->words[0],
                                                arguments->count > 1 ? " or one of the others" : "")
                                      : bl_fail(error, BL_UNKNOWN_CASE,
                                                "the history has no run in the period to compare");
    if (status == BL_OK)
        status = bl_output_fleet(&settings->change.output, settings->change.quiet, &fleet, error);
    if (status == BL_OK && fleet.outlier_count > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu difference%s that chance does not explain",
                         fleet.outlier_count, fleet.outlier_count == 1 ? "" : "s");
    bl_fleet_free(&fleet);
    return status;
}

/* The action `unjudged`, which lists rows that were unclear in consecutive runs, and says how to
 * make them clear. */

/* A reason why rows are unclear, and what to do about it. is_wide: whether the row's own interval
 * is the reason. */
struct cause {
    bool is_wide;
    const char *why, *cure;
};

static const struct cause causes[] = {
    {true, "the rows' intervals are too wide",
     "More time per case makes noisy intervals narrower ('bankline run --seconds 5', without "
     "--quick); if they stay wide, the placements in memory differ"},
    {false, "the ratios differ too much from run to run",
     "An unshared device and fixed clocks reduce these differences"},
};

/* Prints the rows that have this cause. runs: for each row, the number of consecutive runs in which
 * the row was unclear. Returns the number of rows printed. */
static size_t print_group(const struct bl_run_rows *now, const size_t runs[],
                          const struct cause *cause, const struct bl_history_settings *settings)
{
    const struct bl_view view = bl_view_of_terminal(false);
    const double threshold = settings->change.threshold;
    size_t count = 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct bl_interval ratio = bl_row_ratio(&now->rows[i]);
        const bool is_listed =
            settings->only_new ? runs[i] == settings->nights : runs[i] >= settings->nights;
        if (!is_listed || bl_is_too_wide_to_judge(&ratio, threshold) != cause->is_wide)
            continue;
        if (count++ == 0) {
            const char *more = settings->only_new ? "" : " or more";
            bl_put_paragraph(stdout, 0, 0, view.width,
                             "unclear in %u%s consecutive run%s: %s to detect a change of %g %%. "
                             "%s. Or allow larger changes with --threshold.",
                             settings->nights, more, bl_plural(*more ? 2 : settings->nights),
                             cause->why, 100 * threshold, cause->cure);
        }
        const struct bl_row_key *key = &now->rows[i].key;
        char measured[48];
        fputs("  ", stdout);
        bl_put_paragraph(stdout, 2, 4, view.width, "%s %s %s, %u lanes: %s", key->case_id,
                         key->shape, key->type, key->lanes,
                         bl_format_measured(&now->rows[i], measured));
    }
    return count;
}

enum bl_status bl_history_do_inconclusive(struct bl_history *history,
                                          const struct bl_history_settings *settings,
                                          const struct bl_arguments *arguments,
                                          struct bl_error *error)
{
    struct bl_run_rows now = {0};
    enum bl_status status = bl_run_read(arguments->words[0], &now, error);
    size_t *runs = calloc(now.count + 1, sizeof *runs);
    if (!runs) {
        bl_run_free(&now);
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory for the rows of "
                       "%s",
                       arguments->words[0]);
    }
    /* counts up to nights + 1, to distinguish rows that reached `nights` in this run */
    if (status == BL_OK)
        status = bl_history_inconclusive(history, &now, settings->runs, settings->change.threshold,
                                         settings->nights + 1, runs, error);
    size_t count = 0;
    for (size_t i = 0; status == BL_OK && i < sizeof causes / sizeof causes[0]; i++)
        count += print_group(&now, runs, &causes[i], settings);
    if (status == BL_OK && count == 0 && !settings->only_new)
        printf("none of %zu rows was unclear in %u consecutive runs\n", now.count,
               settings->nights);
    free(runs);
    bl_run_free(&now);
    return status;
}

static void print_name(const struct bl_series *series, const struct bl_view *view)
{
    const struct bl_row_key *key = &series->points[0].key;
    const struct bl_run_info *run = &series->runs[0];
    bl_put_paragraph(stdout, 0, 4, view->width, "%s %s %s, %u lanes, on %s%s%s", key->case_id,
                     key->shape, key->type, key->lanes, run->device, *run->device_id ? ", " : "",
                     run->device_id);
}

/* Draws one character for each of the last points, as many as fit into the line. The character's
 * height shows the ratio, scaled from the smallest to the largest ratio. A point without a number
 * is a blank. */
static void print_sparkline(const struct bl_series *series, unsigned width)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    char range[48] = "";
    double min = NAN, max = NAN;
    size_t numbers = 0;
    for (size_t i = 0; i < series->count; i++) { /* fmin and fmax ignore NAN */
        min = fmin(min, series->points[i].measured);
        max = fmax(max, series->points[i].measured);
        numbers += isfinite(series->points[i].measured) ? 1 : 0;
    }
    if (numbers < 2) /* a single bar would not show a change */
        return;
    snprintf(range, sizeof range, "  %.4f to %.4f", min, max);
    const size_t taken = 2 + strlen(range), room = width > taken ? width - taken : 1;
    fputs("  ", stdout);
    for (size_t i = series->count > room ? series->count - room : 0; i < series->count; i++) {
        const double ratio = series->points[i].measured;
        const double share = max > min ? (ratio - min) / (max - min) : 1;
        fputs(isfinite(ratio) ? bars[(int)lround(share * 7)] : " ", stdout);
    }
    puts(range);
}

/* Prints all points, and a sparkline on a terminal. */
static void series_show(const struct bl_series *series, const struct bl_view *view)
{
    print_name(series, view);
    if (view->width < BL_ANY_WIDTH)
        print_sparkline(series, view->width);
    for (size_t i = 0; i < series->count; i++) {
        const struct bl_run_info *run = &series->runs[i];
        char measured[48] = "no number";
        if (bl_row_has_number(&series->points[i]))
            bl_format_measured(&series->points[i], measured);
        const unsigned at = bl_print(stdout, "  %-20s  %-23s  ", run->time_utc, measured);
        bl_put_paragraph(stdout, at, 24, view->width, "driver %s, bankline %s", run->driver,
                         run->tool_version);
    }
}

/* Prints that a row has no change point: its ratio is unchanged, or too noisy to tell. */
static void print_unchanged(const struct bl_series *series, const struct bl_since *since,
                            double threshold, const struct bl_view *view)
{
    const size_t count = bl_end_of_numbers(series, series->count);
    const struct bl_row *last = &series->points[count - 1];
    const struct bl_interval own = bl_row_ratio(last);
    const char *first = series->runs[0].time_utc;
    char measured[48];
    bl_format_measured(last, measured);
    if (bl_is_too_wide_to_judge(&own, threshold))
        bl_put_paragraph(
            stdout, 2, 4, view->width,
            "%.4f in %zu run%s since %s, the last %s: too noisy to detect a change of %g %%",
            since->typical, count, bl_plural(count), first, measured, 100 * threshold);
    else if (count == 1)
        bl_put_paragraph(stdout, 2, 4, view->width, "%.4f, measured once, on %s", since->typical,
                         first);
    else
        bl_put_paragraph(stdout, 2, 4, view->width, "%.4f, unchanged in %zu runs since %s",
                         since->typical, count, first);
}

/* Prints since when the row has had its present typical ratio. threshold: a fraction. */
static void series_since(const struct bl_series *series, double threshold,
                         const struct bl_view *view)
{
    print_name(series, view);
    if (bl_end_of_numbers(series, series->count) == 0) {
        puts("  never had a number");
        return;
    }
    const struct bl_since since = bl_since_of(series->points, series->count, threshold, 1);
    const size_t before = bl_end_of_numbers(series, since.first);
    fputs("  ", stdout);
    if (before == 0 && !since.is_drift) {
        print_unchanged(series, &since, threshold, view);
        return;
    }
    const struct bl_run_info *new = &series->runs[since.first],
                             *old = &series->runs[before > 0 ? before - 1 : since.first];
    const double was = since.is_other_kernel ? series->points[before - 1].measured : since.before;
    bl_put_paragraph(
        stdout, 2, 4, view->width,
        since.is_drift ? "%.4f: the ratio has drifted since %s (%+.1f %%; before: %.4f%s)"
                       : "%.4f since %s (%+.1f %%; before: %.4f%s)",
        since.typical, new->time_utc, 100 * (since.typical / was - 1), was,
        since.is_other_kernel ? ", with another kernel, other options or another sampler" : "");
    fputs("  ", stdout);
    bl_put_paragraph(stdout, 2, 4, view->width, "run %s, driver %s, bankline %s", new->run_id,
                     new->driver, new->tool_version);
    fputs("  ", stdout);
    bl_put_paragraph(stdout, 2, 4, view->width, "before: run %s of %s, driver %s, bankline %s",
                     old->run_id, old->time_utc, old->driver, old->tool_version);
}

/* Failures to add files. If a file cannot be added, the remaining files are added anyway. A failure
 * of the database would be the same for each file, so it is printed only once. */
struct failures {
    size_t all, repeated;
    struct bl_error of_database;
    size_t name_length; /* length of "FILE: " at the beginning of of_database's sentence */
};

static void take_failure(struct failures *failures, const char *path, bool is_of_database,
                         const struct bl_error *error)
{
    struct bl_error *first = &failures->of_database;
    const size_t length = strlen(path) + strlen(": ");
    failures->all++;
    if (is_of_database && *first->sentence && strlen(error->sentence) > length &&
        strcmp(first->sentence + failures->name_length, error->sentence + length) == 0) {
        failures->repeated++;
        return;
    }
    bl_print(stderr, "bankline: %s\n", error->sentence);
    if (is_of_database) {
        *first = *error;
        failures->name_length = length;
    }
}

enum bl_status bl_history_do_add(struct bl_history *history,
                                 const struct bl_history_settings *settings,
                                 const struct bl_arguments *arguments, struct bl_error *error)
{
    const size_t count = arguments->count;
    struct failures failures = {0};
    for (size_t i = 0; i < count; i++) {
        struct bl_history_added added;
        const enum bl_status status = bl_history_add(history, arguments->words[i], &added, error);
        if (status != BL_OK && count == 1)
            return status;
        if (status != BL_OK) {
            take_failure(&failures, arguments->words[i], added.database_failed, error);
        } else if (!settings->change.quiet && added.runs > 1) {
            bl_print(stdout, "%s: added %zu runs\n", arguments->words[i], added.runs);
        } else if (!settings->change.quiet) {
            bl_print(stdout, "%s: %s\n", arguments->words[i],
                     added.runs   ? "added"
                     : added.rows ? "completed"
                                  : "was already in the history");
        }
    }
    if (failures.repeated)
        fprintf(stderr, "bankline: %zu more file%s: the same failure\n", failures.repeated,
                bl_plural(failures.repeated));
    return failures.all ? bl_fail(error, BL_FILE_FAILED, "%zu of %zu files were not added",
                                  failures.all, count)
                        : BL_OK;
}

/* A line of the list of runs. Lines are printed only at the end, because each column is as wide as
 * its longest value. */
struct listed {
    struct bl_run_info run;
    char rows[24], without_number[24];
};

struct listing {
    struct listed *runs;
    size_t count, capacity;
    unsigned widths[4]; /* longest run_id, device, driver and tool_version */
};

static void print_columns(const struct listing *list, const struct listed *listed, unsigned width)
{
    const struct bl_run_info *run = &listed->run;
    enum { INDENT = 4 };
    const unsigned *widths = list->widths;
    const unsigned at = bl_print(stdout, "%-20s  %-*s  %5s  %9s", run->time_utc, (int)widths[0],
                                 run->run_id, listed->rows, listed->without_number);
    /* Columns that do not fit into the line continue on a second or third line. */
    const unsigned made = widths[2] + 2 + widths[3], about = widths[1] + 2 + made;
    const bool fits = at + 2 + about <= width, fits_second = INDENT + about <= width;
    if (!fits)
        fputc('\n', stdout);
    bl_print(stdout, "%*s%-*s", fits ? 2 : INDENT, "", fits || fits_second ? (int)widths[1] : 0,
             run->device);
    if (!fits && !fits_second)
        fputc('\n', stdout);
    bl_print(stdout, "%*s%-*s  %s\n", fits || fits_second ? 2 : INDENT, "", (int)widths[2],
             run->driver, run->tool_version);
}

static void widen(struct listing *list, const struct bl_run_info *run)
{
    const char *const texts[] = {run->run_id, run->device, run->driver, run->tool_version};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned width = bl_text_width(texts[i]);
        list->widths[i] = width > list->widths[i] ? width : list->widths[i];
    }
}

static enum bl_status keep_run(void *context, const struct bl_run_info *run, size_t rows,
                               size_t without_number, struct bl_error *error)
{
    struct listing *list = context;
    struct listed *listed =
        bl_array_append(&list->runs, &list->count, &list->capacity, sizeof *listed);
    if (!listed)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu runs", list->count + 1);
    listed->run = *run;
    snprintf(listed->rows, sizeof listed->rows, "%zu", rows);
    snprintf(listed->without_number, sizeof listed->without_number, "%zu", without_number);
    widen(list, run);
    return BL_OK;
}

enum bl_status bl_history_do_list(struct bl_history *history,
                                  const struct bl_history_settings *settings,
                                  const struct bl_arguments *arguments, struct bl_error *error)
{
    static const struct listed head = {.run = {.time_utc = "time",
                                               .run_id = "run",
                                               .device = "device",
                                               .driver = "driver",
                                               .tool_version = "bankline"},
                                       .rows = "rows",
                                       .without_number = "no number"};
    (void)arguments;
    struct listing list = {0};
    const unsigned width = bl_view_of_terminal(settings->change.quiet).width;
    const enum bl_status status = bl_history_runs(history, keep_run, &list, error);
    widen(&list, &head.run);
    if (status == BL_OK && list.count > 0)
        print_columns(&list, &head, width);
    for (size_t i = 0; i < list.count && status == BL_OK; i++)
        print_columns(&list, &list.runs[i], width);
    if (status == BL_OK)
        printf("%zu run%s\n", list.count, bl_plural(list.count));
    free(list.runs);
    return status;
}

struct showing {
    struct bl_history *history;
    struct bl_view view;
    double threshold; /* threshold for `since`; NAN for `show` */
    size_t count;
    struct bl_row_key key; /* key and device of the row whose night was printed last */
    char device[sizeof((struct bl_run_info *)0)->device];
};

/* If the card's last runs have no number for the row, prints the number of these runs. */
static enum bl_status print_lack(struct bl_history *history, const struct bl_series *series,
                                 const struct bl_view *view, struct bl_error *error)
{
    struct bl_lacking_runs lacking = {0};
    enum bl_status status = BL_OK;
    if (bl_end_of_numbers(series, series->count) > 0)
        status = bl_history_lacking_runs(history, series, false, &lacking, error);
    if (status != BL_OK || lacking.count == 0)
        return status;
    fputs("  ", stdout);
    bl_put_paragraph(stdout, 2, 4, view->width,
                     "without a number in %zu later run%s of this card, since %s", lacking.count,
                     bl_plural(lacking.count), lacking.first);
    return BL_OK;
}

static enum bl_status print_series(void *context, const struct bl_series *series,
                                   struct bl_error *error)
{
    struct showing *showing = context;
    showing->count++;
    if (isnan(showing->threshold)) {
        series_show(series, &showing->view);
        return BL_OK;
    }
    series_since(series, showing->threshold, &showing->view);
    return print_lack(showing->history, series, &showing->view, error);
}

/* Prints a line for one night of a fleet. Before the first night of a row, prints a line with the
 * row's name. */
static enum bl_status print_night(void *context, const struct bl_fleet_night *night,
                                  struct bl_error *error)
{
    (void)error;
    struct showing *showing = context;
    const bool is_first = showing->count++ == 0 ||
                          bl_row_key_compare(&showing->key, &night->key) != 0 ||
                          strcmp(showing->device, night->device) != 0;
    showing->key = night->key;
    memcpy(showing->device, night->device, sizeof showing->device);
    if (is_first)
        bl_print(stdout, "%s %s %s, %u lanes, on %s\n", night->key.case_id, night->key.shape,
                 night->key.type, night->key.lanes, night->device);
    fputs("  ", stdout);
    bl_put_paragraph(stdout, 2, 27, showing->view.width,
                     "%s  %5zu cards  %.4f, spread %.2f %%, from %.4f (%s) to %.4f (%s)",
                     night->date, night->cards, night->median, 100 * night->spread, night->lowest,
                     night->lowest_card, night->highest, night->highest_card);
    return BL_OK;
}

static enum bl_status print_all(struct bl_history *history,
                                const struct bl_history_settings *settings, const char *selector,
                                double threshold, struct bl_error *error)
{
    struct showing showing = {.history = history,
                              .view = bl_view_of_terminal(settings->change.quiet),
                              .threshold = threshold};
    bool has_fleet = false;
    enum bl_status status = BL_OK;
    if (!settings->device)
        status = bl_history_has_fleet(history, &has_fleet, error);
    if (status == BL_OK && has_fleet && !isnan(threshold))
        return bl_fail(error, BL_USAGE,
                       "the history has more than %d cards: choose one with --device, or run "
                       "'history outliers %s' to see which cards differ, and since when",
                       (int)BL_FEW_CARDS, selector);
    if (status == BL_OK)
        status = has_fleet
                     ? bl_history_fleet_nights(history, selector, print_night, &showing, error)
                     : bl_history_series(history, selector, settings->device, print_series,
                                         &showing, error);
    if (status != BL_OK || showing.count > 0)
        return status;
    return bl_fail(error, BL_UNKNOWN_CASE, "the history has no case '%s'%s%s", selector,
                   settings->device ? " of device " : "", settings->device ? settings->device : "");
}

enum bl_status bl_history_do_show(struct bl_history *history,
                                  const struct bl_history_settings *settings,
                                  const struct bl_arguments *arguments, struct bl_error *error)
{
    return print_all(history, settings, arguments->words[0], NAN, error);
}

enum bl_status bl_history_do_since(struct bl_history *history,
                                   const struct bl_history_settings *settings,
                                   const struct bl_arguments *arguments, struct bl_error *error)
{
    return print_all(history, settings, arguments->words[0], settings->change.threshold, error);
}

/* Prints what the run is compared with, and how much rows vary from run to run. */
static void print_basis(FILE *words, const struct bl_history_basis *basis, const char *device)
{
    bl_print(words, "compared with the median of the last %zu run%s of %s\n", basis->runs,
             bl_plural(basis->runs), device);
    char learnt[96] = "assumed, because there are too few rows to learn it from";
    if (basis->floor.differences > 0)
        snprintf(learnt, sizeof learnt, "learnt from %zu differences between one run and the next",
                 basis->floor.differences);
    bl_put_paragraph(words, 0, 0, bl_line_width(words),
                     "spread of all rows between runs: %.2f %%, %s", 100 * basis->floor.sd, learnt);
}

/* Without an earlier run, every row is new. The documents are written even then, because last
 * night's documents would otherwise be mistaken for tonight's. */
enum bl_status bl_history_do_compare(struct bl_history *history,
                                     const struct bl_history_settings *settings,
                                     const struct bl_arguments *arguments, struct bl_error *error)
{
    struct bl_run_rows now = {0}, typical = {0};
    struct bl_history_basis basis = {0};
    const struct bl_typical_settings wanted = {settings->runs, settings->change.threshold,
                                               settings->half};
    const char *const names[] = {"the history", arguments->words[0]};
    enum bl_status status = bl_run_read(arguments->words[0], &now, error);
    if (status == BL_OK)
        status = bl_history_typical(history, &now, &wanted, &typical, &basis, error);
    FILE *words = bl_output_words(&settings->change.output);
    if (status == BL_OK && basis.runs == 0)
        bl_print(words, "the history has no earlier run of %s%s%s: nothing to compare with\n",
                 now.info.device, *now.info.device_id ? ", " : "", now.info.device_id);
    else if (status == BL_OK && !settings->change.quiet)
        print_basis(words, &basis, now.info.device);
    if (status == BL_OK) {
        struct bl_change_settings change = settings->change;
        change.quiet |= basis.runs == 0;
        change.knows_spread = true;
        status = bl_comparison_report(&change, &typical, &now, names, arguments->words + 1,
                                      arguments->count - 1, error);
    }
    bl_run_free(&typical);
    bl_run_free(&now);
    return status;
}

/* After this many rows, the buffered rows are written to the file, because a whole export may be
 * larger than memory. */
enum { RECORD_ROWS = 1000 };

struct exporting {
    struct bl_file *file;
    size_t count;
};

static enum bl_status write_row(void *context, const struct bl_run_info *run,
                                const struct bl_row *row, size_t position, struct bl_error *error)
{
    (void)position;
    struct exporting *exporting = context;
    bl_csv_row(bl_file_stream(exporting->file), run, row);
    return ++exporting->count % RECORD_ROWS == 0 ? bl_file_record(exporting->file, error) : BL_OK;
}

enum bl_status bl_history_do_export(struct bl_history *history,
                                    const struct bl_history_settings *settings,
                                    const struct bl_arguments *arguments, struct bl_error *error)
{
    (void)arguments;
    const char *path = settings->change.output.paths[0] ? settings->change.output.paths[0] : "-";
    struct exporting exporting = {0};
    enum bl_status status = bl_file_open(path, BL_FILE_GROWING, &exporting.file, error);
    if (status != BL_OK)
        return status;
    bl_csv_header(bl_file_stream(exporting.file));
    status = bl_history_rows(history, write_row, &exporting, error);
    const enum bl_status closed =
        bl_file_close(exporting.file, status == BL_OK, status == BL_OK ? error : NULL);
    return status == BL_OK ? closed : status;
}
