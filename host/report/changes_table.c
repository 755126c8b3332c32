/* The table of a comparison on the terminal: the two runs, how their hosts and devices differ, the
 * changed rows with the worst first, and the number of rows of each kind of change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/spread.h"
#include "report/compare.h"
#include "report/layout.h"
#include "report/run.h"
#include "report/sink.h"

void bl_table_count(char text[BL_COUNTS_BYTES], size_t count, const char *name)
{
    const size_t length = strlen(text);
    if (count)
        bl_text_add(text, BL_COUNTS_BYTES, "%s%zu %s", text[length - 1] == ':' ? " " : ", ", count,
                    name);
}

/* Relative changes of the device's clock rate that are smaller than this are ignored. */
static const double CLOCK_MOVES = 0.02;

static void print_clocks(FILE *file, const struct bl_comparison *comparison)
{
    const struct bl_run_rows *const runs[] = {comparison->before, comparison->after};
    double lowest, highest[2];
    for (unsigned i = 0; i < 2; i++) {
        bl_run_device_mhz(runs[i], &lowest, &highest[i]);
        if (highest[i] > lowest * (1 + CLOCK_MOVES))
            bl_print(file, "the device's clock moved during %s: %.0f to %.0f MHz\n",
                     comparison->names[i], lowest, highest[i]);
    }
    if (fabs(highest[0] - highest[1]) > CLOCK_MOVES * highest[0])
        fprintf(file, "the device's clock: %.0f -> %.0f MHz\n", highest[0], highest[1]);
}

/* Names the two runs. For a typical run, which stands for many runs, names the last of these runs.
 */
static void print_runs(const struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    const struct bl_run_info *const infos[] = {&comparison->before->info, &comparison->after->info};
    static const char *const sides[] = {"before", "after "};
    for (unsigned i = 0; i < 2; i++) {
        const bool is_many = i == 0 && comparison->comparing.knows_spread;
        bl_put_paragraph(sink->stream, 0, 8, sink->view->width, "%s  %s%s%s%s%s", sides[i],
                         comparison->names[i],
                         *infos[i]->run_id ? is_many ? ", up to run " : ", run " : "",
                         infos[i]->run_id, *infos[i]->time_utc ? " of " : "", infos[i]->time_utc);
    }
}

/* Prints the differences between the runs' descriptions that could explain a change. */
static void print_differences(const struct bl_sink *sink)
{
    static const char *const are_named[] = {"schema", "run_id", "time_utc", "asked_for"};
    static const struct bl_row no_row;
    const struct bl_comparison *comparison = sink->comparison;
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        bool is_shown = column->owner == BL_COLUMN_OF_RUN;
        for (size_t k = 0; k < sizeof are_named / sizeof are_named[0]; k++)
            is_shown &= strcmp(column->name, are_named[k]) != 0;
        if (!is_shown)
            continue;
        char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
        const char *old = bl_column_text(column, &comparison->before->info, &no_row, one);
        const char *new = bl_column_text(column, &comparison->after->info, &no_row, other);
        if (strcmp(old, new) != 0)
            bl_say(sink, "%s: %s -> %s", column->name, *old ? old : "unknown",
                   *new ? new : "unknown");
    }
    const char *was = bl_run_machine(comparison->before), *is = bl_run_machine(comparison->after);
    if (was && is && strcmp(was, is) != 0)
        bl_say(sink, "machine: %s -> %s", *was ? was : "none", *is ? is : "none");
    print_clocks(sink->stream, comparison);
    for (unsigned i = 0; i < 2; i++)
        if (comparison->lacks_kernels[i] && !comparison->lacks_kernels[1 - i])
            bl_say(sink, "kernels: %s does not record them, so its rows cannot be compared",
                   comparison->names[i]);
}

/* The rows to print, kept until all are known and can be sorted. */
struct news {
    size_t count;
    const struct bl_compared *rows[];
};

