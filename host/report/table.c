/* The tables on the terminal. Of a run: a heading, a line for each row as it comes, and at the end
 * what it means. Of a comparison: what differs between the runs, and the rows that changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "report/score.h"
#include "report/sink.h"

enum { CASE, SHAPE, CLAIM, PREDICTED, MEASURED, VERDICT, BYTES, REMARK, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [CASE] = {.name = "case", .width = 24, .min_width = 20},
    [SHAPE] = {.name = "shape", .width = 7, .rank = 1},
    [CLAIM] = {.name = "claim", .width = 6, .rank = 2},
    [PREDICTED] = {.name = "predicted", .width = 9},
    [MEASURED] = {.name = "measured [95 % interval]", .width = 25},
    [VERDICT] = {.name = "verdict", .width = 9},
    [BYTES] = {.name = "B/clk/CU", .width = 8, .rank = 3, .is_right = true},
    [REMARK] = {.name = "", .width = 1},
};

/* In place of the word, where lines have a maximum width. */
#define NOISY_MARK "~"

struct table {
    struct bl_layout_column columns[COLUMN_COUNT]; /* the layout's */
    struct bl_layout layout; /* on a terminal without the remarks, which get lines of their own */
    unsigned rows, verdicts[BL_NO_VERDICT + 1], statuses[BL_ROW_STATUS_COUNT];
    struct bl_score score;
    struct bl_claim_score claims;
    char claims_failed[128]; /* ids of the first cases whose printed claim does not hold here */
    unsigned claims_named;   /* how many of them these are */
};

static enum bl_status begin_run(struct bl_sink *sink)
{
    struct table *table = calloc(1, sizeof *table);
    sink->state = table;
    if (!table)
        return bl_fail(sink->error, BL_NO_MEMORY, "no memory for the table");
    const struct bl_view *view = sink->view;
    memcpy(table->columns, columns, sizeof columns);
    if (view->by_level)
        table->columns[CLAIM] = (struct bl_layout_column){.name = "level", .width = 6};
    table->layout = bl_layout_for(
        table->columns, view->width < BL_ANY_WIDTH ? COLUMN_COUNT - 1 : COLUMN_COUNT, view->width);
    if (view->quiet)
        return BL_OK;
    bl_say(sink, "%s (%s, driver %s), held against machine %s", sink->run->device,
           sink->run->platform, sink->run->driver, view->machine->name);
    fputc('\n', sink->stream);
    bl_layout_heading(&table->layout, sink->stream);
    return BL_OK;
}

static void count_claim(struct table *table, const struct bl_row *row)
{
    const struct bl_claim_counts *counts = bl_claim_score_add(&table->claims, row);
    if (counts != &table->claims.printed || row->claim_verdict != BL_REFUTED)
        return;
    const size_t used = strlen(table->claims_failed);
    if (used + strlen(row->key.case_id) + sizeof ", " > sizeof table->claims_failed)
        return; /* the table itself marks each of them */
    table->claims_named++;
    bl_text_add(table->claims_failed, sizeof table->claims_failed, "%s%s", used ? ", " : "",
                row->key.case_id);
}

static void count_row(struct table *table, const struct bl_row *row)
{
    table->rows++;
    table->verdicts[row->verdict]++;
    table->statuses[row->status]++;
    count_claim(table, row);
    bl_score_add(&table->score, row);
}

/* The remark about the row beside its numbers. is_marked: it is already marked as noisy. */
static void remark(const struct bl_row *row, bool is_marked, char text[1024])
{
    const char *const parts[] = {
        row->status == BL_ROW_NOISY && !is_marked ? "noisy" : "", row->note,
        row->claim_verdict != BL_REFUTED ? ""
        : bl_claim_is_derived(row)       ? "what follows from the guide does not hold here"
                                         : "the guide's claim does not hold here"};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0])
            bl_text_add(text, 1024, "%s%s", *text ? "; " : "", parts[i]);
}

static const char *colour_of(const struct bl_row *row)
{
    if (row->verdict == BL_CONFIRMED)
        return BL_GREEN;
    if (row->verdict == BL_REFUTED || row->status >= BL_ROW_ERROR)
        return BL_RED;
    return row->verdict == BL_UNCLEAR ? BL_YELLOW : "";
}

