/* The table of a run on the terminal: a heading, a line a row as it comes, what it means at the
 * end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "report/sink.h"
#include "report/table.h"

enum column { CASE, SHAPE, CLAIM, PREDICTED, MEASURED, VERDICT, BYTES, REMARK, COLUMN_COUNT };

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

/* Where lines have a limit, in place of a word. */
#define NOISY_MARK "~"

struct table {
    struct bl_layout_column columns[COLUMN_COUNT]; /* the layout's */
    struct bl_layout layout; /* without remarks where lines have a limit: these get lines then */
    unsigned rows, verdicts[BL_NO_VERDICT + 1], statuses[BL_ROW_STATUS_COUNT];
    unsigned claims, claims_held;
    char claims_failed[128]; /* ids of the first cases whose claim does not hold here */
    unsigned claims_named;   /* how many of them these are */
    unsigned distances;      /* rows whose ratio is predicted, */
    unsigned not_one;        /* and is not 1: */
    unsigned not_one_verdicts[BL_NO_RULE]; /* theirs */
    double distance_sum, distance_max;     /* fractions, without their signs */
    char farthest[64];                     /* the case of the largest */
};

static void print_paragraph(const struct bl_sink *sink, const char *text)
{
    bl_put_wrapped(sink->stream, text, 0, 0, sink->view->width);
    fputc('\n', sink->stream);
}

static enum bl_status begin_run(struct bl_sink *sink, struct bl_error *error)
{
    struct table *table = calloc(1, sizeof *table);
    sink->state = table;
    if (!table)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the table");
    const struct bl_view *view = sink->view;
    memcpy(table->columns, columns, sizeof columns);
    if (view->by_level)
        table->columns[CLAIM] = (struct bl_layout_column){.name = "level", .width = 6};
    table->layout = bl_layout_for(
        table->columns, view->width < BL_ANY_WIDTH ? COLUMN_COUNT - 1 : COLUMN_COUNT, view->width);
    if (view->quiet)
        return BL_OK;
    char heading[512];
    snprintf(heading, sizeof heading, "%s (%s, driver %s), held against machine %s",
             sink->run->device, sink->run->platform, sink->run->driver, view->machine->name);
    print_paragraph(sink, heading);
    fputc('\n', sink->stream);
    bl_layout_heading(&table->layout, sink->stream);
    return BL_OK;
}

static void count_claim(struct table *table, const struct bl_row *row)
{
    if (row->claim_verdict == BL_NO_VERDICT)
        return;
    table->claims++;
    if (row->claim_verdict != BL_REFUTED) { /* unclear counts as holding */
        table->claims_held++;
        return;
    }
    const size_t used = strlen(table->claims_failed);
    if (used + strlen(row->key.case_id) + sizeof ", " > sizeof table->claims_failed)
        return; /* the table itself marks each of them */
    table->claims_named++;
    snprintf(table->claims_failed + used, sizeof table->claims_failed - used, "%s%s",
             used ? ", " : "", row->key.case_id);
}

static void count_row(struct table *table, const struct bl_row *row)
{
    table->rows++;
    table->verdicts[row->verdict]++;
    table->statuses[row->status]++;
    count_claim(table, row);
    if (!isfinite(row->distance))
        return;
    if (fabs(row->predicted - 1) > 1e-9) {
        table->not_one++;
        table->not_one_verdicts[row->verdict]++;
    }
    const double distance = fabs(row->distance);
    table->distances++;
    table->distance_sum += distance;
    if (distance <= table->distance_max)
        return;
    table->distance_max = distance;
    snprintf(table->farthest, sizeof table->farthest, "%.63s", row->key.case_id);
}

/* What is to be said of the row beside its numbers. is_marked: that it is noisy is seen already. */
static void remark(const struct bl_row *row, bool is_marked, char text[1024])
{
    const char *const parts[] = {
        row->status == BL_ROW_NOISY && !is_marked ? "noisy" : "", row->note,
        row->claim_verdict == BL_REFUTED ? "the guide's claim does not hold here" : ""};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0])
            used += (size_t)snprintf(text + used, 1024 - used, "%s%s", used ? "; " : "", parts[i]);
}

static const char *colour_of(const struct bl_row *row)
{
    if (row->verdict == BL_CONFIRMED)
        return BL_GREEN;
    if (row->verdict == BL_REFUTED || row->status >= BL_ROW_ERROR)
        return BL_RED;
    return row->verdict == BL_UNCLEAR ? BL_YELLOW : "";
}

