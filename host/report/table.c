/* The table of a run on the terminal: a heading, a line for each row as soon as it is measured, and
 * a summary at the end. The table of a comparison is in changes_table.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/sink.h"
#include "report/summary.h"

enum { CASE, SHAPE, CLAIM, PREDICTED, MEASURED, VERDICT, BYTES, REMARK, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [CASE] = {.name = "case", .width = 28, .min_width = 20}, /* 28 is the length of the longest id
                                                                of the catalogue */
    [SHAPE] = {.name = "shape", .width = 7, .rank = 1},
    [CLAIM] = {.name = "claim", .width = 6, .rank = 2},
    [PREDICTED] = {.name = "predicted", .width = 9},
    [MEASURED] = {.name = "measured [95 % interval]", .width = 25},
    [VERDICT] = {.name = "verdict", .width = 9},
    [BYTES] = {.name = "B/clk/CU", .width = 8, .rank = 3, .is_right = true},
    [REMARK] = {.name = "", .width = 1},
};

enum { MAX_CASE = 72 }; /* a longer id, as of `try`, is wrapped or shifts the cells after it */

/* Replaces the word "noisy" on a terminal, where lines have a maximum width. */
#define NOISY_MARK "~"

struct table {
    struct bl_layout_column columns[COLUMN_COUNT]; /* the columns on which `layout` is based */
    struct bl_layout layout; /* on a terminal, remarks have no column but separate lines */
    unsigned rows, verdicts[BL_NO_VERDICT + 1], statuses[BL_ROW_STATUS_COUNT];
    struct bl_score score;
    struct bl_claim_score claims;
    char claims_failed[128]; /* ids of the first cases whose printed claim was refuted */
    bool is_try;             /* whether the rows are of `try`, where the baseline is the contiguous
                                access */
    unsigned claims_named;   /* number of ids in claims_failed */
    struct bl_run_rows kept; /* copies of all rows, for the figures of each level; empty if quiet */
};

static enum bl_status begin_run(struct bl_sink *sink)
{
    struct table *table = calloc(1, sizeof *table);
    sink->state = table;
    if (!table)
        return bl_fail(sink->error, BL_NO_MEMORY, "out of memory while writing the table");
    const struct bl_view *view = sink->view;
    memcpy(table->columns, columns, sizeof columns);
    if (view->case_width > columns[CASE].width)
        table->columns[CASE].width = view->case_width < MAX_CASE ? view->case_width : MAX_CASE;
    if (view->by_level)
        table->columns[CLAIM] = (struct bl_layout_column){.name = "level", .width = 6};
    table->layout = bl_layout_for(
        table->columns, view->width < BL_ANY_WIDTH ? COLUMN_COUNT - 1 : COLUMN_COUNT, view->width);
    if (view->quiet)
        return BL_OK;
    bl_say(sink, "%s (%s, driver %s), predictions by machine %s", sink->run->device,
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
        return; /* the list is full; the table marks each of these rows anyway */
    table->claims_named++;
    bl_text_add(table->claims_failed, sizeof table->claims_failed, "%s%s", used ? ", " : "",
                row->key.case_id);
}

static void count_row(struct table *table, const struct bl_row *row)
{
    table->rows++;
    table->is_try |= strncmp(row->key.case_id, "try/", 4) == 0;
    table->verdicts[row->verdict]++;
    table->statuses[row->status]++;
    count_claim(table, row);
    bl_score_add(&table->score, row);
}

/* Writes the remark on a row. is_marked: whether NOISY_MARK already marks the row as noisy. */
static void remark(const struct bl_row *row, bool is_marked, char text[1024])
{
    const char *const parts[] = {
        row->status == BL_ROW_NOISY && !is_marked ? "noisy" : "", row->note,
        row->claim_verdict != BL_REFUTED ? ""
        : bl_claim_is_derived(row)       ? "the claim derived from the guide does not hold here"
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

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row)
{
    struct table *table = sink->state;
    count_row(table, row);
    if (sink->view->quiet)
        return BL_OK;
    const enum bl_status status = bl_run_add(&table->kept, row, sink->error);
    if (status != BL_OK)
        return status;
    char claim[20], predicted[16], measured[64], bytes[16] = "-", said[1024];
    char reason[BL_NO_NUMBER_REASON];
    const bool has_number = bl_row_has_number(row), has_limit = sink->view->width < BL_ANY_WIDTH;
    if (has_number) {
        bl_format_measured(row, measured);
        if (has_limit && row->status == BL_ROW_NOISY)
            strcat(measured, NOISY_MARK);
        if (isfinite(row->bytes_per_clock_cu))
            snprintf(bytes, sizeof bytes, "%.1f", row->bytes_per_clock_cu);
        remark(row, has_limit, said);
    } else {
        snprintf(said, sizeof said, "%s", row->reason);
        bl_no_number_reason(row, reason);
    }
    const char *const cells[COLUMN_COUNT] = {
        row->key.case_id,
        row->key.shape,
        sink->view->by_level ? row->level : bl_format_claim(row, claim),
        bl_format_prediction(row, predicted),
        has_number  ? measured
        : has_limit ? bl_row_status_name(row->status)
                    : reason,
        has_number ? bl_verdict_name(row->verdict) : NULL,
        has_number ? bytes : NULL,
        has_number ? said : NULL,
    };
    bl_layout_row_coloured(&table->layout, sink->stream, cells, has_number ? VERDICT : MEASURED,
                           sink->view->colour ? colour_of(row) : "");
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
                 "; predicted: computed by the model for machine %s%s; confirmed: the whole "
                 "interval is within %g %% of the prediction; refuted: no part of it is",
                 view->machine->name,
                 view->by_level ? " (beyond the first cache, from the time of a contiguous access "
                                  "in this run)"
                                : "",
                 view->tolerance * 100);
    bl_say(sink, "\nA ratio is the throughput divided by that of %s%s%s.%s%s%s",
           view->by_level  ? "the contiguous access at the same level of memory"
           : table->is_try ? "the contiguous access"
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
               table->claims_failed[0] ? "; these do not: " : "", table->claims_failed, more);
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
               "%s: %u row%s noisier than --precision allows; less other load or more time for "
               "each case (--seconds) helps.",
               width < BL_ANY_WIDTH ? NOISY_MARK " noisy" : "noisy", noisy,
               noisy == 1 ? " is" : "s are");
}