/* Puts the colour, "" for none, around a text where the reader wants colours. */
static void set_in_colour(const struct bl_sink *sink, const char *colour, const char *text,
                          char buffer[1024])
{
    const bool is_coloured = sink->view->colour && *colour;
    snprintf(buffer, 1024, "%s%.900s%s", is_coloured ? colour : "", text,
             is_coloured ? BL_COLOUR_END : "");
}

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row)
{
    struct table *table = sink->state;
    count_row(table, row);
    if (sink->view->quiet)
        return BL_OK;
    char claim[20], predicted[16], measured[1024], verdict[1024], bytes[16] = "-", said[1024];
    char reason[BL_NO_NUMBER_REASON];
    const bool has_number = bl_row_has_number(row), has_limit = sink->view->width < BL_ANY_WIDTH;
    if (has_number) {
        bl_format_measured(row, measured);
        if (has_limit && row->status == BL_ROW_NOISY)
            strcat(measured, NOISY_MARK);
        set_in_colour(sink, colour_of(row), bl_verdict_name(row->verdict), verdict);
        if (isfinite(row->bytes_per_clock_cu))
            snprintf(bytes, sizeof bytes, "%.1f", row->bytes_per_clock_cu);
        remark(row, has_limit, said);
    } else {
        snprintf(said, sizeof said, "%s", row->reason);
        bl_no_number_reason(row, reason);
        set_in_colour(sink, colour_of(row), has_limit ? bl_row_status_name(row->status) : reason,
                      measured);
    }
    const char *const cells[COLUMN_COUNT] = {
        row->key.case_id,
        row->key.shape,
        sink->view->by_level ? row->level : bl_format_claim(row, claim),
        bl_format_prediction(row, predicted),
        measured,
        has_number ? verdict : NULL,
        has_number ? bytes : NULL,
        has_number ? said : NULL,
    };
    bl_layout_row(&table->layout, sink->stream, cells);
    if (has_limit && said[0]) {
        fputs("    ", sink->stream);
        bl_put_paragraph(sink->stream, 4, 4, sink->view->width, "%s", said);
    }
    return BL_OK;
}

static void print_legend(const struct bl_sink *sink)
{
    const struct bl_view *view = sink->view;
    const struct table *table = sink->state;
    char rule[400] = "";
    if (view->machine->has_rule)
        snprintf(rule, sizeof rule,
                 "; predicted: by the model of machine %s%s; confirmed: the whole interval is "
                 "within %g %% of that, refuted: none of it",
                 view->machine->name,
                 view->by_level ? ", beyond the first cache with what a contiguous access took "
                                  "there in this run"
                                : "",
                 view->tolerance * 100);
    bl_say(sink, "\nRatios are throughput over that of %s%s%s.%s%s%s",
           view->by_level ? "the contiguous access at the same level"
                          : "the case's baseline ('bankline list' names it)",
           rule,
           table->layout.widths[BYTES] ? "; B/clk/CU: useful bytes per clock and compute unit" : "",
           view->machine->has_rule ? "" : " no-rule: ", view->machine->why_no_rule,
           view->machine->has_rule ? "" : ".");
}

static void print_claims(const struct bl_sink *sink)
{
    const struct table *table = sink->state;
    const struct bl_claim_counts *printed = &table->claims.printed,
                                 *derived = &table->claims.derived;
    const unsigned unnamed = printed->verdicts[BL_REFUTED] - table->claims_named;
    char unclear[32] = "", more[32] = "";
    if (printed->verdicts[BL_UNCLEAR])
        snprintf(unclear, sizeof unclear, ", %u unclear", printed->verdicts[BL_UNCLEAR]);
    if (unnamed > 0)
        snprintf(more, sizeof more, " and %u more", unnamed);
    if (printed->tested)
        bl_say(sink, "The guides' claims: %u of %u hold here%s%s%s%s.",
               printed->verdicts[BL_CONFIRMED], printed->tested, unclear,
               table->claims_failed[0] ? "; not " : "", table->claims_failed, more);
    if (derived->tested)
        bl_say(sink, "Claims (in parentheses) derived from the guides' rules: %u of %u hold here.",
               derived->verdicts[BL_CONFIRMED], derived->tested);
}

static void print_findings(const struct bl_sink *sink)
{
    const struct table *table = sink->state;
    const unsigned noisy = table->statuses[BL_ROW_NOISY], width = sink->view->width;
    char score[BL_SCORE_BYTES];
    print_claims(sink);
    if (*bl_score_text(&table->score, score))
        bl_say(sink, "%s", score);
    if (noisy > 0)
        bl_say(sink,
               "%s: samples of %u row%s differ by more than asked for; a quieter machine "
               "or more time for each case (--seconds) helps.",
               width < BL_ANY_WIDTH ? NOISY_MARK " noisy" : "noisy", noisy, bl_plural(noisy));
}

