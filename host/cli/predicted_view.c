/* Prints the predicted times of a trace's kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace_view.h"
#include "report/layout.h"

/* The column `kernel` is left of the predicted times; the two columns below are right of them. */
enum { MEASURED = 1 + BL_PREDICTED_COLUMNS, LIMITED_BY, COLUMNS };

/* Prints the shares of the time, the largest first. */
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
                 bl_time_text(predicted->larger_group_ns, larger));
    bl_put_paragraph(file, 2, 4, bl_line_width(file), "  twice as many groups: %s%s",
                     bl_time_text(predicted->twice_groups_ns, twice), groups);
}

static void print_advice(FILE *file, unsigned kernel, const struct bl_suggestions *suggestions,
                         const size_t numbers[])
{
    for (size_t i = 0; numbers && i < suggestions->count; i++) {
        const struct bl_suggestion *suggestion = &suggestions->all[i];
        char time[24];
        if (suggestion->row->kernel == kernel && numbers[i] && isfinite(suggestion->predicted_ns))
            bl_put_paragraph(file, 2, 4, bl_line_width(file), "  with advice %zu: %s", numbers[i],
                             bl_time_text(suggestion->predicted_ns, time));
    }
}

/* Returns whether the kernel is predicted. */
static bool print_kernel(FILE *file, const struct bl_layout *layout,
                         const struct bl_trace_kernel *kernel)
{
    const struct bl_predicted *predicted = &kernel->predicted;
    const struct bl_timed *timed = &kernel->timed;
    char texts[COLUMNS][24];
    const char *cells[COLUMNS] = {
        bl_trace_label_of(kernel),
        [MEASURED] = bl_time_text(timed->launches ? timed->median_ns : NAN, texts[MEASURED]),
        [LIMITED_BY] = predicted->launches ? bl_time_limit_name(predicted->limited_by) : "-",
    };
    for (unsigned c = 0; c < BL_PREDICTED_COLUMNS; c++)
        cells[1 + c] = bl_time_text(bl_predicted_time(predicted, c), texts[c]);
    bl_layout_row(layout, file, cells);
    if (timed->launches > 1)
        bl_put_paragraph(file, 2, 4, bl_line_width(file),
                         "  measured: the first of %u launches took %s", timed->launches,
                         bl_time_text(timed->first_ns, texts[MEASURED]));
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
    fprintf(file, "\npredicted times of one launch on machine %s\n\n", trace->machine->name);
    bl_layout_heading(&layout, file);
    for (unsigned k = 0; k < trace->kernel_count; k++)
        if (print_kernel(file, &layout, &trace->kernels[k]))
            print_advice(file, k, suggestions, numbers);
    fputc('\n', file);
    bl_put_paragraph(
        file, 0, 0, bl_line_width(file),
        "Times come from simulating a compute unit; the traced groups represent all groups. first: "
        "the first launch, with the data that the program's earlier kernels left in %s; the "
        "program's very first launch finds an idle device. warm: after other launches of the same "
        "kernel. first and warm assume that the device's compiler keeps 4 loads of a loop in "
        "flight. from: warm caches and, if nothing forbids it, 16 loads in flight, less 10 %%; to: "
        "cold caches, one load at a time, and the kernel's code in memory, plus 10 %%. measured: "
        "the median of all launches. The predictions ignore clocks below the machine's and other "
        "programs on the device.",
        *trace->machine->levels[0].name ? trace->machine->levels[0].name : "the caches");
}