/* Puts the colour of a row around its verdict, or around what it has instead. */
static const char *coloured(const struct bl_sink *sink, const struct bl_row *row, const char *text,
                            char buffer[1024])
{
    const char *colour = sink->view->colour ? colour_of(row) : "";
    snprintf(buffer, 1024, "%s%.900s%s", colour, text, *colour ? BL_COLOUR_END : "");
    return buffer;
}

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row,
                                struct bl_error *error)
{
    (void)error;
    struct table *table = sink->state;
    count_row(table, row);
    if (sink->view->quiet)
        return BL_OK;
    char claim[16], predicted[16], measured[1024], verdict[1024], bytes[16] = "-", said[1024];
    char reason[BL_NO_NUMBER_REASON];
    const bool has_number = bl_row_has_number(row), has_limit = sink->view->width < BL_ANY_WIDTH;
    if (has_number) {
        bl_format_measured(row, measured);
        if (has_limit && row->status == BL_ROW_NOISY)
            strcat(measured, NOISY_MARK);
        coloured(sink, row, bl_verdict_name(row->verdict), verdict);
        if (isfinite(row->bytes_per_clock_cu))
            snprintf(bytes, sizeof bytes, "%.1f", row->bytes_per_clock_cu);
        remark(row, has_limit, said);
    } else {
        snprintf(said, sizeof said, "%s", row->reason);
        bl_no_number_reason(row, reason);
        coloured(sink, row, has_limit ? bl_row_status_name(row->status) : reason, measured);
    }
    const char *const cells[COLUMN_COUNT] = {
        row->key.case_id,
        row->key.shape,
        sink->view->by_level ? row->level : bl_format_ratio(row->claim, claim),
        bl_format_prediction(row, predicted),
        measured,
        has_number ? verdict : NULL,
        has_number ? bytes : NULL,
        has_number ? said : NULL,
    };
    bl_layout_row(&table->layout, sink->stream, cells);
    if (has_limit && said[0]) {
        fputs("    ", sink->stream);
        bl_put_wrapped(sink->stream, said, 4, 4, sink->view->width);
        fputc('\n', sink->stream);
    }
    return BL_OK;
}

static void print_legend(const struct bl_sink *sink)
{
    const struct bl_view *view = sink->view;
    const struct table *table = sink->state;
    char text[800];
    size_t used =
        (size_t)snprintf(text, sizeof text, "\nRatios are throughput over that of %s",
                         view->by_level ? "the contiguous access at the same level"
                                        : "the case's baseline ('bankline list' names it)");
    if (view->machine->has_rule)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "; predicted: by the model of machine %s%s; confirmed: the whole "
                                 "interval is within %g %% of that, refuted: none of it",
                                 view->machine->name,
                                 view->by_level ? ", beyond the first cache with what a contiguous "
                                                  "access took there in this run"
                                                : "",
                                 view->tolerance * 100);
    if (table->layout.widths[BYTES])
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "; B/clk/CU: useful bytes per clock and compute unit");
    snprintf(text + used, sizeof text - used, ".%s%s%s",
             view->machine->has_rule ? "" : " no-rule: ", view->machine->why_no_rule,
             view->machine->has_rule ? "" : ".");
    print_paragraph(sink, text);
}

/* To find 1 where 1 is predicted is easy: the other rows hold the rule to account. */
static void print_not_one(const struct bl_sink *sink)
{
    const struct table *table = sink->state;
    char text[160];
    size_t used = (size_t)snprintf(text, sizeof text, "Predictions other than 1: %u of %u",
                                   table->not_one, table->distances);
    const char *separator = "; ";
    for (unsigned v = 0; v < BL_NO_RULE; v++)
        if (table->not_one_verdicts[v]) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%u %s", separator,
                                 table->not_one_verdicts[v], bl_verdict_name((enum bl_verdict)v));
            separator = ", ";
        }
    snprintf(text + used, sizeof text - used, ".");
    print_paragraph(sink, text);
}

static void print_findings(const struct bl_sink *sink)
{
    const struct table *table = sink->state;
    const unsigned noisy = table->statuses[BL_ROW_NOISY];
    char text[512];
    if (table->claims > 0) {
        const unsigned unnamed = table->claims - table->claims_held - table->claims_named;
        size_t used = (size_t)snprintf(text, sizeof text, "The guides' claims: %u of %u hold here",
                                       table->claims_held, table->claims);
        if (table->claims_failed[0])
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "; not %s", table->claims_failed);
        if (unnamed > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, " and %u more", unnamed);
        snprintf(text + used, sizeof text - used, ".");
        print_paragraph(sink, text);
    }
    if (table->distances > 0)
        print_not_one(sink);
    if (table->distances > 1) {
        snprintf(text, sizeof text,
                 "Distance from the prediction: mean %.1f %%, largest %.1f %% (%s).",
                 100 * table->distance_sum / table->distances, 100 * table->distance_max,
                 table->farthest);
        print_paragraph(sink, text);
    }
    if (noisy > 0) {
        snprintf(text, sizeof text,
                 "%s: samples of %u row%s differ by more than asked for; a quieter machine or more "
                 "time for each case (--seconds) helps.",
                 sink->view->width < BL_ANY_WIDTH ? NOISY_MARK " noisy" : "noisy", noisy,
                 bl_plural(noisy));
        print_paragraph(sink, text);
    }
}

/* ", 3 refuted" when there are any. */
static void print_count(FILE *file, const char **separator, unsigned count, const char *name)
{
    if (count) {
        fprintf(file, "%s%u %s", *separator, count, name);
        *separator = ", ";
    }
}

static enum bl_status end_run(struct bl_sink *sink, bool is_complete, struct bl_error *error)
{
    (void)error;
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

const struct bl_format bl_format_table = {
    .help = "the table on the terminal",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, end_run},
    .changes = {bl_table_begin_changes, bl_table_change, bl_table_end_changes},
    .fleet = bl_table_fleet,
};
