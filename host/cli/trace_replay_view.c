/* The table of the lines that were replayed. */
#include <math.h>
#include <string.h>

#include "cli/trace_view.h"
#include "report/layout.h"
#include "report/words.h"

enum column { LINE, MEMORY, OP, REQUESTS, LEVEL, PREDICTED, MEASURED, OFF, VERDICT, COLUMNS };

static const struct bl_layout_column columns[COLUMNS] = {
    [LINE] = {.name = "line", .width = 24},
    [MEMORY] = {.name = "memory", .width = 8},
    [OP] = {.name = "op", .width = 6},
    [REQUESTS] = {.name = "requests", .width = 8, .rank = 3, .is_right = true},
    [LEVEL] = {.name = "level", .width = 6, .rank = 2},
    [PREDICTED] = {.name = "predicted", .width = 9},
    [MEASURED] = {.name = "measured [95 % interval]", .width = 24},
    [OFF] = {.name = "off", .width = 7, .rank = 1, .is_right = true},
    [VERDICT] = {.name = "verdict", .width = 10},
};

static void print_row(const struct bl_layout *layout, FILE *file, const struct bl_trace_row *row)
{
    const struct bl_replayed *replayed = &row->replayed;
    struct bl_row shown = bl_row_empty();
    shown.measured = replayed->measured;
    shown.measured_lo = replayed->low;
    shown.measured_hi = replayed->high;
    char line[300], requests[16], predicted[16], measured[48], off[16] = "-";
    snprintf(line, sizeof line, "%.250s:%u", basename(row->name), row->line);
    snprintf(requests, sizeof requests, "%u", replayed->requests);
    const double distance = replayed->measured / replayed->predicted - 1;
    if (isfinite(distance))
        snprintf(off, sizeof off, "%+.1f %%", 100 * distance);
    const char *const cells[COLUMNS] = {
        [LINE] = line,
        [MEMORY] = bl_memory_name(row->memory),
        [OP] = bl_operation_name(row->operation),
        [REQUESTS] = requests,
        [LEVEL] = replayed->level,
        [PREDICTED] = bl_format_ratio(replayed->predicted, predicted),
        [MEASURED] = isfinite(replayed->measured) ? bl_format_measured(&shown, measured) : "-",
        [OFF] = off,
        [VERDICT] = bl_verdict_name(replayed->verdict),
    };
    bl_layout_row(layout, file, cells);
    if (*replayed->why_not) {
        const unsigned width = bl_line_width(file);
        fputs("  ", file);
        bl_put_wrapped(file, replayed->why_not, 2, 2, width);
        fputc('\n', file);
    }
}

void bl_print_replayed(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    fprintf(file, "\nreplayed on %s", trace->replayed_on);
    if (strcmp(trace->replayed_as, trace->machine->name) != 0)
        fprintf(file, ", which is machine %s, and held against machine %s", trace->replayed_as,
                trace->machine->name);
    fputs("\n\n", file);
    bool any = false;
    for (size_t i = 0; i < trace->row_count; i++)
        any |= trace->rows[i].replayed.is_tried;
    if (!any) {
        fprintf(file, "nothing to replay: machine %s has no rule of any line\n",
                trace->machine->name);
        return;
    }
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].replayed.is_tried)
            print_row(&layout, file, &trace->rows[i]);
    fputc('\n', file);
    bl_put_wrapped(file,
                   "Ratios are the throughput of up to 8 requests of the line, by the starts that "
                   "were recorded, over that of contiguous ones of the same type.",
                   0, 0, bl_line_width(file));
    fputc('\n', file);
}
