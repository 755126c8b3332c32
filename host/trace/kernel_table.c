/* Prints the totals and times of kernels (kernel_table.h).
 *
 * A row of a trace counts only the traced groups. A kernel's totals are estimates for all of its
 * groups, because kernels are compared with each other, and their traced fractions differ. All
 * formats use one table of columns, so they show the same values. */
#include "trace/kernel_table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_global(const struct bl_trace_row *row)
{
    return row->memory == BL_MEMORY_GLOBAL || row->memory == BL_MEMORY_CONSTANT;
}

/* Computes all totals except `share`. */
static struct bl_kernel_totals sum_up(const struct bl_trace *trace, unsigned number)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    const struct bl_machine *machine = trace->machine;
    struct bl_kernel_totals totals = {
        .launches = kernel->launches, .groups = (double)kernel->groups, .lost = NAN, .share = NAN};
    bool has_rule = false;
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        if (row->kernel != number)
            continue;
        totals.accesses += row->all[BL_SUM_ACCESSES];
        if (!row->has_rule)
            continue;
        has_rule = true;
        totals.clocks += row->all_clocks;
        totals.lost_clocks += bl_trace_all_lost(row);
        if (!is_global(row))
            continue;
        totals.needed_bytes += row->all[BL_SUM_NEEDED_BYTES];
        totals.moved_bytes += machine->sector_bytes
                                  ? row->all[BL_SUM_SECTORS] * machine->sector_bytes
                                  : row->all[BL_SUM_LINES] * machine->line_bytes;
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

/* Whether kernel `a` comes before kernel `b`, because `a` loses more clocks, or loses as many and
 * takes more. Kernels without a rule come last. */
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

const char *bl_trace_percent_text(double fraction, char text[BL_CELL_BYTES])
{
    snprintf(text, BL_CELL_BYTES, isfinite(fraction) ? "%.1f %%" : "-", 100 * fraction);
    return text;
}

void bl_trace_markdown_cell(FILE *file, const char *text)
{
    fputc(' ', file);
    bl_put_markdown(file, text);
    fputs(" |", file);
}

/* The table of costs. */

enum kernel_value { LABEL, TEXT, COUNT, BYTES, PERCENT };

#define AT(member) offsetof(struct bl_kernel_totals, member)

static const struct kernel_column {
    enum kernel_value kind;
    size_t at; /* offset in struct bl_kernel_totals */
    struct bl_layout_column shown;
    const char *json; /* its key in a kernel's JSON totals; NULL: not in JSON */
} columns[] = {
    {LABEL, 0, {.name = "kernel", .width = 24}, NULL},
    {COUNT, AT(launches), {.name = "launches", .width = 8, .rank = 3, .is_right = true}, NULL},
    {COUNT, AT(groups), {.name = "groups", .width = 7, .rank = 4, .is_right = true}, NULL},
    {COUNT,
     AT(accesses),
     {.name = "accesses", .width = 8, .rank = 5, .is_right = true},
     "accesses"},
    {BYTES,
     AT(needed_bytes),
     {.name = "needed", .width = 9, .rank = 1, .is_right = true},
     "needed_bytes"},
    {BYTES,
     AT(moved_bytes),
     {.name = "moved", .width = 9, .rank = 1, .is_right = true},
     "moved_bytes"},
    {COUNT, AT(clocks), {.name = "clocks", .width = 8, .is_right = true}, "clocks"},
    {PERCENT, AT(lost), {.name = "lost", .width = 7, .is_right = true}, "lost"},
    {TEXT, AT(limited_by), {.name = "limit", .width = 6, .rank = 2}, "limited_by"},
    {PERCENT, AT(share), {.name = "share", .width = 7, .is_right = true}, "share"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *text_at(const struct bl_kernel_totals *totals,
                           const struct kernel_column *column)
{
    const char *text;
    memcpy(&text, (const char *)totals + column->at, sizeof text);
    return text;
}

static double number_at(const void *from, size_t at)
{
    double number;
    memcpy(&number, (const char *)from + at, sizeof number);
    return number;
}

static const char *bytes_text(double bytes, char text[BL_CELL_BYTES])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(text, BL_CELL_BYTES, bytes == floor(bytes) || bytes >= 100 ? "%.0f %s" : "%.3g %s",
             bytes, units[unit]);
    return text;
}

static const char *count_text(double count, char text[BL_CELL_BYTES])
{
    snprintf(text, BL_CELL_BYTES, !isfinite(count) ? "-" : count < 1e7 ? "%.0f" : "%.3g", count);
    return text;
}

static void fill_cells(const struct bl_trace *trace, unsigned number,
                       char texts[COLUMNS][BL_CELL_BYTES], const char *cells[COLUMNS])
{
    const struct bl_kernel_totals totals = bl_trace_totals(trace, number);
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct kernel_column *column = &columns[c];
        if (column->kind == LABEL)
            cells[c] = bl_trace_label_of(&trace->kernels[number]);
        else if (column->kind == TEXT)
            cells[c] = text_at(&totals, column) ? text_at(&totals, column) : "-";
        else {
            const double value = number_at(&totals, column->at);
            cells[c] = column->kind == COUNT   ? count_text(value, texts[c])
                       : column->kind == BYTES ? bytes_text(value, texts[c])
                                               : bl_trace_percent_text(value, texts[c]);
        }
    }
}

