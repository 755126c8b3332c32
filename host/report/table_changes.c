/* The table of a comparison: what differs between the runs, and the rows that changed. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "measure/stats.h"
#include "report/layout.h"
#include "report/table.h"

/* The table of a fleet: what is usual of each row, and the cards that differ. */

enum fleet_column { FLEET_CASE, FLEET_SHAPE, FLEET_TYPE, FLEET_CARDS, FLEET_MEDIAN, FLEET_SPREAD, FLEET_TIME, FLEET_COLUMNS };

static const struct bl_layout_column fleet_columns[FLEET_COLUMNS] = {
    [FLEET_CASE] = {.name = "case", .width = 26, .min_width = 16},
    [FLEET_SHAPE] = {.name = "shape", .width = 7},
    [FLEET_TYPE] = {.name = "type", .width = 6, .rank = 2},
    [FLEET_CARDS] = {.name = "cards", .width = 6, .is_right = true},
    [FLEET_MEDIAN] = {.name = "ratio", .width = 8, .is_right = true},
    [FLEET_SPREAD] = {.name = "spread", .width = 8, .is_right = true},
    [FLEET_TIME] = {.name = "of time", .width = 8, .rank = 1, .is_right = true},
};

/* What most of a terminal's lines show of one card. */
enum { MOST_OF_CARD = 4 };

static void print_rows(struct bl_sink *sink, const struct bl_fleet *fleet, size_t model)
{
    const struct bl_layout layout = bl_layout_for(fleet_columns, FLEET_COLUMNS, sink->view->width);
    bl_layout_heading(&layout, sink->stream);
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_row *row = &fleet->rows[i];
        char numbers[4][24] = {"", "", "", ""};
        if (row->model != model)
            continue;
        snprintf(numbers[0], sizeof numbers[0], "%zu", row->cards);
        snprintf(numbers[1], sizeof numbers[1], "%.4f", row->ratio);
        snprintf(numbers[2], sizeof numbers[2], "%.2f %%", 100 * row->ratio_spread);
        if (isfinite(row->time_spread))
            snprintf(numbers[3], sizeof numbers[3], "%.2f %%", 100 * row->time_spread);
        const char *const cells[FLEET_COLUMNS] = {
            [FLEET_CASE] = row->key.case_id, [FLEET_SHAPE] = row->key.shape, [FLEET_TYPE] = row->key.type,
            [FLEET_CARDS] = numbers[0],      [FLEET_MEDIAN] = numbers[1],    [FLEET_SPREAD] = numbers[2],
            [FLEET_TIME] = numbers[3]};
        bl_layout_row(&layout, sink->stream, cells);
    }
}

static void print_wrapped(struct bl_sink *sink, unsigned indent, const char *text)
{
    fprintf(sink->stream, "%*s", (int)indent, "");
    bl_put_wrapped(sink->stream, text, indent, indent, sink->view->width);
    fputc('\n', sink->stream);
}

static void print_outliers(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    const char *red = sink->view->colour ? BL_RED : "", *end = *red ? BL_COLOUR_END : "";
    size_t card = fleet->card_count, of_card = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_run_info *run = &fleet->cards[outlier->card].run;
        char text[BL_OUTLIER_TEXT];
        if (outlier->card != card) {
            card = outlier->card;
            of_card = 0;
            fprintf(sink->stream, "%s%s%s, %s on %s, run %s\n", red,
                    *run->device_id ? run->device_id : "no device_id", end, run->device, run->host,
                    run->run_id);
        }
        if (of_card++ < MOST_OF_CARD)
            print_wrapped(sink, 4, bl_outlier_text(fleet, outlier, text));
        const bool is_last = i + 1 == fleet->outlier_count || fleet->outliers[i + 1].card != card;
        if (is_last && of_card > MOST_OF_CARD)
            fprintf(sink->stream, "    and %zu more\n", of_card - MOST_OF_CARD);
    }
}

static void print_model(struct bl_sink *sink, const struct bl_fleet *fleet, size_t m)
{
    const struct bl_fleet_model *model = &fleet->models[m];
    char text[512];
    size_t rows = 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        rows += fleet->rows[i].model == m;
    snprintf(text, sizeof text, "%s, driver %s: %zu card%s, %zu row%s", model->device,
             model->driver, model->cards, bl_plural(model->cards), rows, bl_plural(rows));
    print_wrapped(sink, 0, text);
    if (!sink->view->quiet && model->cards >= BL_FEWEST_ALIKE)
        print_rows(sink, fleet, m);
    if (!isfinite(model->limit[BL_ODD_RATIO]))
        snprintf(text, sizeof text,
                 "too few cards to say which is the odd one: it takes four, and more the smaller "
                 "the difference");
    else
        snprintf(text, sizeof text,
                 "named are cards from %.1f spreads off in a ratio, or %.1f in their speed, and at "
                 "least %g %%: chance alone names a card in one healthy fleet of 100",
                 model->limit[BL_ODD_RATIO], model->limit[BL_ODD_SPEED], 100 * fleet->least);
    if (!sink->view->quiet || !isfinite(model->limit[BL_ODD_RATIO]))
        print_wrapped(sink, 0, text);
    if (!sink->view->quiet)
        fputc('\n', sink->stream);
}

