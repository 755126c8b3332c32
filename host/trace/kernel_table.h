/* Tables of a trace's kernels, for all formats: what each costs, all its launches and groups
 * counted, which of them to show, and their measured and predicted times. Groups that were not
 * traced are taken to be like those that were. */
#ifndef BANKLINE_TRACE_KERNEL_TABLE_H
#define BANKLINE_TRACE_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/json_values.h"
#include "report/layout.h"
#include "trace/trace.h"

struct bl_kernel_totals {
    double launches, groups;
    double accesses;            /* of work-items */
    double needed_bytes;        /* distinct ones of each request to global and constant memory */
    double moved_bytes;         /* of the sectors, or else the lines, that those requests touch */
    double clocks, lost_clocks; /* of all requests with a rule, one after another */
    double lost, share;         /* of the kernel's clocks; of those of all kernels; NAN: no rule */
    const char *limited_by;     /* the busiest stage of a compute unit, or what the kernel's time on
                                   a device is limited by; NULL: it is not known */
};

/* To be called after bl_trace_bound. */
struct bl_kernel_totals bl_trace_totals(const struct bl_trace *trace, unsigned kernel);

/* All kernels by number, those that lose most clocks first, and of those that lose alike those with
 * most clocks. The caller frees them; NULL: there is no memory. */
unsigned *bl_kernels_by_loss(const struct bl_trace *trace);

/* Which kernels' lines are shown; all zero: all. */
struct bl_kernel_choice {
    const char *name; /* of kernels, or a shell glob; NULL: any */
    unsigned top;     /* so many of them, the worst; 0: all */
};

/* Marks the kernels that are shown, trace->kernel_count of them; returns how many. */
size_t bl_kernels_choose(const struct bl_trace *trace, const unsigned by_loss[],
                         const struct bl_kernel_choice *choice, bool is_shown[]);

/* The table for a terminal. */
void bl_kernels_print(FILE *file, const struct bl_trace *trace, const unsigned by_loss[]);

/* The same in Markdown; nothing without memory. */
void bl_kernels_markdown(FILE *file, const struct bl_trace *trace);

/* A table of the kernels' measured times in Markdown; nothing if the program was not timed. */
void bl_timed_markdown(FILE *file, const struct bl_trace *trace);

/* A table of predicted times in Markdown; nothing if no times were to be predicted. */
void bl_predicted_markdown(FILE *file, const struct bl_trace *trace);

/* The columns of predicted times, by their names in each format. */
struct bl_predicted_column {
    const char *terminal, *markdown, *json;
    unsigned rank; /* on the terminal */
    size_t at;     /* of struct bl_predicted */
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