void bl_kernels_print(FILE *file, const struct bl_trace *trace, const unsigned by_loss[])
{
    struct bl_layout_column shown[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++)
        shown[c] = columns[c].shown;
    const struct bl_layout layout = bl_layout_for(shown, COLUMNS, bl_line_width(file));
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < trace->kernel_count; i++) {
        char texts[COLUMNS][BL_CELL_BYTES];
        const char *cells[COLUMNS];
        fill_cells(trace, by_loss[i], texts, cells);
        bl_layout_row(&layout, file, cells);
    }
}

void bl_kernels_markdown(FILE *file, const struct bl_trace *trace)
{
    unsigned *by_loss = bl_kernels_by_loss(trace);
    fputc('|', file);
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(file, " %s |", columns[c].shown.name);
    fputs("\n|", file);
    for (size_t c = 0; c < COLUMNS; c++)
        fputs(columns[c].shown.is_right ? " ---: |" : " --- |", file);
    fputc('\n', file);
    for (size_t i = 0; by_loss && i < trace->kernel_count; i++) {
        char texts[COLUMNS][BL_CELL_BYTES];
        const char *cells[COLUMNS];
        fill_cells(trace, by_loss[i], texts, cells);
        fputc('|', file);
        for (size_t c = 0; c < COLUMNS; c++)
            bl_trace_markdown_cell(file, cells[c]);
        fputc('\n', file);
    }
    free(by_loss);
}

/* The tables of times. */

const struct bl_predicted_column bl_predicted_columns[BL_PREDICTED_COLUMNS] = {
    {"first", "first launch", "first_ns", 0, offsetof(struct bl_predicted, first_ns)},
    {"warm", "warm", "ns", 0, offsetof(struct bl_predicted, ns)},
    {"from", "from", "lo_ns", 1, offsetof(struct bl_predicted, lo_ns)},
    {"to", "to", "hi_ns", 1, offsetof(struct bl_predicted, hi_ns)},
};

double bl_predicted_time(const struct bl_predicted *predicted, unsigned column)
{
    return predicted->launches > 0 ? number_at(predicted, bl_predicted_columns[column].at) : NAN;
}

static void put_us(FILE *file, double ns) { fprintf(file, ns >= 0 ? " %.4g |" : " - |", ns / 1e3); }

