/* Prints the times of a trace's kernels: predicted times; and measured times, beside the minimum
 * times that the model computes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/trace_view.h"
#include "report/layout.h"

/* The columns of the table of predicted times: `kernel`, then the predicted times, then these two.
 */
enum { MEASURED = 1 + BL_PREDICTED_COLUMNS, LIMITED_BY, COLUMNS };

/* Formats a time, such as "12.3 us"; "-" if ns is NAN or not above 0. Returns `text` or a constant.
 */
static const char *time_text(double ns, char text[24])
{
    if (!(ns > 0))
        return "-";
    snprintf(text, 24, ns < 1e4 ? "%.2f us" : ns < 1e6 ? "%.1f us" : "%.0f us", ns / 1e3);
    return text;
}

/* Prints the shares of the warm time that are at least 2 %, the largest first. */
static void print_shares(FILE *file, const struct bl_predicted *predicted)
{
    bool is_printed[BL_LIMITS] = {false};
    const double least = 0.02;
    char text[256];
    int used = 0;
    for (unsigned n = 0; n < BL_LIMITS; n++) {
        unsigned largest = BL_LIMITS;
        for (unsigned i = 0; i < BL_LIMITS; i++)
            if (!is_printed[i] && predicted->shares[i] >= least &&
                (largest == BL_LIMITS || predicted->shares[i] > predicted->shares[largest]))
                largest = i;
        if (largest == BL_LIMITS)
            break;
        is_printed[largest] = true;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s %.0f %%", n ? ", " : "",
                         bl_time_limit_name((enum bl_time_limit)largest),
                         100 * predicted->shares[largest]);
    }
    if (used > 0)
        bl_put_paragraph(file, 2, 4, bl_line_width(file), "  of the warm time: %s", text);
}

static void print_what_ifs(FILE *file, const struct bl_predicted *predicted)
{
    char twice[24], larger[24] = "", groups[64] = "";
    if (isfinite(predicted->larger_group_ns))
        snprintf(groups, sizeof groups, "; groups of twice the size: %s",
                 time_text(predicted->larger_group_ns, larger));
    bl_put_paragraph(file, 2, 4, bl_line_width(file), "  twice as many groups: %s%s",
                     time_text(predicted->twice_groups_ns, twice), groups);
}

static void print_advice(FILE *file, unsigned kernel, const struct bl_suggestions *suggestions,
                         const size_t numbers[])
{
    for (size_t i = 0; numbers && i < suggestions->count; i++) {
        const struct bl_suggestion *suggestion = &suggestions->all[i];
        char time[24];
        if (suggestion->row->kernel == kernel && numbers[i] && isfinite(suggestion->predicted_ns))
            bl_put_paragraph(file, 2, 4, bl_line_width(file), "  with advice %zu: %s", numbers[i],
                             time_text(suggestion->predicted_ns, time));
    }
}

/* Prints the kernel's row. Returns whether the kernel has a predicted time. */
static bool print_kernel(FILE *file, const struct bl_layout *layout,
                         const struct bl_trace_kernel *kernel)
{
    const struct bl_predicted *predicted = &kernel->predicted;
    const struct bl_timed *timed = &kernel->timed;
    char texts[COLUMNS][24];
    const char *cells[COLUMNS] = {
        bl_trace_label_of(kernel),
        [MEASURED] = time_text(timed->launches ? timed->median_ns : NAN, texts[MEASURED]),
        [LIMITED_BY] = predicted->launches ? bl_time_limit_name(predicted->limited_by) : "-",
    };
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        cells[1 + c] = time_text(bl_predicted_time(predicted, c), texts[c]);
    bl_layout_row(layout, file, cells);
    if (timed->launches > 1)
        bl_put_paragraph(file, 2, 4, bl_line_width(file),
                         "  measured: the first of %u launches took %s", timed->launches,
                         time_text(timed->first_ns, texts[MEASURED]));
    if (!predicted->launches) {
        bl_put_paragraph(file, 2, 4, bl_line_width(file), "  no prediction: %s",
                         predicted->why_not);
        return false;
    }
    print_shares(file, predicted);
    print_what_ifs(file, predicted);
    return true;
}