/* Whether nothing need be said where no card differs. */
static bool is_plain(const struct bl_fleet *fleet)
{
    bool is = fleet->outlier_count == 0 && fleet->future_runs == 0 && fleet->nameless_runs == 0;
    for (size_t m = 0; m < fleet->model_count; m++)
        is &= isfinite(fleet->models[m].limit[BL_ODD_RATIO]) != 0;
    return is;
}

static void print_left_out(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    char text[256];
    if (fleet->future_runs > 0) {
        snprintf(text, sizeof text, "%zu run%s of the future left out: a clock is wrong",
                 fleet->future_runs, fleet->future_runs == 1 ? " is" : "s are");
        print_wrapped(sink, 0, text);
    }
    if (fleet->nameless_runs > 0) {
        snprintf(text, sizeof text,
                 "%zu run%s no device_id: those of a host are taken for one card's",
                 fleet->nameless_runs, fleet->nameless_runs == 1 ? " has" : "s have");
        print_wrapped(sink, 0, text);
    }
}

enum bl_status bl_table_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                              struct bl_error *error)
{
    (void)error;
    if (sink->view->quiet && is_plain(fleet))
        return BL_OK;
    for (size_t m = 0; m < fleet->model_count; m++)
        print_model(sink, fleet, m);
    print_outliers(sink, fleet);
    print_left_out(sink, fleet);
    size_t odd = 0, unjudged = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++)
        odd += i == 0 || fleet->outliers[i].card != fleet->outliers[i - 1].card;
    for (size_t m = 0; m < fleet->model_count; m++)
        if (!isfinite(fleet->models[m].limit[BL_ODD_RATIO]))
            unjudged += fleet->models[m].cards;
    fprintf(sink->stream, "%zu of %zu card%s differ%s from the others (%s to %s)", odd,
            fleet->card_count, bl_plural(fleet->card_count), odd == 1 ? "s" : "", fleet->first,
            fleet->last);
    if (unjudged > 0)
        fprintf(sink->stream, "; %zu could not be compared", unjudged);
    fputc('\n', sink->stream);
    return BL_OK;
}

/* Rows' clocks that differ by less are a clock's own steps. */
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

/* What describes the runs, where it differs and could explain a change. */
enum bl_status bl_table_begin_changes(struct bl_sink *sink, struct bl_error *error)
{
    (void)error;
    static const char *const says_nothing[] = {"schema", "run_id", "time_utc"};
    static const struct bl_row no_row;
    if (sink->view->quiet)
        return BL_OK;
    const struct bl_comparison *comparison = sink->comparison;
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        bool is_told = column->owner == BL_COLUMN_OF_RUN;
        for (size_t k = 0; k < sizeof says_nothing / sizeof says_nothing[0]; k++)
            is_told &= strcmp(column->name, says_nothing[k]) != 0;
        if (!is_told)
            continue;
        char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
        const char *old = bl_column_text(column, &comparison->before->info, &no_row, one);
        const char *new = bl_column_text(column, &comparison->after->info, &no_row, other);
        if (strcmp(old, new) != 0)
            fprintf(sink->stream, "%s: %s -> %s\n", column->name, *old ? old : "unknown",
                    *new ? new : "unknown");
    }
    print_clocks(sink->stream, comparison);
    for (unsigned i = 0; i < 2; i++)
        if (comparison->lacks_kernels[i] && !comparison->lacks_kernels[1 - i])
            fprintf(sink->stream,
                    "kernels: %s does not say which it had, so rows may not be comparable\n",
                    comparison->names[i]);
    return BL_OK;
}

/* Rows of which nobody can tell are worth a line where they look like a change. */
static bool is_told(const struct bl_compared *row, double threshold)
{
    if (row->change == BL_CHANGE_UNCLEAR)
        return fabs(row->by) >= threshold;
    return row->change != BL_CHANGE_SAME;
}

