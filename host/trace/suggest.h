/* What is wrong with the worst arrays of a trace's kernels, and what would make them cheaper: each
 * transform is applied to all recorded accesses to the array by the kernel's costliest group, and
 * suggested only if they are cheaper then by the model, and no other kernel's become dearer.
 */
#ifndef BANKLINE_TRACE_SUGGEST_H
#define BANKLINE_TRACE_SUGGEST_H

#include "trace/trace.h"

enum { BL_SUGGESTIONS_OF_KERNEL = 3 };

struct bl_suggestion {
    const struct bl_trace_row *row; /* the line that loses most on the array */
    char sentence[1024];
    char fix[192];        /* what to do; empty: nothing is known */
    char index[128];      /* of the array's elements, with the fix; empty: its layout is the same */
    char expression[400]; /* the same by the present index i: "(i) + (i) / 32" */
    bool swaps_ids;       /* the fix is none of the layout, but of the kernel's ids */
    double gain;          /* clocks of the line now over those with the fix; 1: none is known */
    double array_gain;    /* ... of all accesses to the array */
    double kernel_gain;   /* ... of the kernel, everything counted that the fix changes */
    double stage_gain;    /* ... of the busiest stage of a compute unit; 1 without a fix */
    double
        predicted_ns; /* of the kernel's launch with the fix, on warm caches; NAN: not predicted */
    struct bl_array_layout layout; /* of the fix; UNCHANGED: none */
    uint64_t buffer;               /* the array, as in the upper bits of addresses */
    double device_gain; /* ... of the kernel's bound on the device it was timed on; NAN: unknown */
};

struct bl_suggestions {
    struct bl_suggestion *all;
    size_t count, capacity;
};

/* Of each kernel of a finished trace the arrays that lose most, at most BL_SUGGESTIONS_OF_KERNEL
 * and each at least a hundredth of the kernel's clocks; the kernels that lose most first.
 * `suggestions` need not be set; the caller frees them (bl_suggestions_free), and the trace must
 * outlive them. BL_NO_MEMORY. */
enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

/* Adds, where the kernels were timed (bounds.h), what the fixes gain there. */
void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions);

void bl_suggestions_free(struct bl_suggestions *suggestions);

#endif
