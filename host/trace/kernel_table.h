/* Tables of a trace's kernels for all formats: the cost of each over all its launches and groups,
 * the choice of kernels to show, and measured and predicted times. Groups that were not traced are
 * assumed to be like those that were. */
#ifndef BANKLINE_TRACE_KERNEL_TABLE_H
#define BANKLINE_TRACE_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/json_values.h"
#include "report/layout.h"
#include "trace/trace.h"

struct bl_kernel_totals {
    double launches, groups;
    double accesses;            /* by work-items */
    double needed_bytes;        /* distinct bytes of each request to global or constant memory */
    double moved_bytes;         /* bytes of the sectors, or else lines, that these requests touch */
    double clocks, lost_clocks; /* of all requests with a rule, if they were served serially */
    double lost, share;     /* lost_clocks / clocks; clocks / those of all kernels; NAN: no rule */
    const char *limited_by; /* the bottleneck of the time measured on a device, else the busiest
                               stage of a compute unit; NULL: unknown */
};

/* Call it after bl_trace_bound. */
struct bl_kernel_totals bl_trace_totals(const struct bl_trace *trace, unsigned kernel);

/* The numbers of all kernels, ordered by lost clocks, then by clocks, the largest first; kernels
 * without a rule come last. The caller frees the array; NULL if memory runs out. */
unsigned *bl_kernels_by_loss(const struct bl_trace *trace);

/* The choice of kernels whose lines are shown; all zero: all kernels. */
struct bl_kernel_choice {
    const char *name; /* a kernel's name or label, or a shell glob; NULL: any */
    unsigned top;     /* number of kernels to show, the worst first; 0: all */
};

/* Sets is_shown[] for all trace->kernel_count kernels; returns how many are shown. */
size_t bl_kernels_choose(const struct bl_trace *trace, const unsigned by_loss[],
                         const struct bl_kernel_choice *choice, bool is_shown[]);

/* The table for a terminal. */
void bl_kernels_print(FILE *file, const struct bl_trace *trace, const unsigned by_loss[]);

/* The same in Markdown; no rows if memory runs out. */
void bl_kernels_markdown(FILE *file, const struct bl_trace *trace);

/* A table of the kernels' measured times in Markdown; nothing if the program was not timed. */
void bl_timed_markdown(FILE *file, const struct bl_trace *trace);

/* A table of predicted times in Markdown; nothing if predictions were not requested. */
void bl_predicted_markdown(FILE *file, const struct bl_trace *trace);

/* The columns of predicted times, by their names in each format. */
struct bl_predicted_column {
    const char *terminal, *markdown, *json;
    unsigned rank; /* on the terminal */
    size_t at;     /* offset in struct bl_predicted */
};
enum { BL_PREDICTED_COLUMNS = 4 };
extern const struct bl_predicted_column bl_predicted_columns[BL_PREDICTED_COLUMNS];

/* The time in a column, in ns; NAN without a prediction. */
double bl_predicted_time(const struct bl_predicted *predicted, unsigned column);

/* Texts for people. */

enum { BL_CELL_BYTES = 32 };

/* "12.5 %"; "-" for NAN. Returns text. */
const char *bl_trace_percent_text(double fraction, char text[BL_CELL_BYTES]);

/* Writes a cell of a Markdown table, with its end; characters that mean something there are
 * escaped. */
void bl_trace_markdown_cell(FILE *file, const char *text);

#ifdef BL_WITH_JANSSON
/* {"accesses", ...} of a kernel. */
json_t *bl_kernel_totals_json(const struct bl_trace *trace, unsigned kernel, bool *whole);

/* Adds "predicted" to a kernel, null without a prediction, and "why_not_predicted". */
void bl_predicted_json(json_t *kernel, const struct bl_predicted *predicted, bool *whole);
#endif

#endif
