/* Replays the worst lines of a trace: measures the recorded addresses on a real device. */
#ifndef BANKLINE_TRACE_REPLAY_H
#define BANKLINE_TRACE_REPLAY_H

#include "run/run.h"
#include "trace/trace.h"

enum { BL_REPLAYED_LINES = 5, BL_REPLAY_REQUESTS = 8 };

/* A row's recorded requests in the form that `try` expects: for each lane, the index of the element
 * that it accesses. */
struct bl_replay_input {
    struct bl_type type; /* element type */
    unsigned requests;   /* number of requests, each of machine->lanes lanes; 0 if the row cannot be
                            replayed */
    uint64_t starts[BL_REPLAY_REQUESTS * BL_MAX_LANES]; /* start elements, request by request */
    char why_not[160]; /* a sentence that says why the row cannot be replayed; empty if it can */
};

/* Chooses the requests to replay: at most BL_REPLAY_REQUESTS of a row's requests in the kernel's
 * costliest group. The chosen requests have similar costs, because requests of different cost would
 * make sub-groups wait for each other. Of several sets of similar requests, the set with the
 * highest total cost is taken. The accesses of the active lanes are assigned to the first lanes;
 * each of the other lanes repeats the last of these accesses, which adds no cost. To keep the array
 * small, buffers are placed one after another, and the part of each buffer before its first
 * accessed address is left out, in whole MiB for global memory. */
void bl_replay_input(const struct bl_trace *trace, const struct bl_trace_row *row,
                     struct bl_replay_input *input);

struct bl_replay {
    const struct bl_run *run; /* an open run without items, of the trace's machine */
    /* Called before a row is measured. name: the row and its access, such as
     * "stencil.cl:6 global read". */
    void (*begins)(void *context, const char *name);
    void *context;
};

/* Measures up to BL_REPLAYED_LINES rows of a finished trace, beginning with the rows that lose the
 * most clocks, and stores the results in the rows. Reads of global memory, and all accesses to
 * local and constant memory, are measured in the compute unit's cache or local memory, where the
 * trace's costs arise. Writes to global memory are measured at the first level that has a rule for
 * writes, or in the cache if no level has such a rule. If a measurement fails, its row says why.
 * Fails with BL_NO_MEMORY or BL_INTERRUPTED. */
enum bl_status bl_trace_replay(struct bl_trace *trace, const struct bl_replay *replay,
                               struct bl_error *error);

#endif