/* ", 3 refuted" when there are any. */
static void print_count(FILE *file, const char **separator, size_t count, const char *name)
{
    if (count) {
        fprintf(file, "%s%zu %s", *separator, count, name);
        *separator = ", ";
    }
}

static enum bl_status end_run(struct bl_sink *sink, bool is_complete)
{
    struct table *table = sink->state;
    FILE *file = sink->stream;
    if (table && is_complete) {
        if (!sink->view->quiet && table->rows > 0)
            print_legend(sink);
        print_findings(sink);
        fprintf(file, "%u row%s:", table->rows, bl_plural(table->rows));
        const char *separator = " ";
        for (unsigned v = 0; v < BL_NO_VERDICT; v++)
            print_count(file, &separator, table->verdicts[v], bl_verdict_name((enum bl_verdict)v));
        for (unsigned s = BL_ROW_NOISY; s < BL_ROW_STATUS_COUNT; s++)
            print_count(file, &separator, table->statuses[s],
                        bl_row_status_name((enum bl_row_status)s));
        fprintf(file, "%s\n", *separator == ' ' ? " none" : "");
    }
    free(table);
    return BL_OK;
}

/* The table of a comparison: what differs between the runs, and the rows that changed. */

/* A fraction; a clock that moves by less only fluctuates. */
static const double CLOCK_MOVES = 0.02;

static void print_clocks(FILE *file, const struct bl_comparison *comparison)
{
    const struct bl_run_rows *const runs[] = {comparison->before, comparison->after};
    double lowest, highest[2];
    for (unsigned i = 0; i < 2; i++) {
        bl_run_device_mhz(runs[i], &lowest, &highest[i]);
        if (highest[i] > lowest * (1 + CLOCK_MOVES))
            fprintf(file, "the device's clock moved during %s: %.0f to %.0f MHz\n",
                    comparison->names[i], lowest, highest[i]);
    }
    if (fabs(highest[0] - highest[1]) > CLOCK_MOVES * highest[0])
        fprintf(file, "the device's clock: %.0f -> %.0f MHz\n", highest[0], highest[1]);
}

/* Prints where the runs' descriptions differ, if that could explain a change. */
static enum bl_status begin_changes(struct bl_sink *sink)
{
    static const char *const says_nothing[] = {"schema", "run_id", "time_utc"};
    static const struct bl_row no_row;
    if (sink->view->quiet)
        return BL_OK;
    const struct bl_comparison *comparison = sink->comparison;
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        bool is_shown = column->owner == BL_COLUMN_OF_RUN;
        for (size_t k = 0; k < sizeof says_nothing / sizeof says_nothing[0]; k++)
            is_shown &= strcmp(column->name, says_nothing[k]) != 0;
        if (!is_shown)
            continue;
        char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
        const char *old = bl_column_text(column, &comparison->before->info, &no_row, one);
        const char *new = bl_column_text(column, &comparison->after->info, &no_row, other);
        if (strcmp(old, new) != 0)
            fprintf(sink->stream, "%s: %s -> %s\n", column->name, *old ? old : "unknown",
                    *new ? new : "unknown");
    }
    print_clocks(sink->stream, comparison);
    const char *const ids[] = {comparison->before->info.run_id, comparison->after->info.run_id};
    if (*ids[0] && strcmp(ids[0], ids[1]) == 0)
        bl_say(sink, "%s and %s are the same run", comparison->names[0], comparison->names[1]);
    for (unsigned i = 0; i < 2; i++)
        if (comparison->lacks_kernels[i] && !comparison->lacks_kernels[1 - i])
            fprintf(sink->stream,
                    "kernels: %s does not say which it had, so rows may not be comparable\n",
                    comparison->names[i]);
    return BL_OK;
}

/* Unclear rows are worth a line if they look like a change. */
static bool is_listed(const struct bl_compared *row, double threshold)
{
    if (row->change == BL_CHANGE_UNCLEAR)
        return fabs(row->by) >= threshold;
    return row->change != BL_CHANGE_SAME && row->change != BL_CHANGE_NO_NUMBER;
}

