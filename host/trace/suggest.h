/* Advice: what is wrong with the costliest arrays of each kernel, and how to fix it. Each transform
 * is applied to all recorded accesses to the array by the kernel's costliest group. It is suggested
 * only if the model finds these cheaper, and no other kernel's accesses to the array dearer.
 */
#ifndef BANKLINE_TRACE_SUGGEST_H
#define BANKLINE_TRACE_SUGGEST_H

#include "trace/trace.h"

enum { BL_SUGGESTIONS_OF_KERNEL = 3 };

struct bl_suggestion {
    const struct bl_trace_row *row; /* the line of the array that loses most */
    char sentence[1024];
    size_t advice_at;     /* where in the sentence what to do begins */
    char fix[192];        /* what to do; empty: no fix helps */
    char index[128];      /* of an element after the fix; empty: the layout stays, or no index
                             expresses it */
    char expression[400]; /* the same in terms of the present index i: "(i) + (i) / 32" */
    bool swaps_ids;       /* the fix swaps the kernel's ids and changes no layout */
    double gain;          /* clocks of the line now / with the fix; 1: there is no fix */
    double array_gain;    /* the same of all accesses to the array */
    double kernel_gain;   /* the same of all accesses of the kernel */
    double stage_gain;    /* the same of the busiest stage of a compute unit */
    double device_gain;   /* the same of the kernel's bound on the device it was timed on; NAN:
                             unknown */
    double predicted_ns;  /* of the kernel's launch with the fix, on warm caches; NAN: not
                             predicted */
    struct bl_array_layout layout; /* of the fix; UNCHANGED: none */
    uint64_t buffer;               /* the array, as in the upper bits of addresses */
};

struct bl_suggestions {
    struct bl_suggestion *all;
    size_t count, capacity;
};

/* Fills in the rows' least_passes and most_passes. Call it after bl_trace_finish. BL_NO_MEMORY. */
enum bl_status bl_trace_bank_ranges(struct bl_trace *trace, struct bl_error *error);

/* Finds suggestions for each kernel of a finished trace: for the arrays that lose most, at most
 * BL_SUGGESTIONS_OF_KERNEL, each of which loses at least a hundredth of the kernel's clocks.
 * Kernels that lose most come first. Initializes `suggestions`; free them with bl_suggestions_free.
 * The trace must outlive them. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

/* Adds what each fix gains on the device that the kernels were timed on, if they were (bounds.h).
 */
void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions);

/* Withdraws a suggestion: its sentence says why instead, and it gains nothing. */
void bl_suggestion_withdraw(struct bl_suggestion *suggestion, const char *why);

void bl_suggestions_free(struct bl_suggestions *suggestions);

#endif
