/* Two traces of one program: as its compiler optimised it, and as it did not. */
#ifndef BANKLINE_TRACE_COMPARE_H
#define BANKLINE_TRACE_COMPARE_H

#include "trace/trace.h"

/* Notes in the rows of `trace` how many requests the same lines made in `unoptimized`, and returns
 * how many lines of that one have no row in `trace`; private memory, where an unoptimised program
 * keeps everything, is left out. */
size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized);

/* The row of `trace` that is the same line's as this of another trace; NULL: there is none. */
struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row);

#endif
