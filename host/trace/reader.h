/* Reads what the plugin writes (wire.h) and makes a trace of it. */
#ifndef BANKLINE_TRACE_READER_H
#define BANKLINE_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "trace/trace.h"

/* Progress callbacks; each may be NULL. */
struct bl_trace_progress {
    void (*group)(void *context, const struct bl_trace *trace);
    bool (*is_interrupted)(void *context);
    void *context;
    void (*idle)(void *context); /* several times a second while nothing comes */
};

/* Reads from the descriptor until it ends, into a trace that is empty but for its machine, and
 * finishes that. BL_OK also where the trace was cut short: trace->is_whole says so.
 * BL_BAD_FORMAT where it is no such trace, or another version's; BL_FILE_FAILED, BL_NO_MEMORY;
 * BL_INTERRUPTED. Whatever is returned, what was read so far is in the trace, finished. */
enum bl_status bl_trace_read(int descriptor, const struct bl_trace_progress *progress,
                             struct bl_trace *trace, struct bl_error *error);

/* Inside host/trace only: the end of a pipe that a program writes to, read so that an interruption
 * is noticed. */

struct bl_pipe {
    int descriptor;
    const char *what;                      /* for messages: "the trace" */
    bool (*is_interrupted)(void *context); /* or NULL */
    void (*idle)(void *context);           /* or NULL; several times a second while nothing comes */
    void *context;
};

/* Waits for bytes and reads at most `capacity` of them; *got is 0 at the end. BL_INTERRUPTED,
 * BL_FILE_FAILED. */
enum bl_status bl_pipe_read(const struct bl_pipe *pipe, void *to, size_t capacity, size_t *got,
                            struct bl_error *error);

#endif
