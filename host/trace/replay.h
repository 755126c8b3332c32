/* The worst lines of a trace, measured: the starts that they accessed, on a real device. */
#ifndef BANKLINE_TRACE_REPLAY_H
#define BANKLINE_TRACE_REPLAY_H

#include "run/try.h"
#include "trace/trace.h"

enum { BL_REPLAYED_LINES = 5, BL_REPLAY_REQUESTS = 8 };

/* The starts of a line, as a table that `try` reads its index from. */
struct bl_replay_input {
    struct bl_type type; /* of its elements */
    unsigned requests;   /* of the machine's lanes each; 0: it cannot be replayed: */
    uint64_t starts[BL_REPLAY_REQUESTS * BL_MAX_LANES]; /* elements, request by request */
    char why_not[160];                                  /* a sentence; or empty */
};

/* At most BL_REPLAY_REQUESTS requests of a row in its kernel's kept group, of those that cost alike
 * and together most: sub-groups that cost differently would wait for each other. Lanes that were
 * not active do as the last active one, which costs nothing more. What lies before the first
 * request's line is left out, in whole MiB of global memory, so that the table needs no larger
 * array than it must; buffers follow each other. */
void bl_replay_input(const struct bl_trace *trace, const struct bl_trace_row *row,
                     struct bl_replay_input *input);

/* What is measured of a row. */
struct bl_replay_trial {
    const char *name;          /* "stencil.cl:6 global read" */
    struct bl_try_setup setup; /* a group for each request */
    const uint64_t *starts;    /* of all groups */
    const char *level;         /* "cache", or the machine's name of it */
};

struct bl_replay {
    const struct bl_bench *bench; /* an open session; its machine is the trace's */
    /* Fills in a measured row, without samples. Its failure is in the row of the trace. */
    enum bl_status (*measure)(void *context, const struct bl_replay_trial *trial,
                              struct bl_row *measured, struct bl_error *error);
    bool (*is_interrupted)(void *context);
    void *context; /* of both */
};

/* Measures up to BL_REPLAYED_LINES rows of a finished trace, those that lose most first, and fills
 * in what the rows say of it. Reads, and accesses of local and constant memory, are measured in the
 * cache of the compute unit, whose costs the trace has; writes to global memory, where they go
 * through that cache, at the first level that has a rule of them. BL_NO_MEMORY, BL_INTERRUPTED. */
enum bl_status bl_trace_replay(struct bl_trace *trace, const struct bl_replay *replay,
                               struct bl_error *error);

#endif
