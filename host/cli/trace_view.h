/* Prints a trace as text. */
#ifndef BANKLINE_CLI_TRACE_VIEW_H
#define BANKLINE_CLI_TRACE_VIEW_H

#include <stdio.h>

#include "trace/kernel_table.h"
#include "trace/suggest.h"

/* Prints the table of all kernels, and then a table of lines for each chosen kernel, beginning with
 * the kernel that loses the most clocks. Below each table of lines, prints which accesses it lacks.
 * Fails with BL_USAGE if no kernel has the name in `choice`, or with BL_NO_MEMORY. */
enum bl_status bl_print_trace(FILE *file, const struct bl_trace *trace,
                              const struct bl_kernel_choice *choice, struct bl_error *error);

/* Prints explanations of the table's columns, for a trace whose kernels were compiled with
 * -O<optimization> ("both" means -Oz). */
void bl_print_trace_notes(FILE *file, const struct bl_trace *trace, const char *optimization);

/* Returns a number for each suggestion: the suggestions for the chosen kernels get 1, 2, ...; those
 * that agree (bl_suggestions_agree) get the same number. The rest get 0 and are not shown. The
 * caller frees the numbers. If memory runs out, returns NULL or only zeros. */
size_t *bl_number_suggestions(const struct bl_trace *trace,
                              const struct bl_suggestions *suggestions,
                              const struct bl_kernel_choice *choice);

/* Prints the first suggestion with each number that is not 0, and the kernels and gains of the
 * other suggestions with this number. Prints nothing if `numbers` is NULL. */
void bl_print_suggestions(FILE *file, const struct bl_trace *trace,
                          const struct bl_suggestions *suggestions, const size_t numbers[]);

/* Prints the sources of the programs whose kernels were traced, with costs to the left of each
 * line. Leaves out lines that are more than 4 lines away from any access. */
void bl_print_annotated(FILE *file, const struct bl_trace *trace);

/* Prints each kernel's measured and minimum times; if times were not measured, the minimum work of
 * each kernel. */
void bl_print_bounds(FILE *file, const struct bl_trace *trace);

/* Prints the lines whose number of requests differs when the program is built without optimization.
 */
void bl_print_unoptimized(FILE *file, const struct bl_trace *trace,
                          const struct bl_trace *unoptimized);

/* Prints counts of the instructions that Intel's compiler generates for the kernels. Prints nothing
 * if the kernels were not compiled for Intel. */
void bl_print_intel(FILE *file, const struct bl_trace *trace);

/* Prints predicted and measured ratios of the lines that were replayed on a device. */
void bl_print_replayed(FILE *file, const struct bl_trace *trace);

/* Prints each kernel's predicted time, what limits it, and the times that the kernel would take
 * with more or larger groups, or if a suggestion were followed. `numbers` (bl_number_suggestions)
 * may be NULL. */
void bl_print_predicted(FILE *file, const struct bl_trace *trace,
                        const struct bl_suggestions *suggestions, const size_t numbers[]);

#endif
