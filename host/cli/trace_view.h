/* What a trace prints for a person. */
#ifndef BANKLINE_CLI_TRACE_VIEW_H
#define BANKLINE_CLI_TRACE_VIEW_H

#include <stdio.h>

#include "trace/kernel_table.h"
#include "trace/suggest.h"

/* The table of all kernels; then one of lines for each that is chosen, the one that loses most
 * first, and below it what was left out. BL_USAGE where a name chooses none; BL_NO_MEMORY. */
enum bl_status bl_print_trace(FILE *file, const struct bl_trace *trace,
                              const struct bl_kernel_choice *choice, struct bl_error *error);

/* What the table's columns mean, for a trace as compiled with -OOPTIMIZATION. */
void bl_print_trace_notes(FILE *file, const struct bl_machine *machine, const char *optimization);

/* Numbers the suggestions of the chosen kernels from 1; 0: not shown. The caller frees the numbers;
 * NULL without memory. */
size_t *bl_number_suggestions(const struct bl_trace *trace,
                              const struct bl_suggestions *suggestions,
                              const struct bl_kernel_choice *choice);

/* A sentence for each suggestion that has a number; none if numbers is NULL. */
void bl_print_suggestions(FILE *file, const struct bl_suggestions *suggestions,
                          const size_t numbers[]);

/* The sources of the programs whose kernels were traced, with what their lines cost at their left;
 * stretches without accesses are left out, except for a few lines around those that have some. */
void bl_print_annotated(FILE *file, const struct bl_trace *trace);

/* Prints the min time of each kernel, next to its measured time if known. */
void bl_print_bounds(FILE *file, const struct bl_trace *trace);

/* Prints the lines that make different requests without optimization. */
void bl_print_unoptimized(FILE *file, const struct bl_trace *trace,
                          const struct bl_trace *unoptimized);

/* Prints the output of Intel's compiler for the kernels; nothing if it was not requested. */
void bl_print_intel(FILE *file, const struct bl_trace *trace);

/* The lines that were replayed: what was predicted of their recorded starts, and measured. */
void bl_print_replayed(FILE *file, const struct bl_trace *trace);

/* "12.3 us"; "-" unless ns is above 0. Returns text, or a constant. */
const char *bl_time_text(double ns, char text[24]);

/* The predicted time of each kernel, what limits it, and what would change it, the suggestions by
 * their numbers; numbers may be NULL. */
void bl_print_predicted(FILE *file, const struct bl_trace *trace,
                        const struct bl_suggestions *suggestions, const size_t numbers[]);

#endif