enum { FIGURES = 5 };

static const struct bl_layout_column figure_columns[1 + FIGURES] = {
    {.name = "level", .width = 14},
    {.name = "read GB/s", .width = 9, .is_right = true},
    {.name = "B/clk/CU", .width = 8, .is_right = true},
    {.name = "limit", .width = 6, .is_right = true},
    {.name = "written GB/s", .width = 12, .is_right = true},
    {.name = "latency ns", .width = 10, .is_right = true},
};

/* Prints each level's throughput and latency, as measured by this run's contiguous cases and
 * pointer chases. Empty columns are omitted. */
static void print_levels(const struct bl_sink *sink)
{
    const struct table *table = sink->state;
    struct bl_level_figures levels[BL_MOST_LEVELS];
    const unsigned count =
        bl_level_figures(&table->kept, sink->view->machine, sink->view->arrays_per_unit, levels);
    char texts[BL_MOST_LEVELS][FIGURES][24];
    struct bl_layout layout = bl_layout_for(figure_columns, 1 + FIGURES, sink->view->width);
    bool is_filled[FIGURES] = {false};
    for (unsigned i = 0; i < count; i++) {
        const double numbers[FIGURES] = {
            levels[i].read_gbytes_per_s, levels[i].read_bytes_per_clock,
            levels[i].limit_bytes_per_clock, levels[i].write_gbytes_per_s, levels[i].latency_ns};
        for (unsigned n = 0; n < FIGURES; n++) {
            snprintf(texts[i][n], sizeof texts[i][n], fabs(numbers[n]) < 1000 ? "%.1f" : "%.0f",
                     numbers[n]);
            if (!isfinite(numbers[n]))
                strcpy(texts[i][n], "-");
            is_filled[n] |= isfinite(numbers[n]);
        }
    }
    if (count == 0)
        return;
    for (unsigned n = 0; n < FIGURES; n++)
        layout.widths[1 + n] *= is_filled[n];
    fputc('\n', sink->stream);
    bl_layout_heading(&layout, sink->stream);
    for (unsigned i = 0; i < count; i++) {
        const char *cells[1 + FIGURES] = {levels[i].name};
        for (unsigned n = 0; n < FIGURES; n++)
            cells[1 + n] = texts[i][n];
        bl_layout_row(&layout, sink->stream, cells);
    }
    bl_say(sink,
           "From this run's contiguous accesses (GB/s) and pointer chases (ns); B/clk/CU: bytes "
           "per clock and compute unit%s.",
           is_filled[2] ? "; limit: the maximum of B/clk/CU by the machine's rule" : "");
    fputc('\n', sink->stream);
}

static enum bl_status end_run(struct bl_sink *sink, bool is_complete)
{
    struct table *table = sink->state;
    if (table && is_complete) {
        if (!sink->view->quiet && table->rows > 0)
            print_legend(sink);
        if (!sink->view->quiet)
            print_levels(sink);
        print_findings(sink);
        char counts[BL_COUNTS_BYTES];
        snprintf(counts, sizeof counts, "%u row%s:", table->rows, bl_plural(table->rows));
        for (unsigned v = 0; v < BL_NO_VERDICT; v++)
            bl_table_count(counts, table->verdicts[v], bl_verdict_name((enum bl_verdict)v));
        for (unsigned s = BL_ROW_NOISY; s < BL_ROW_STATUS_COUNT; s++)
            bl_table_count(counts, table->statuses[s], bl_row_status_name((enum bl_row_status)s));
        bl_say(sink, "%s%s", counts, counts[strlen(counts) - 1] == ':' ? " none" : "");
    }
    if (table)
        bl_run_free(&table->kept);
    free(table);
    return BL_OK;
}

const struct bl_format bl_format_table = {
    .help = "the table on the terminal",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, end_run},
    .changes = {bl_changes_begin, bl_changes_row, bl_changes_end},
    .fleet = bl_fleet_table,
};
