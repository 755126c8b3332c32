/* Advice: why the accesses to a kernel's costliest arrays are slow, and how to make them faster.
 * Each transform is applied to the recorded accesses to an array by the kernel's costliest group,
 * or to a sample of them. A transform is suggested only if, according to the model, it makes these
 * accesses cheaper, makes all accesses of the kernel at least 3 % faster, makes no other kernel's
 * accesses to the array dearer, and saves clocks in all these kernels together. */
#ifndef BANKLINE_TRACE_SUGGEST_H
#define BANKLINE_TRACE_SUGGEST_H

#include "trace/trace.h"

enum { BL_SUGGESTIONS_OF_KERNEL = 3 };

struct bl_suggestion {
    const struct bl_trace_row *row; /* the array's row that loses the most clocks */
    char sentence[1536];
    size_t advice_at; /* offset in `sentence` at which the advice starts */
    char fix[192];    /* the advice alone; empty if no fix helps */
    char index[128];  /* the new index of an element; empty if the fix keeps the layout, or if the
                         new layout has no single index expression */
    char expression[400]; /* the new index as a function of the present index i, such as "(i) + (i)
                             / 32" */
    bool swaps_ids;       /* the fix swaps the kernel's ids and changes no layout */
    double gain; /* speedup of the row (clocks now / clocks with the fix), or array_gain if this is
                    larger and, in addition, either the row gains nothing or the fix keeps elements
                    in registers; 1 if there is no fix */
    double array_gain;   /* speedup of all accesses to the array */
    double kernel_gain;  /* speedup of all accesses of the kernel */
    double stage_gain;   /* speedup of the busiest stage of a compute unit */
    double device_gain;  /* estimated speedup of the kernel on the device on which it was timed; NAN
                            if unknown */
    double predicted_ns; /* time of a launch with the fix and warm caches; NAN if not predicted */
    struct bl_array_layout layout; /* BL_ARRAY_UNCHANGED if the fix keeps the layout */
    uint64_t buffer; /* index of the array's buffer: the upper bits of the array's addresses */
    double saved;    /* clocks that the fix saves in all kernels that access the array */
};

struct bl_suggestions {
    struct bl_suggestion *all;
    size_t count, capacity;
};

/* Fills in the rows' least_passes and most_passes. Call it after bl_trace_finish. Fails with
 * BL_NO_MEMORY. */
enum bl_status bl_trace_bank_ranges(struct bl_trace *trace, struct bl_error *error);

/* Finds suggestions for each kernel of a finished trace: for the arrays that bl_array_search_begin
 * finds, beginning with the array that loses the most clocks, until the kernel has
 * BL_SUGGESTIONS_OF_KERNEL suggestions. Of different layouts for an array that several kernels
 * access, only the one that saves most clocks in these kernels is suggested. Suggestions are
 * sorted; the kernel that loses the most clocks comes first. Initializes *suggestions; free it with
 * bl_suggestions_free. The trace must outlive *suggestions. Fails with BL_NO_MEMORY. */
enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

/* Whether both are the same advice, or the same reason why there is none, for the same source line
 * in two kernels of a program. The gains may differ. */
bool bl_suggestions_agree(const struct bl_trace *trace, const struct bl_suggestion *a,
                          const struct bl_suggestion *b);

/* If the kernels were timed on a device, adds the estimated speedup of each fix on this device
 * (bounds.h). */
void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions);

/* Withdraws a suggestion: replaces the advice in its sentence with the reason `why`, and removes
 * the fix and its gains. */
void bl_suggestion_withdraw(struct bl_suggestion *suggestion, const char *why);

void bl_suggestions_free(struct bl_suggestions *suggestions);

#endif
