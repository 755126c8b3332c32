/* What is wrong with the worst lines of a trace, and what would make them cheaper: each transform
 * is applied to the recorded addresses of the kernel's costliest group, and suggested only if they
 * are cheaper then by the model.
 */
#ifndef BANKLINE_TRACE_SUGGEST_H
#define BANKLINE_TRACE_SUGGEST_H

#include "trace/trace.h"

enum { BL_SUGGESTIONS = 3 };

struct bl_suggestion {
    const struct bl_trace_row *row;
    char sentence[640];
    double gain;        /* clocks of the line now over those with the fix; 1: none is known */
    double kernel_gain; /* ... of the kernel, everything counted that the fix changes */
    double stage_gain;  /* ... of the busiest stage of a compute unit; 1 without a fix */
    double device_gain; /* ... of the kernel's bound on the device it was timed on; NAN: unknown */
};

struct bl_suggestions {
    struct bl_suggestion all[BL_SUGGESTIONS];
    size_t count;
};

/* Of the lines of a finished trace that lose most, at least a hundredth of their kernel's clocks,
 * at most BL_SUGGESTIONS. The trace must outlive them. BL_NO_MEMORY. */
enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

/* Adds, where the kernels were timed (bounds.h), what the fixes gain there. */
void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions);

#endif
