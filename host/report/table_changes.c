/* The table of a comparison: what differs between the runs, and the rows that changed. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "report/table.h"
#include "report/words.h"

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
