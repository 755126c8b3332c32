#include "cli/history_actions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/comparison.h"
#include "cli/series.h"
#include "report/layout.h"
#include "report/words.h"

/* A file that cannot be added does not keep the others out. */
enum bl_status bl_history_do_add(struct bl_history *history,
                                 const struct bl_history_settings *settings,
                                 const struct bl_arguments *arguments, struct bl_error *error)
{
    const size_t count = arguments->count;
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct bl_history_added added;
        const enum bl_status status = bl_history_add(history, arguments->words[i], &added, error);
        if (status != BL_OK && count == 1)
            return status;
        if (status != BL_OK) {
            fprintf(stderr, "bankline: %s\n", error->sentence);
            failed++;
        } else if (!settings->change.quiet && added.runs > 1) {
            printf("%s: added %zu runs\n", arguments->words[i], added.runs);
        } else if (!settings->change.quiet) {
            printf("%s: %s\n", arguments->words[i],
                   added.runs   ? "added"
                   : added.rows ? "completed"
                                : "was there already");
        }
    }
    return failed ? bl_fail(error, BL_FILE_FAILED, "%zu of %zu files were not added", failed, count)
                  : BL_OK;
}

struct listing {
    struct bl_view view;
    size_t count;
};

/* What does not fit goes to a line of its own. */
static void print_columns(const struct listing *list, const char *rows, const char *without_number,
                          const struct bl_run_info *run)
{
    char about[512];
    snprintf(about, sizeof about, "%-24s %-16s %s", run->device, run->driver, run->tool_version);
    unsigned at =
        (unsigned)printf("%-20s %-28s %5s %9s", run->time_utc, run->run_id, rows, without_number);
    if (at + 2 + bl_text_width(about) > list->view.width)
        at = (unsigned)printf("\n    ") - 1;
    else
        at += (unsigned)printf("  ");
    bl_put_wrapped(stdout, about, at, 4, list->view.width);
    putchar('\n');
}

static enum bl_status print_run(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)error;
    static const struct bl_run_info head = {.time_utc = "time",
                                            .run_id = "run",
                                            .device = "device",
                                            .driver = "driver",
                                            .tool_version = "bankline"};
    struct listing *list = context;
    char counts[2][24];
    snprintf(counts[0], sizeof counts[0], "%zu", rows);
    snprintf(counts[1], sizeof counts[1], "%zu", without_number);
    if (list->count++ == 0)
        print_columns(list, "rows", "no number", &head);
    print_columns(list, counts[0], counts[1], run);
    return BL_OK;
}

enum bl_status bl_history_do_list(struct bl_history *history,
                                  const struct bl_history_settings *settings,
                                  const struct bl_arguments *arguments, struct bl_error *error)
{
    (void)arguments;
    struct listing listing = {bl_view_of_terminal(settings->change.quiet), 0};
    const enum bl_status status = bl_history_runs(history, print_run, &listing, error);
    if (status == BL_OK)
        printf("%zu run%s\n", listing.count, bl_plural(listing.count));
    return status;
}

struct showing {
    struct bl_view view;
    double threshold; /* of `since`; NAN: `show` */
    size_t count;
    struct bl_row_key key; /* of the last night, and its device */
    char device[sizeof((struct bl_run_info *)0)->device];
};

static enum bl_status print_series(void *context, const struct bl_series *series,
                                   struct bl_error *error)
{
    (void)error;
    struct showing *showing = context;
    showing->count++;
    if (isnan(showing->threshold))
        bl_series_show(series, &showing->view);
    else
        bl_series_since(series, showing->threshold, &showing->view);
    return BL_OK;
}

