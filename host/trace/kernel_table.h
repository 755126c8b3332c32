/* Tables of a trace's kernels for the terminal, Markdown and JSON: the cost of each kernel, summed
 * over all its launches and groups, and its measured and predicted times. Also selects the kernels
 * to show. The costs of untraced groups are estimated from the traced groups (launch_groups.h). */
#ifndef BANKLINE_TRACE_KERNEL_TABLE_H
#define BANKLINE_TRACE_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/json_values.h"
#include "report/layout.h"
#include "trace/trace.h"

struct bl_kernel_totals {
    double launches, groups;
    double accesses;     /* by work-items */
    double needed_bytes; /* distinct bytes, summed over the requests to global and constant memory
                            that have a rule */
    double moved_bytes;  /* bytes of the sectors that these requests touch, or of the lines if the
                            machine has no sectors */
    double clocks, lost_clocks; /* summed over all requests with a rule; NAN without a rule */
    double lost;                /* lost_clocks / clocks; NAN without a rule */
    double share;               /* fraction of the clocks of all kernels; NAN without a rule */
    const char *limited_by; /* the bottleneck on the device on which the kernel was timed, else the
                               busiest stage of a compute unit; NULL if unknown */
};

/* Computes a kernel's totals. Call it after bl_trace_bound. */
struct bl_kernel_totals bl_trace_totals(const struct bl_trace *trace, unsigned kernel);

/* The indices of all kernels, ordered by lost clocks, then by clocks, the largest first; kernels
 * without a rule come last. The caller frees the array; NULL if memory runs out. */
unsigned *bl_kernels_by_loss(const struct bl_trace *trace);

/* Selects the kernels for which tables of source lines are shown. If all members are zero, all
 * kernels are shown. */
struct bl_kernel_choice {
    const char *name; /* a kernel's name or label, or a shell glob; NULL for any kernel */
    unsigned top;     /* number of kernels to show, the worst first; 0 for all */
};

/* Sets is_shown[] for all trace->kernel_count kernels. Returns the number of shown kernels. */
size_t bl_kernels_choose(const struct bl_trace *trace, const unsigned by_loss[],
                         const struct bl_kernel_choice *choice, bool is_shown[]);

/* Writes the table of kernels for a terminal. */
void bl_kernels_print(FILE *file, const struct bl_trace *trace, const unsigned by_loss[]);

/* Writes the table of kernels in Markdown, without rows if memory runs out. */
void bl_kernels_markdown(FILE *file, const struct bl_trace *trace);

/* Writes a Markdown table of the kernels' measured times, or nothing if the program was not timed.
 */
void bl_timed_markdown(FILE *file, const struct bl_trace *trace);

/* Writes a Markdown table of predicted times, or nothing if no predictions were asked for. */
void bl_predicted_markdown(FILE *file, const struct bl_trace *trace);

/* The columns of predicted times, and their names in each format. */
struct bl_predicted_column {
    const char *terminal, *markdown, *json;
    unsigned rank; /* in the terminal's table */
    size_t at;     /* offset in struct bl_predicted */
};
enum { BL_PREDICTED_COLUMNS = 4 };
extern const struct bl_predicted_column bl_predicted_columns[BL_PREDICTED_COLUMNS];

/* The time in a column, in ns; NAN without a prediction. */
double bl_predicted_time(const struct bl_predicted *predicted, unsigned column);

/* Cells of the terminal's and of Markdown's tables. */

enum { BL_CELL_BYTES = 32 };

/* Formats a fraction as a percentage, such as "12.5 %"; "-" for NAN. Returns `text`. */
const char *bl_trace_percent_text(double fraction, char text[BL_CELL_BYTES]);

/* Writes a cell of a Markdown table and the '|' after it. Escapes characters that are special in
 * Markdown. */
void bl_trace_markdown_cell(FILE *file, const char *text);

#ifdef BL_WITH_JANSSON
/* Returns the object {"accesses", ...} with a kernel's totals. */
json_t *bl_kernel_totals_json(const struct bl_trace *trace, unsigned kernel, bool *whole);

/* Adds "predicted" (null without a prediction) and "why_not_predicted" to a kernel's object. */
void bl_predicted_json(json_t *kernel, const struct bl_predicted *predicted, bool *whole);
#endif

#endif
