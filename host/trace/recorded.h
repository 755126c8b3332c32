/* The starts that a line of a traced kernel accessed, as a table that `try` reads its index from.
 */
#ifndef BANKLINE_TRACE_RECORDED_H
#define BANKLINE_TRACE_RECORDED_H

#include "trace/trace.h"

enum { BL_RECORDED_REQUESTS = 8 };

struct bl_recorded {
    struct bl_type type; /* of its elements */
    unsigned requests;   /* of the machine's lanes each; 0: it cannot be replayed: */
    uint64_t starts[BL_RECORDED_REQUESTS * BL_MAX_LANES]; /* elements, request by request */
    char why_not[160];                                    /* a sentence; or empty */
};

/* At most BL_RECORDED_REQUESTS requests of a row in its kernel's kept group, of those that cost
 * alike and together most: sub-groups that cost differently would wait for each other. Lanes that
 * were not active do as the last active one, which costs nothing more. What lies before the first
 * request's line is left out, in whole MiB of global memory, so that the table needs no larger
 * array than it must; buffers follow each other. */
void bl_trace_record(const struct bl_trace *trace, const struct bl_trace_row *row,
                     struct bl_recorded *recorded);

#endif
