/* A table of a trace's kernels: what each costs, all its launches and groups counted, and which of
 * them to show. Groups that were not traced are taken to be like those that were. */
#ifndef BANKLINE_TRACE_KERNEL_TABLE_H
#define BANKLINE_TRACE_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/trace.h"

struct bl_kernel_totals {
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

/* The same in Markdown; nothing without memory. put_cell writes a cell with its end. */
void bl_kernels_markdown(FILE *file, const struct bl_trace *trace,
                         void (*put_cell)(FILE *file, const char *text));

#endif
