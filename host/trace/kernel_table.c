#include "trace/kernel_table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "trace/documents.h"

static bool is_global(const struct bl_trace_row *row)
{
    return row->memory == BL_MEMORY_GLOBAL || row->memory == BL_MEMORY_CONSTANT;
}

/* Of all groups; the share is left out. */
static struct bl_kernel_totals sum_up(const struct bl_trace *trace, unsigned number)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    const struct bl_machine *machine = trace->machine;
    const double times = bl_trace_times_sampled(kernel);
    struct bl_kernel_totals totals = {.lost = NAN, .share = NAN};
    bool has_rule = false;
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        if (row->kernel != number)
            continue;
        totals.accesses += (double)row->accesses * times;
        if (!row->has_rule)
            continue;
        has_rule = true;
        totals.clocks += row->clocks * times;
        totals.lost_clocks += bl_trace_lost(row) * times;
        if (!is_global(row))
            continue;
        totals.needed_bytes += (double)row->needed_bytes * times;
        totals.moved_bytes += machine->sector_bytes
                                  ? (double)row->own.sectors * machine->sector_bytes * times
                                  : (double)row->own.lines * machine->line_bytes * times;
    }
    const struct bl_bound *bound = &kernel->bound;
    if (bound->limited_by)
        totals.limited_by = bound->limited_by;
    else if (bound->clocks[bound->busiest] > 0)
        totals.limited_by = bl_stage_name(bound->busiest);
    if (has_rule && totals.clocks > 0)
        totals.lost = totals.lost_clocks / totals.clocks;
    else
        totals.clocks = totals.lost_clocks = NAN;
    return totals;
}

struct bl_kernel_totals bl_trace_totals(const struct bl_trace *trace, unsigned number)
{
    struct bl_kernel_totals totals = sum_up(trace, number);
    double all = 0;
    for (unsigned k = 0; k < trace->kernel_count; k++) {
        const double clocks = sum_up(trace, k).clocks;
        all += isfinite(clocks) ? clocks : 0;
    }
    totals.share = totals.clocks / all;
    return totals;
}

/* Kernels without a rule are last. */
static bool is_worse(const struct bl_kernel_totals *a, const struct bl_kernel_totals *b)
{
    if (!isfinite(a->clocks) || !isfinite(b->clocks))
        return isfinite(a->clocks) && !isfinite(b->clocks);
    return a->lost_clocks != b->lost_clocks ? a->lost_clocks > b->lost_clocks
                                            : a->clocks > b->clocks;
}

unsigned *bl_kernels_by_loss(const struct bl_trace *trace)
{
    const size_t count = trace->kernel_count;
    unsigned *order = calloc(count + 1, sizeof *order);
    struct bl_kernel_totals *totals = calloc(count + 1, sizeof *totals);
    if (!order || !totals) {
        free(order);
        free(totals);
        return NULL;
    }
    for (unsigned k = 0; k < count; k++) {
        totals[k] = sum_up(trace, k);
        size_t at = k;
        for (; at > 0 && is_worse(&totals[k], &totals[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    free(totals);
    return order;
}

size_t bl_kernels_choose(const struct bl_trace *trace, const unsigned by_loss[],
                         const struct bl_kernel_choice *choice, bool is_shown[])
{
    size_t count = 0;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[by_loss[i]];
        is_shown[by_loss[i]] = (!choice->name || fnmatch(choice->name, kernel->name, 0) == 0 ||
                                fnmatch(choice->name, bl_trace_label_of(kernel), 0) == 0) &&
                               (!choice->top || count < choice->top);
        count += is_shown[by_loss[i]];
    }
    return count;
}

/* One table of columns for the terminal and Markdown. */

enum { COLUMNS = 10, TEXT_BYTES = 32 };

static const struct bl_layout_column columns[COLUMNS] = {
    {.name = "kernel", .width = 24},
    {.name = "launches", .width = 8, .rank = 3, .is_right = true},
    {.name = "groups", .width = 7, .rank = 4, .is_right = true},
    {.name = "accesses", .width = 8, .rank = 5, .is_right = true},
    {.name = "needed", .width = 9, .rank = 1, .is_right = true},
    {.name = "moved", .width = 9, .rank = 1, .is_right = true},
    {.name = "clocks", .width = 8, .is_right = true},
    {.name = "lost", .width = 7, .is_right = true},
    {.name = "limit", .width = 6, .rank = 2},
    {.name = "share", .width = 7, .is_right = true},
};

static const char *bytes_text(double bytes, char text[TEXT_BYTES])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(text, TEXT_BYTES, bytes == floor(bytes) || bytes >= 100 ? "%.0f %s" : "%.3g %s", bytes,
             units[unit]);
    return text;
}

static const char *count_text(double count, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, !isfinite(count) ? "-" : count < 1e7 ? "%.0f" : "%.3g", count);
    return text;
}

static void fill_cells(const struct bl_trace *trace, unsigned number,
                       char texts[COLUMNS][TEXT_BYTES], const char *cells[COLUMNS])
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    const struct bl_kernel_totals totals = bl_trace_totals(trace, number);
    unsigned column = 0;
    cells[column++] = bl_trace_label_of(kernel);
    cells[column] = count_text(kernel->launches, texts[column]), column++;
    cells[column] = count_text((double)kernel->groups, texts[column]), column++;
    cells[column] = count_text(totals.accesses, texts[column]), column++;
    cells[column] = bytes_text(totals.needed_bytes, texts[column]), column++;
    cells[column] = bytes_text(totals.moved_bytes, texts[column]), column++;
    cells[column] = count_text(totals.clocks, texts[column]), column++;
    cells[column] = bl_trace_percent_text(totals.lost, texts[column]), column++;
    cells[column++] = totals.limited_by ? totals.limited_by : "-";
    cells[column] = bl_trace_percent_text(totals.share, texts[column]);
}

void bl_kernels_print(FILE *file, const struct bl_trace *trace, const unsigned by_loss[])
{
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < trace->kernel_count; i++) {
        char texts[COLUMNS][TEXT_BYTES];
        const char *cells[COLUMNS];
        fill_cells(trace, by_loss[i], texts, cells);
        bl_layout_row(&layout, file, cells);
    }
}

void bl_kernels_markdown(FILE *file, const struct bl_trace *trace,
                         void (*put_cell)(FILE *file, const char *text))
{
    unsigned *by_loss = bl_kernels_by_loss(trace);
    fputc('|', file);
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(file, " %s |", columns[c].name);
    fputs("\n|", file);
    for (size_t c = 0; c < COLUMNS; c++)
        fputs(columns[c].is_right ? " ---: |" : " --- |", file);
    fputc('\n', file);
    for (size_t i = 0; by_loss && i < trace->kernel_count; i++) {
        char texts[COLUMNS][TEXT_BYTES];
        const char *cells[COLUMNS];
        fill_cells(trace, by_loss[i], texts, cells);
        fputc('|', file);
        for (size_t c = 0; c < COLUMNS; c++)
            put_cell(file, cells[c]);
        fputc('\n', file);
    }
    free(by_loss);
}