static const struct bl_layout_column change_columns[] = {
    {.name = "change", .width = 14},
    {.name = "case", .width = 24, .min_width = 16},
    {.name = "shape", .width = 7, .rank = 1},
    {.name = "type", .width = 6, .rank = 2},
    {.name = "by", .width = 9, .is_right = true},
    {.name = "before -> after", .width = 50, .min_width = 25},
};

static const char *change_colour(enum bl_change change)
{
    if (bl_change_is_bad(change))
        return BL_RED;
    return change == BL_CHANGE_FASTER ? BL_GREEN : change == BL_CHANGE_UNCLEAR ? BL_YELLOW : "";
}

static enum bl_status write_change(struct bl_sink *sink, const struct bl_compared *row)
{
    const struct bl_comparing *comparing = &sink->comparison->comparing;
    if (sink->view->quiet || !is_listed(row, comparing->threshold))
        return BL_OK;
    const struct bl_layout layout = bl_layout_for(
        change_columns, sizeof change_columns / sizeof change_columns[0], sink->view->width);
    char change[1024], by[16] = "", before[48], after[48], sides[BL_NO_NUMBER_REASON] = "";
    set_in_colour(sink, change_colour(row->change), bl_change_name(row->change), change);
    if (isfinite(row->by)) {
        snprintf(by, sizeof by, "%+.2f %%", 100 * row->by);
        snprintf(sides, sizeof sides, "%s -> %s%s", bl_format_measured(row->before, before),
                 bl_format_measured(row->after, after),
                 row->is_absolute ? " (in its own time, not against its baseline)" : "");
        if (row->is_absolute && row->before->case_ns > 0 && row->after->case_ns > 0)
            bl_text_add(sides, sizeof sides, "; %.4g -> %.4g ns", row->before->case_ns,
                        row->after->case_ns);
        if (row->change == BL_CHANGE_BASELINE)
            bl_text_add(sides, sizeof sides,
                        "; its baseline %.4g -> %.4g ns, itself %.4g -> %.4g ns",
                        row->before->baseline_ns, row->after->baseline_ns, row->before->case_ns,
                        row->after->case_ns);
        if (comparing->knows_spread && row->before->note[0])
            bl_text_add(sides, sizeof sides, "; %s", row->before->note);
    } else if (row->after) {
        bl_no_number_reason(row->after, sides);
        if (bl_row_has_number(row->after))
            bl_format_measured(row->after, sides);
    }
    const char *const cells[] = {change, row->key->case_id, row->key->shape, row->key->type, by,
                                 sides};
    bl_layout_row(&layout, sink->stream, cells);
    return BL_OK;
}

/* A line at the end about a change that some row has. */
static void explain(const struct bl_sink *sink, enum bl_change change, const char *text)
{
    if (sink->comparison->counts[change] > 0)
        bl_say(sink, "%s", text);
}

static enum bl_status end_changes(struct bl_sink *sink, bool is_complete)
{
    const struct bl_comparison *comparison = sink->comparison;
    if (!is_complete)
        return BL_OK;
    fprintf(sink->stream, "%zu row%s:", comparison->count, bl_plural(comparison->count));
    const char *separator = " ";
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        print_count(sink->stream, &separator, comparison->counts[change],
                    bl_change_name((enum bl_change)change));
    fputs(*separator == ' ' ? " none\n" : "\n", sink->stream);
    if (fabs(comparison->own_times) >= comparison->comparing.threshold)
        bl_say(sink, "own times: %+.1f %% in the median of all rows; their ratios do not see it%s",
               100 * comparison->own_times,
               comparison->comparing.absolute ? "" : ", --absolute does");
    if (sink->view->quiet)
        return BL_OK;
    if (comparison->counts[BL_CHANGE_UNCLEAR] > 0)
        bl_say(
            sink,
            "unclear: the intervals, or the spread between runs, are too wide to detect a change "
            "of %g %%; rows that moved by less are not listed",
            100 * comparison->comparing.threshold);
    explain(
        sink, BL_CHANGE_BASELINE,
        "baseline-moved: the ratio moved because its baseline's time did, and not the row's own; "
        "see the baseline's own row");
    explain(sink, BL_CHANGE_KERNEL,
            "kernel-changed: measured by another kernel, with other options or by another sampler; "
            "not comparable");
    return BL_OK;
}

const struct bl_format bl_format_table = {
    .help = "the table on the terminal",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, end_run},
    .changes = {begin_changes, write_change, end_changes},
    .fleet = bl_fleet_table,
};
