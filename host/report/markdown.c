/* Tables in GitHub's Markdown, for pull requests. */
#include <math.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/sink.h"

static void write_cell(FILE *file, const char *text)
{
    fputs("| ", file);
    bl_put_markdown(file, text);
    fputc(' ', file);
}

/* This macro writes a cell for each text. */
#define write_cells(file, ...) write_all(file, (const char *const[]){__VA_ARGS__, NULL})

static void write_all(FILE *file, const char *const texts[])
{
    while (*texts)
        write_cell(file, *texts++);
}

static enum bl_status begin_run(struct bl_sink *sink)
{
    fputs("**", sink->stream);
    bl_put_markdown(sink->stream, sink->run->device);
    fputs("**, driver ", sink->stream);
    bl_put_markdown(sink->stream, sink->run->driver);
    fprintf(sink->stream, ", predictions by machine %s\n\n", sink->view->machine->name);
    fputs("| case | shape | level | bound | claim | predicted | measured | 95 % interval | verdict "
          "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
          sink->stream);
    return BL_OK;
}

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row)
{
    char claim[20], predicted[16], reason[BL_NO_NUMBER_REASON];
    FILE *file = sink->stream;
    write_cells(file, row->key.case_id, row->key.shape, *row->level ? row->level : "-",
                *row->bound ? row->bound : "-", bl_format_claim(row, claim),
                bl_format_prediction(row, predicted));
    if (bl_row_has_number(row)) {
        fprintf(file, "| %.4f | %.4f to %.4f ", row->measured, row->measured_lo, row->measured_hi);
        char verdict[48];
        snprintf(verdict, sizeof verdict, "%s%s", bl_verdict_name(row->verdict),
                 row->status == BL_ROW_NOISY ? ", noisy" : "");
        write_cell(file, verdict);
    } else {
        fputs("| - | - ", file);
        write_cell(file, bl_no_number_reason(row, reason));
    }
    fputs("|\n", file);
    return BL_OK;
}

static enum bl_status begin_changes(struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    fprintf(sink->stream, "**%zu row%s", comparison->count, bl_plural(comparison->count));
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (comparison->counts[change])
            fprintf(sink->stream, ", %zu %s", comparison->counts[change],
                    bl_change_name((enum bl_change)change));
    fprintf(sink->stream, "** (threshold %.3g %%)\n", 100 * comparison->comparing.threshold);
    return BL_OK;
}

static void write_side(FILE *file, const struct bl_row *row)
{
    char reason[BL_NO_NUMBER_REASON];
    if (!row)
        fputs("| - ", file);
    else if (bl_row_has_number(row))
        fprintf(file, "| %.4f (%.4f to %.4f) ", row->measured, row->measured_lo, row->measured_hi);
    else
        write_cell(file, bl_no_number_reason(row, reason));
}

/* Lists a row that changed. The other rows are only counted. */
static enum bl_status write_change(struct bl_sink *sink, const struct bl_compared *row)
{
    static const char heading[] = "\n| change | case | shape | type | by | before | after |\n"
                                  "| --- | --- | --- | --- | --- | --- | --- |\n";
    if (row->change == BL_CHANGE_SAME || row->change == BL_CHANGE_UNCLEAR ||
        row->change == BL_CHANGE_NO_NUMBER || row->change == BL_CHANGE_NOT_ASKED)
        return BL_OK;
    FILE *file = sink->stream;
    if (!sink->state)
        fputs(heading, file);
    sink->state = sink; /* any value but NULL: the heading has been written */
    write_cells(file, bl_change_name(row->change), row->key->case_id, row->key->shape,
                row->key->type);
    if (isfinite(row->by))
        fprintf(file, "| %+.2f %%%s ", 100 * row->by, row->is_absolute ? " (own speed)" : "");
    else
        fputs("| - ", file);
    write_side(file, row->before);
    write_side(file, row->after);
    fputs("|\n", file);
    return BL_OK;
}

static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    FILE *file = sink->stream;
    char text[BL_OUTLIER_TEXT];
    fprintf(file, "**%zu card%s, %zu difference%s** (%s to %s)\n", fleet->card_count,
            bl_plural(fleet->card_count), fleet->outlier_count, bl_plural(fleet->outlier_count),
            fleet->first, fleet->last);
    for (size_t i = 0; i < fleet->group_count; i++) {
        char of_groups[BL_GROUPS_TEXT];
        fputs("\n- ", file);
        bl_put_markdown(file, bl_fleet_groups_text(fleet, &fleet->groups[i], of_groups));
        fputc('\n', file);
    }
    if (fleet->outlier_count > 0)
        fputs("\n| card | host | what | differs |\n| --- | --- | --- | --- |\n", file);
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_run_info *run = &fleet->cards[outlier->card].run;
        write_cells(file, *run->device_id ? run->device_id : run->device, run->host,
                    bl_oddity_name(outlier->oddity), bl_outlier_text(fleet, outlier, text));
        fputs("|\n", file);
    }
    for (size_t c = 0; c < fleet->card_count; c++) {
        const struct bl_run_info *run = &fleet->cards[c].run;
        const char *why = bl_fleet_why_not_compared(fleet, c);
        if (!why)
            continue;
        fputs("\n- ", file);
        bl_put_markdown(file, *run->device_id ? run->device_id : run->device);
        fputs(" on ", file);
        bl_put_markdown(file, run->host);
        fprintf(file, " could not be compared: %s\n", why);
    }
    fputs("\n| device | driver | case | shape | type | cards | median | spread |\n"
          "| --- | --- | --- | --- | --- | ---: | ---: | ---: |\n",
          file);
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_row *row = &fleet->rows[i];
        write_cells(file, fleet->models[row->model].device, fleet->models[row->model].driver,
                    row->key.case_id, row->key.shape, row->key.type);
        fprintf(file, "| %zu | %.4g | %.2f %% |\n", row->cards, row->ratio,
                100 * row->ratio_spread);
    }
    return BL_OK;
}

const struct bl_format bl_format_markdown = {
    .name = "markdown",
    .help = "write the rows as a Markdown table, for a pull request",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, NULL},
    .changes = {begin_changes, write_change, NULL},
    .fleet = write_fleet,
    .fleet_help = "write the typical rows and the outliers as Markdown tables",
};