void bl_timed_markdown(FILE *file, const struct bl_trace *trace)
{
    if (!*trace->timed_on.name)
        return;
    fputs("\nTimes on ", file);
    bl_put_markdown(file, trace->timed_on.name);
    if (trace->timed_on.is_other) {
        fputs(", another device than machine ", file);
        bl_put_markdown(file, trace->machine->name);
        fputs(" describes", file);
    }
    fputs(".\n\n| kernel | launches | time (us) | at least (us) | limited by |\n"
          "| --- | ---: | ---: | ---: | --- |\n",
          file);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        const char *const limited_by = kernel->bound.limited_by;
        fputc('|', file);
        bl_trace_markdown_cell(file, bl_trace_label_of(kernel));
        fprintf(file, " %u |", kernel->timed.launches);
        put_us(file, kernel->timed.launches > 0 ? kernel->timed.ns : NAN);
        put_us(file, limited_by ? kernel->bound.ns : NAN);
        fprintf(file, " %s |\n", limited_by ? limited_by : "-");
    }
}

void bl_predicted_markdown(FILE *file, const struct bl_trace *trace)
{
    if (!trace->predicting)
        return;
    fputs("\n| kernel |", file);
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        fprintf(file, " %s (us) |", bl_predicted_columns[c].markdown);
    fputs(" limited by |\n| --- |", file);
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        fputs(" ---: |", file);
    fputs(" --- |\n", file);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_predicted *predicted = &trace->kernels[k].predicted;
        fputc('|', file);
        bl_trace_markdown_cell(file, bl_trace_label_of(&trace->kernels[k]));
        for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
            put_us(file, bl_predicted_time(predicted, c));
        bl_trace_markdown_cell(file, predicted->launches > 0
                                         ? bl_time_limit_name(predicted->limited_by)
                                         : predicted->why_not);
        fputc('\n', file);
    }
}

/* JSON. */

#ifdef BL_WITH_JANSSON
json_t *bl_kernel_totals_json(const struct bl_trace *trace, unsigned number, bool *whole)
{
    const struct bl_kernel_totals totals = bl_trace_totals(trace, number);
    json_t *object = json_object();
    for (const struct kernel_column *column = columns; column < columns + COLUMNS; column++) {
        const char *text = column->kind == TEXT ? text_at(&totals, column) : NULL;
        if (column->json)
            bl_json_add(object, column->json,
                        column->kind == TEXT
                            ? bl_json_string_or_null(text ? text : "")
                            : bl_json_number_or_null(number_at(&totals, column->at)),
                        whole);
    }
    return object;
}

static json_t *predicted_of(const struct bl_predicted *predicted, bool *whole)
{
    if (!predicted->launches)
        return json_null();
    json_t *object = json_object(), *shares = json_object();
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        bl_json_add(object, bl_predicted_columns[c].json,
                    bl_json_number_or_null(bl_predicted_time(predicted, c)), whole);
    for (unsigned i = 0; i < BL_LIMITS; i++)
        bl_json_add(shares, bl_time_limit_name((enum bl_time_limit)i),
                    bl_json_number_or_null(predicted->shares[i]), whole);
    bl_json_add(object, "limited_by", bl_json_string(bl_time_limit_name(predicted->limited_by)),
                whole);
    bl_json_add(object, "shares", shares, whole);
    bl_json_add(object, "twice_groups_ns", bl_json_number_or_null(predicted->twice_groups_ns),
                whole);
    bl_json_add(object, "larger_group_ns", bl_json_number_or_null(predicted->larger_group_ns),
                whole);
    bl_json_add(object, "simulated_launches", json_integer(predicted->launches), whole);
    bl_json_add(object, "queued_launches", json_integer(predicted->queued), whole);
    return object;
}

void bl_predicted_json(json_t *kernel, const struct bl_predicted *predicted, bool *whole)
{
    const char *why_not = predicted->why_not;
    bl_json_add(kernel, "predicted", predicted_of(predicted, whole), whole);
    bl_json_add(kernel, "why_not_predicted", bl_json_string_or_null(why_not ? why_not : ""), whole);
}
#endif
