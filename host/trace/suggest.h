/* What is wrong with the worst lines of a trace, and what would mend it: each mend is applied to
 * the recorded addresses of the kernel's costliest group, and told only if the model then finds it
 * cheaper.
 */
#ifndef BANKLINE_TRACE_SUGGEST_H
#define BANKLINE_TRACE_SUGGEST_H

#include "trace/trace.h"

enum { BL_SUGGESTIONS = 3 };

struct bl_suggestion {
    const struct bl_trace_row *row;
    char sentence[640];
    double gain;        /* clocks of the line now over those with the mend; 1: none is known */
    double kernel_gain; /* ... of the kernel, everything counted that the mend changes */
    double stage_gain;  /* ... of the busiest stage of a compute unit; 1 without a mend */
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

/* Adds, where the kernels were timed (bounds.h), what the mends gain there. */
void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions);

/* Inside host/trace only: changes of a program that may make a line cheaper, applied to the
 * recorded accesses of a group. */

/* The accesses of a kernel's kept group, those of one row marked. */
struct bl_mended {
    const struct bl_trace *trace;
    const struct bl_trace_row *row;
    size_t count;
    const struct bl_access *accesses;
    bool *is_own;              /* of the row */
    struct bl_access *scratch; /* room for as many accesses */
};

struct bl_trace_mend {
    /* Fills scratch with all accesses as they would be, in steps and by item again, and `words`
     * with what to do; returns how many there are then, 0 where the mend does not apply. */
    size_t (*apply)(const struct bl_mended *mended, unsigned variant, char words[160]);
    unsigned variants; /* that it comes in, tried in order */
};

/* The easiest first. */
extern const struct bl_trace_mend bl_trace_mends[];
extern const size_t bl_trace_mend_count;

/* Clocks of these accesses: of the row's own, and of all. */
struct bl_mended_clocks {
    double own, all;
    double stages[BL_STAGES]; /* of all, by the stage of a compute unit */
};

/* Whether an access is one of the row's. */
bool bl_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                  const struct bl_access *access);

#endif
