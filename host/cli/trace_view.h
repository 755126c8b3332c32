/* Prints a trace as text. */
#ifndef BANKLINE_CLI_TRACE_VIEW_H
#define BANKLINE_CLI_TRACE_VIEW_H

#include <stdio.h>

#include "trace/kernel_table.h"
#include "trace/suggest.h"

/* Prints the table of all kernels, and then a table of lines for each chosen kernel, beginning with
 * the kernel that loses most clocks. Below each table, prints what was left out. Fails with
 * BL_USAGE if a name chooses no kernel, or with BL_NO_MEMORY. */
enum bl_status bl_print_trace(FILE *file, const struct bl_trace *trace,
                              const struct bl_kernel_choice *choice, struct bl_error *error);

/* Prints explanations of the table's columns, for a trace that was compiled with the option
 * -O<optimization>. */
void bl_print_trace_notes(FILE *file, const struct bl_trace *trace, const char *optimization);

/* Gives the suggestions for the chosen kernels numbers from 1 on. The number 0 means that a
 * suggestion is not shown. The caller frees the numbers; NULL if memory ran out. */
size_t *bl_number_suggestions(const struct bl_trace *trace,
                              const struct bl_suggestions *suggestions,
                              const struct bl_kernel_choice *choice);

/* Prints a sentence for each suggestion whose number is not 0. Prints nothing if numbers is
 * NULL. */
void bl_print_suggestions(FILE *file, const struct bl_suggestions *suggestions,
                          const size_t numbers[]);

/* Prints the sources of the programs whose kernels were traced, with costs to the left of each
 * line. Leaves out lines without accesses, except for a few lines around each access. */
void bl_print_annotated(FILE *file, const struct bl_trace *trace);

/* Prints the minimum time of each kernel, and beside it the measured time if that is known. */
void bl_print_bounds(FILE *file, const struct bl_trace *trace);

/* Prints the lines that make other requests when the program is built without optimization. */
void bl_print_unoptimized(FILE *file, const struct bl_trace *trace,
                          const struct bl_trace *unoptimized);

/* Prints the output of Intel's compiler for the kernels. Prints nothing if this output was not
 * requested. */
void bl_print_intel(FILE *file, const struct bl_trace *trace);

/* Prints the predicted and the measured ratios of the replayed lines. */
void bl_print_replayed(FILE *file, const struct bl_trace *trace);

/* Prints the predicted time of each kernel, what limits it, and what would change it. `numbers`
 * (bl_number_suggestions) may be NULL. */
void bl_print_predicted(FILE *file, const struct bl_trace *trace,
                        const struct bl_suggestions *suggestions, const size_t numbers[]);

#endif