enum bl_status bl_changes_begin(struct bl_sink *sink)
{
    struct news *news =
        malloc(sizeof *news + sink->comparison->count * sizeof(struct bl_compared *));
    sink->state = news;
    if (!news)
        return bl_fail(sink->error, BL_NO_MEMORY, "out of memory while writing the table");
    news->count = 0;
    char same[1024];
    if (sink->comparison->is_same_run)
        bl_say(sink, "%s", bl_same_run_words(sink->comparison, same));
    if (sink->view->quiet || sink->comparison->is_same_run)
        return BL_OK;
    print_runs(sink);
    print_differences(sink);
    return BL_OK;
}

/* The kinds of changes, the most important first; `enough`: how many rows of a kind are listed,
 * unless all are requested. */
static const struct {
    enum bl_change change;
    size_t enough;
} kinds[BL_CHANGE_COUNT] = {
    {BL_CHANGE_SLOWER, SIZE_MAX}, {BL_CHANGE_BROKEN, SIZE_MAX}, {BL_CHANGE_MISSING, SIZE_MAX},
    {BL_CHANGE_FASTER, 10},       {BL_CHANGE_NEW, 10},          {BL_CHANGE_BASELINE, 10},
    {BL_CHANGE_KERNEL, 10},       {BL_CHANGE_UNCLEAR, 0},       {BL_CHANGE_SAME, 0},
    {BL_CHANGE_NO_NUMBER, 0},     {BL_CHANGE_NOT_ASKED, 0},
};

static int rank_of(enum bl_change change)
{
    int rank = 0;
    while (kinds[rank].change != change)
        rank++;
    return rank;
}

enum bl_status bl_changes_row(struct bl_sink *sink, const struct bl_compared *row)
{
    struct news *news = sink->state;
    if (!sink->view->quiet)
        news->rows[news->count++] = row;
    return BL_OK;
}

/* Orders by kind; within a kind by the size of the change, the largest first, then by key. */
static int by_importance(const void *one_, const void *other_)
{
    const struct bl_compared *one = *(const struct bl_compared *const *)one_,
                             *other = *(const struct bl_compared *const *)other_;
    if (one->change != other->change)
        return rank_of(one->change) - rank_of(other->change);
    const double by = isfinite(one->by) ? fabs(one->by) : 0,
                 other_by = isfinite(other->by) ? fabs(other->by) : 0;
    return by > other_by ? -1 : by < other_by ? 1 : one < other ? -1 : one > other;
}

enum { CHANGE, CASE, SHAPE, TYPE, BY, SIDES, COLUMN_COUNT };

static const struct bl_layout_column change_columns[COLUMN_COUNT] = {
    [CHANGE] = {.name = "change"}, /* fit_columns sets the widths of `change` and `case` */
    [CASE] = {.name = "case"},
    [SHAPE] = {.name = "shape", .width = 7, .rank = 1},
    [TYPE] = {.name = "type", .width = 6, .rank = 2},
    [BY] = {.name = "by", .width = 9, .is_right = true},
    [SIDES] = {.name = "before -> after", .width = 50, .min_width = 26},
};

static const char *change_colour(enum bl_change change)
{
    if (bl_change_is_bad(change))
        return BL_RED;
    return change == BL_CHANGE_FASTER ? BL_GREEN : change == BL_CHANGE_UNCLEAR ? BL_YELLOW : "";
}

/* Writes the row's value before and after, with times and a note where they apply. If the change is
 * unknown, writes the new value, or why there is none; "" if the new run lacks the row. */
static void describe_sides(const struct bl_sink *sink, const struct bl_compared *row,
                           char sides[BL_NO_NUMBER_REASON])
{
    enum { SIZE = BL_NO_NUMBER_REASON };
    char before[48], after[48];
    sides[0] = '\0';
    if (isfinite(row->by)) {
        snprintf(sides, SIZE, "%s -> %s%s", bl_format_measured(row->before, before),
                 bl_format_measured(row->after, after),
                 row->is_absolute ? " (the change is of its own speed, not of this ratio)" : "");
        if (row->is_absolute && row->before->case_ns > 0 && row->after->case_ns > 0)
            bl_text_add(sides, SIZE, "; %.4g -> %.4g ns", row->before->case_ns,
                        row->after->case_ns);
        if (row->change == BL_CHANGE_BASELINE)
            bl_text_add(sides, SIZE, "; baseline %.4g -> %.4g ns, row %.4g -> %.4g ns",
                        row->before->baseline_ns, row->after->baseline_ns, row->before->case_ns,
                        row->after->case_ns);
        if (sink->comparison->comparing.knows_spread && row->before->note[0])
            bl_text_add(sides, SIZE, "; %s", row->before->note);
    } else if (row->after) {
        bl_no_number_reason(row->after, sides);
        if (bl_row_has_number(row->after))
            bl_format_measured(row->after, sides);
    }
}

