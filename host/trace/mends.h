/* Inside host/trace only: changes of a program that may make a line cheaper, applied to the
 * recorded accesses of a group. */
#ifndef BANKLINE_TRACE_MENDS_H
#define BANKLINE_TRACE_MENDS_H

#include "trace/trace.h"

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
struct bl_mended_clocks bl_mended_clocks_of(const struct bl_mended *mended,
                                            const struct bl_access accesses[], size_t count);

/* Whether an access is one of the row's. */
bool bl_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                  const struct bl_access *access);

#endif