enum column { CHANGE, CASE, SHAPE, TYPE, BY, SIDES, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [CHANGE] = {.name = "change", .width = 14},
    [CASE] = {.name = "case", .width = 24, .min_width = 16},
    [SHAPE] = {.name = "shape", .width = 7, .rank = 1},
    [TYPE] = {.name = "type", .width = 6, .rank = 2},
    [BY] = {.name = "by", .width = 9, .is_right = true},
    [SIDES] = {.name = "before -> after", .width = 50, .min_width = 25},
};

static const char *colour_of(enum bl_change change)
{
    if (bl_change_is_bad(change))
        return BL_RED;
    return change == BL_CHANGE_FASTER ? BL_GREEN : change == BL_CHANGE_UNCLEAR ? BL_YELLOW : "";
}

enum bl_status bl_table_change(struct bl_sink *sink, const struct bl_compared *row,
                               struct bl_error *error)
{
    (void)error;
    if (sink->view->quiet || !is_told(row, sink->comparison->comparing.threshold))
        return BL_OK;
    const struct bl_layout layout = bl_layout_for(columns, COLUMN_COUNT, sink->view->width);
    char change[32], by[16] = "", before[48], after[48], sides[BL_NO_NUMBER_REASON] = "";
    const char *colour = sink->view->colour ? colour_of(row->change) : "";
    snprintf(change, sizeof change, "%s%s%s", colour, bl_change_name(row->change),
             *colour ? BL_COLOUR_END : "");
    if (isfinite(row->by)) {
        snprintf(by, sizeof by, "%+.2f %%", 100 * row->by);
        snprintf(sides, sizeof sides, "%s -> %s%s", bl_format_measured(row->before, before),
                 bl_format_measured(row->after, after),
                 row->is_absolute ? " (in its own time, not against its baseline)" : "");
        if (row->is_absolute && row->before->case_ns > 0 && row->after->case_ns > 0)
            snprintf(sides + strlen(sides), sizeof sides - strlen(sides), "; %.4g -> %.4g ns",
                     row->before->case_ns, row->after->case_ns);
        if (row->change == BL_CHANGE_BASELINE)
            snprintf(sides + strlen(sides), sizeof sides - strlen(sides),
                     "; its baseline %.4g -> %.4g ns, itself %.4g -> %.4g ns",
                     row->before->baseline_ns, row->after->baseline_ns, row->before->case_ns,
                     row->after->case_ns);
    } else if (row->after) {
        bl_no_number_reason(row->after, sides);
        if (bl_row_has_number(row->after))
            bl_format_measured(row->after, sides);
    }
    const char *const cells[COLUMN_COUNT] = {
        change, row->key->case_id, row->key->shape, row->key->type, by, sides};
    bl_layout_row(&layout, sink->stream, cells);
    return BL_OK;
}

/* A line at the end about a change that some row has. */
static void explain(struct bl_sink *sink, enum bl_change change, const char *text)
{
    if (sink->comparison->counts[change] == 0)
        return;
    bl_put_wrapped(sink->stream, text, 0, 0, sink->view->width);
    fputc('\n', sink->stream);
}

enum bl_status bl_table_end_changes(struct bl_sink *sink, bool is_complete, struct bl_error *error)
{
    (void)error;
    const struct bl_comparison *comparison = sink->comparison;
    if (!is_complete)
        return BL_OK;
    fprintf(sink->stream, "%zu row%s:", comparison->count, bl_plural(comparison->count));
    const char *separator = " ";
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (comparison->counts[change]) {
            fprintf(sink->stream, "%s%zu %s", separator, comparison->counts[change],
                    bl_change_name((enum bl_change)change));
            separator = ", ";
        }
    fputs(*separator == ' ' ? " none\n" : "\n", sink->stream);
    char text[200];
    if (fabs(comparison->own_times) >= comparison->comparing.threshold) {
        snprintf(text, sizeof text,
                 "own times: %+.1f %% in the median of all rows; their ratios do not see it%s",
                 100 * comparison->own_times,
                 comparison->comparing.absolute ? "" : ", --absolute does");
        bl_put_wrapped(sink->stream, text, 0, 0, sink->view->width);
        fputc('\n', sink->stream);
    }
    if (sink->view->quiet)
        return BL_OK;
    snprintf(
        text, sizeof text,
        "unclear: the intervals are too wide to tell a change of %g %%; those that moved by less "
        "are not listed",
        100 * comparison->comparing.threshold);
    explain(sink, BL_CHANGE_UNCLEAR, text);
    explain(sink, BL_CHANGE_BASELINE,
            "baseline-moved: the ratio moved with the time of its baseline, and the row's own time "
            "did not; the baseline's own row says what happened");
    explain(sink, BL_CHANGE_KERNEL,
            "kernel-changed: measured by another kernel, with other options or by another sampler; "
            "not comparable");
    return BL_OK;
}