/* Of a fleet a line a night; which row it is stands before its first. */
static enum bl_status print_night(void *context, const struct bl_fleet_night *night,
                                  struct bl_error *error)
{
    (void)error;
    struct showing *showing = context;
    char text[512];
    const bool is_first = showing->count++ == 0 ||
                          bl_row_key_compare(&showing->key, &night->key) != 0 ||
                          strcmp(showing->device, night->device) != 0;
    showing->key = night->key;
    memcpy(showing->device, night->device, sizeof showing->device);
    if (is_first)
        printf("%s %s %s, %u lanes, on %s\n", night->key.case_id, night->key.shape, night->key.type,
               night->key.lanes, night->device);
    snprintf(text, sizeof text, "%s  %5zu cards  %.4f, spread %.2f %%, from %.4f (%s) to %.4f (%s)",
             night->date, night->cards, night->median, 100 * night->spread, night->lowest,
             night->lowest_card, night->highest, night->highest_card);
    fputs("  ", stdout);
    bl_put_wrapped(stdout, text, 2, 27, showing->view.width);
    putchar('\n');
    return BL_OK;
}

static enum bl_status print_all(struct bl_history *history,
                                const struct bl_history_settings *settings, const char *selector,
                                double threshold, struct bl_error *error)
{
    struct showing showing = {.view = bl_view_of_terminal(settings->change.quiet),
                              .threshold = threshold};
    bool has_fleet = false;
    enum bl_status status = BL_OK;
    if (!settings->device)
        status = bl_history_has_fleet(history, &has_fleet, error);
    if (status == BL_OK && has_fleet && !isnan(threshold))
        return bl_fail(error, BL_USAGE,
                       "the history has more than %d cards: --device names one, and 'history "
                       "outliers %s' those that differ, since when",
                       (int)BL_FEW_CARDS, selector);
    if (status == BL_OK && has_fleet)
        status = bl_history_fleet_nights(history, selector, print_night, &showing, error);
    else if (status == BL_OK)
        status =
            bl_history_series(history, selector, settings->device, print_series, &showing, error);
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

/* What the run is compared with, and which floor the spread of rows with few runs has. */
static void print_basis(FILE *words, const struct bl_history_basis *basis, const char *device)
{
    fprintf(words, "against the median of the last %zu run%s of %s\n", basis->runs,
            bl_plural(basis->runs), device);
    if (basis->rows_of_few == 0)
        return;
    char text[256], learnt[96] = ", for there are too few rows to learn it from";
    if (basis->floor.differences > 0)
        snprintf(learnt, sizeof learnt,
                 ", learnt from %zu differences between one run and the next",
                 basis->floor.differences);
    snprintf(text, sizeof text,
             "%zu row%s of fewer than %d runs: their spread between runs is taken as at least "
             "%.2f %%%s",
             basis->rows_of_few, bl_plural(basis->rows_of_few), (int)BL_FULL_HISTORY,
             100 * basis->floor.sd, learnt);
    bl_put_wrapped(words, text, 0, 0, bl_line_width(words));
    fputc('\n', words);
}

/* Where there is nothing to compare with, every row is new, and the documents say so too: those of
 * the night before would be taken for this one's. */
enum bl_status bl_history_do_compare(struct bl_history *history,
                                     const struct bl_history_settings *settings,
                                     const struct bl_arguments *arguments, struct bl_error *error)
{
    struct bl_run_rows now = {0}, typical = {0};
    struct bl_history_basis basis = {0};
    const char *const names[] = {"the history", arguments->words[0]};
    enum bl_status status = bl_run_read(arguments->words[0], &now, error);
    if (status == BL_OK)
        status = bl_history_typical(history, &now, settings->runs, &typical, &basis, error);
    FILE *words = bl_output_words(&settings->change.output);
    if (status == BL_OK && basis.runs == 0)
        fprintf(words, "the history has no earlier run of %s%s%s: nothing to compare with\n",
                now.info.device, *now.info.device_id ? ", " : "", now.info.device_id);
    else if (status == BL_OK && !settings->change.quiet)
        print_basis(words, &basis, now.info.device);
    if (status == BL_OK) {
        struct bl_change_settings change = settings->change;
        change.quiet |= basis.runs == 0;
        status = bl_comparison_report(&change, &typical, &now, names, arguments->words + 1,
                                      arguments->count - 1, error);
    }
    bl_run_free(&typical);
    bl_run_free(&now);
    return status;
}

/* Rows that go out together: an export may be larger than the memory. */
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