void bl_print_predicted(FILE *file, const struct bl_trace *trace,
                        const struct bl_suggestions *suggestions, const size_t numbers[])
{
    struct bl_layout_column columns[COLUMNS] = {
        {.name = "kernel", .width = 24},
        [MEASURED] = {.name = "measured", .width = 10, .is_right = true},
        [LIMITED_BY] = {.name = "limited by", .width = 10},
    };
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        columns[1 + c] = (struct bl_layout_column){.name = bl_predicted_columns[c].terminal,
                                                   .width = 10,
                                                   .rank = bl_predicted_columns[c].rank,
                                                   .is_right = true};
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    const struct bl_timed_device *timed_on = &trace->timed_on;
    fputc('\n', file);
    bl_put_paragraph(file, 0, 2, bl_line_width(file),
                     "predicted times of one launch on machine %s%s%s%s", trace->machine->name,
                     *timed_on->name ? "; measured on " : "", timed_on->name,
                     timed_on->is_other ? ", another device than this machine describes" : "");
    fputc('\n', file);
    bl_layout_heading(&layout, file);
    for (unsigned k = 0; k < trace->kernel_count; k++)
        if (print_kernel(file, &layout, &trace->kernels[k]))
            print_advice(file, k, suggestions, numbers);
    fputc('\n', file);
    bl_put_paragraph(
        file, 0, 0, bl_line_width(file),
        "Times come from simulating a compute unit; the traced groups represent all groups. first: "
        "the first launch, with the data that the program's earlier kernels left in %s; the "
        "program's very first launch, and launches after long copies and computations of the host, "
        "find an idle device. warm: the mean of the launches after "
        "the first, or a repetition if there is only one. first and warm assume that the device's "
        "compiler keeps 4 loads of a loop in flight. from: warm caches, 70 %% of the arithmetic "
        "and, if nothing forbids it, 16 loads in flight, less 10 %%; to: cold caches, 150 %% of "
        "the arithmetic, one load at a time, and the kernel's code in memory, plus 10 %%; both "
        "allow for launches that start faster or slower. measured: the median of all launches. "
        "The predictions ignore other programs on the device, and clocks below the machine's.",
        *trace->machine->levels[0].name ? trace->machine->levels[0].name : "the caches");
}

static const char *bytes_text(double bytes, char text[24])
{
    if (bytes < 10 << 10)
        snprintf(text, 24, "%.0f bytes", bytes);
    else if (bytes < 10 << 20)
        snprintf(text, 24, "%.1f KiB", bytes / (1 << 10));
    else
        snprintf(text, 24, "%.1f MiB", bytes / (1 << 20));
    return text;
}

/* Prints the minimum work of a kernel, as clocks and bytes moved; needs no device. */
static void print_needs(FILE *file, const struct bl_trace_kernel *kernel)
{
    const struct bl_bound *bound = &kernel->bound;
    char read[24], written[24], sampled[96] = "", moved[128] = "";
    if (bound->clocks[bound->busiest] <= 0 && bound->read_bytes + bound->written_bytes <= 0)
        return;
    if (kernel->traced_groups < kernel->groups)
        snprintf(sampled, sizeof sampled, "; estimated from %" PRIu64 " of %" PRIu64 " groups",
                 kernel->traced_groups, kernel->groups);
    bytes_text(bound->read_bytes, read);
    bytes_text(bound->written_bytes, written);
    if (bound->read_bytes > 0 && bound->written_bytes > 0)
        snprintf(moved, sizeof moved,
                 "; at least %s are read from the next level and %s written to it", read, written);
    else if (bound->read_bytes > 0)
        snprintf(moved, sizeof moved, "; at least %s are read from the next level", read);
    else if (bound->written_bytes > 0)
        snprintf(moved, sizeof moved, "; at least %s are written to the next level", written);
    if (bound->clocks[bound->busiest] <= 0)
        bl_put_paragraph(file, 0, 2, bl_line_width(file), "Of %.100s,%s%s.",
                         bl_trace_label_of(kernel), moved + 1, sampled);
    else
        bl_put_paragraph(file, 0, 2, bl_line_width(file),
                         "%.100s needs at least %.0f clocks of the %s, all compute units "
                         "together%s%s.",
                         bl_trace_label_of(kernel), bound->clocks[bound->busiest],
                         bound->busiest == BL_STAGE_TAGS        ? "tag banks"
                         : bound->busiest == BL_STAGE_BANKS     ? "banks"
                         : bound->busiest == BL_STAGE_CONSTANTS ? "port of declared constants"
                                                                : "path of writes",
                         moved, sampled);
}