static void print_change(const struct bl_sink *sink, const struct bl_layout *layout,
                         const struct bl_compared *row)
{
    char by[16] = "", sides[BL_NO_NUMBER_REASON];
    if (isfinite(row->by))
        snprintf(by, sizeof by, "%+.2f %%", 100 * row->by);
    describe_sides(sink, row, sides);
    const char *const cells[] = {
        bl_change_name(row->change), row->key->case_id, row->key->shape, row->key->type, by, sides};
    bl_layout_row_coloured(layout, sink->stream, cells, 0,
                           sink->view->colour ? change_colour(row->change) : "");
}

/* How many rows of this kind to list at most. */
static size_t listed_of(const struct bl_sink *sink, enum bl_change change)
{
    return sink->view->all ? SIZE_MAX : kinds[rank_of(change)].enough;
}

/* Widens the columns `change` and `case` (to at most MAX_CASE) to fit all listed rows. */
static void fit_columns(const struct bl_sink *sink, const struct news *news,
                        struct bl_layout_column columns[COLUMN_COUNT])
{
    enum { MIN_CASE = 16, MAX_CASE = 32 };
    size_t of_kind = 0;
    memcpy(columns, change_columns, sizeof change_columns);
    for (size_t i = 0; i < news->count; i++) {
        const struct bl_compared *row = news->rows[i];
        const unsigned change = bl_text_width(bl_change_name(row->change)),
                       id = bl_text_width(row->key->case_id);
        of_kind = i > 0 && news->rows[i - 1]->change == row->change ? of_kind + 1 : 0;
        if (of_kind >= listed_of(sink, row->change))
            continue;
        columns[CHANGE].width = change > columns[CHANGE].width ? change : columns[CHANGE].width;
        columns[CASE].width = id > columns[CASE].width ? id : columns[CASE].width;
    }
    if (columns[CASE].width > MAX_CASE) /* an expression of `try`, which wraps */
        columns[CASE].width = MAX_CASE;
    columns[CASE].min_width = columns[CASE].width < MIN_CASE ? columns[CASE].width : MIN_CASE;
}

static void print_news(const struct bl_sink *sink, const struct news *news)
{
    struct bl_layout_column columns[COLUMN_COUNT];
    fit_columns(sink, news, columns);
    const struct bl_layout layout = bl_layout_for(columns, COLUMN_COUNT, sink->view->width);
    size_t of_kind = 0;
    for (size_t i = 0; i < news->count; i++) {
        const enum bl_change change = news->rows[i]->change;
        const size_t enough = listed_of(sink, change);
        if (of_kind++ < enough)
            print_change(sink, &layout, news->rows[i]);
        if (i + 1 < news->count && news->rows[i + 1]->change == change)
            continue;
        if (of_kind > enough && enough > 0)
            fprintf(sink->stream, "%s: %zu more; --all lists them\n", bl_change_name(change),
                    of_kind - enough);
        of_kind = 0;
    }
}

/* Counts the rows that the newer run was not asked for, and names their suites if they are few. */
static void print_not_asked(const struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    const size_t rows = comparison->counts[BL_CHANGE_NOT_ASKED];
    enum { MAX_NAMED = 6 };
    char suites[256] = "", last[BL_SUITE_BYTES] = "", suite[BL_SUITE_BYTES];
    unsigned count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        bl_suite_of(row->key->case_id, suite);
        if (row->change != BL_CHANGE_NOT_ASKED || strcmp(suite, last) == 0)
            continue;
        strcpy(last, suite); /* rows are sorted by case, and therefore by suite */
        bl_text_add(suites, sizeof suites, "%s%s", count++ ? ", " : "", last);
    }
    if (count > MAX_NAMED)
        snprintf(suites, sizeof suites, "%u suites", count);
    if (rows > 0)
        bl_say(sink, "%zu row%s of %s%s: not asked for in %s", rows, bl_plural(rows),
               count > MAX_NAMED ? ""
               : count > 1       ? "suites "
                                 : "suite ",
               suites, comparison->names[1]);
}

/* Prints the number of rows of each kind. Rows that have no number in either run are counted
 * separately. Rows that were not asked for are not counted here, but by print_not_asked. */
static void print_counts(const struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    const size_t none = comparison->counts[BL_CHANGE_NO_NUMBER],
                 rows = comparison->count - none - comparison->counts[BL_CHANGE_NOT_ASKED];
    char text[BL_COUNTS_BYTES];
    snprintf(text, sizeof text, "%zu row%s:", rows, bl_plural(rows));
    for (unsigned kind = 0; kind < BL_CHANGE_COUNT; kind++)
        if (kinds[kind].change != BL_CHANGE_NO_NUMBER && kinds[kind].change != BL_CHANGE_NOT_ASKED)
            bl_table_count(text, comparison->counts[kinds[kind].change],
                           bl_change_name(kinds[kind].change));
    if (text[strlen(text) - 1] == ':')
        bl_text_add(text, sizeof text, " none");
    if (none > 0)
        bl_text_add(text, sizeof text, " (and %zu without a number in either run)", none);
    bl_say(sink, "%s", text);
}

/* Prints a line that explains a kind of change, if any row changed in this way. */
static void explain(const struct bl_sink *sink, enum bl_change change, const char *text)
{
    if (sink->comparison->counts[change] > 0)
        bl_say(sink, "%s", text);
}

static void explain_all(const struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    if (!comparison->comparing.knows_spread && comparison->spread_rows < BL_SPREAD_MEMBERS &&
        comparison->counts[BL_CHANGE_SLOWER] + comparison->counts[BL_CHANGE_FASTER] > 0)
        bl_say(sink,
               "too few rows to learn how much these runs differ by chance; %.2f %% is assumed, so "
               "a false alarm is more likely than in a comparison of at least %d rows",
               100 * BL_STATED_SPREAD, BL_SPREAD_MEMBERS);
    if (comparison->counts[BL_CHANGE_UNCLEAR] > 0)
        bl_say(sink,
               "unclear: the intervals or the spread between runs are too wide to detect a change "
               "of %g %%%s",
               100 * comparison->comparing.threshold,
               sink->view->all ? "" : "; --all lists these rows");
    explain(sink, BL_CHANGE_MISSING,
            comparison->comparing.requires_all || comparison->selector_count > 0 ||
                    *comparison->after->info.asked_for
                ? "missing: the new run lacks the row"
                : "missing: the new run has other rows of the suite, but not this one; the run "
                  "does not record which cases were asked for; if it measured only some cases, "
                  "list those cases on the command line, after the files");
    explain(sink, BL_CHANGE_BASELINE,
            "baseline-moved: the ratio changed because the baseline's time changed; the row's own "
            "time did not change; see the baseline's row");
    explain(sink, BL_CHANGE_KERNEL,
            "kernel-changed: not comparable, because the runs used different kernels, build "
            "options or samplers");
}

enum bl_status bl_changes_end(struct bl_sink *sink, bool is_complete)
{
    const struct bl_comparison *comparison = sink->comparison;
    struct news *news = sink->state;
    if (news && is_complete && !comparison->is_same_run) {
        qsort(news->rows, news->count, sizeof(void *), by_importance);
        print_news(sink, news);
        print_not_asked(sink);
        print_counts(sink);
        if (fabs(comparison->own_times) >= comparison->comparing.threshold)
            bl_say(sink,
                   "the rows' own times changed by %+.1f %% (median); ratios do not show this%s",
                   100 * comparison->own_times,
                   comparison->comparing.absolute ? "" : ", but --absolute does");
        if (!sink->view->quiet)
            explain_all(sink);
    }
    free(news);
    sink->state = NULL;
    return BL_OK;
}