/* The number of columns before the levels' columns in the table of times. */
enum { NAMED = 7 };

static void print_time(const struct bl_layout *layout, FILE *file, const struct bl_level levels[],
                       const struct bl_trace_kernel *kernel)
{
    const struct bl_timed *timed = &kernel->timed;
    const struct bl_bound *bound = &kernel->bound;
    char texts[3 + BL_LEVELS][24], launches[16], part[16] = "-";
    snprintf(launches, sizeof launches, "%u", timed->launches);
    if (timed->ns > 0)
        snprintf(part, sizeof part, "%.1f %%", 100 * bound->ns / timed->ns);
    if (!bound->limited_by || bound->ns <= 0)
        strcpy(part, "-");
    const char *cells[NAMED + BL_LEVELS] = {
        bl_trace_label_of(kernel),
        launches,
        time_text(timed->ns, texts[0]),
        time_text(bound->ns, texts[1]),
        part,
        bound->limited_by && bound->ns > 0 ? bound->limited_by : "-",
        time_text(bound->stage_ns, texts[2]),
    };
    for (unsigned i = 0; i < BL_LEVELS; i++)
        cells[NAMED + i] = *levels[i].name ? time_text(bound->level_ns[i], texts[3 + i]) : "";
    bl_layout_row(layout, file, cells);
    if (timed->launches && timed->launches != kernel->launches)
        fprintf(file, "  %u launches under Oclgrind; the bound is for these\n", kernel->launches);
}

static void print_times(FILE *file, const struct bl_trace *trace)
{
    const struct bl_level *levels = trace->machine->levels;
    struct bl_layout_column columns[NAMED + BL_LEVELS] = {
        {.name = "kernel", .width = 24},
        {.name = "launches", .width = 8, .rank = 2, .is_right = true},
        {.name = "time", .width = 10, .is_right = true},
        {.name = "at least", .width = 10, .is_right = true},
        {.name = "of time", .width = 7, .is_right = true},
        {.name = "limited by", .width = 10},
        {.name = "in units", .width = 10, .rank = 1, .is_right = true},
    };
    for (unsigned i = 0; i < BL_LEVELS; i++) /* the column of a level without a name is
                                                empty */
        columns[NAMED + i] = (struct bl_layout_column){
            .name = levels[i].name, .width = *levels[i].name ? 10 : 1, .rank = 1, .is_right = true};
    const struct bl_layout layout = bl_layout_for(columns, NAMED + BL_LEVELS, bl_line_width(file));
    bool any = false;
    for (size_t k = 0; k < trace->kernel_count; k++)
        any |= trace->kernels[k].bound.limited_by != NULL;
    bl_print(file, "times on %s, %u compute units, at most %u MHz; %s machine %s%s\n\n",
             trace->timed_on.name, trace->timed_on.compute_units, trace->timed_on.mhz,
             any ? "bounds by" : "no bounds, because", trace->machine->name,
             any ? "" : " does not describe it");
    bl_layout_heading(&layout, file);
    for (size_t k = 0; k < trace->kernel_count; k++)
        print_time(&layout, file, levels, &trace->kernels[k]);
    fputc('\n', file);
    bl_put_paragraph(
        file, 0, 0, bl_line_width(file),
        "time: of all launches, by the device's clock; at least: the largest of the bounds in the "
        "columns to the right; of time: that bound's share of the time; in units: the time that "
        "the busiest stage of the compute units (tags, banks, or writes) needs at the highest "
        "clock, if the compiler merges all accesses that it may merge; columns of levels: the time "
        "to move each sector once per launch, at the rate of contiguous accesses. If not all "
        "groups were traced, the others are assumed to be like the traced groups between the first "
        "and the last.");
}

void bl_print_bounds(FILE *file, const struct bl_trace *trace)
{
    fputc('\n', file);
    if (*trace->timed_on.name) {
        print_times(file, trace);
        return;
    }
    for (size_t k = 0; k < trace->kernel_count; k++)
        print_needs(file, &trace->kernels[k]);
}
