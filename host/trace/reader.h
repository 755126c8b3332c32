/* Reads the records that the plugin writes (wire.h) into a trace. */
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
    void (*idle)(void *context); /* called every 20 ms while no data arrives */
};

/* Reads the descriptor to its end and finishes the trace. Before the call, set trace->machine, and
 * trace->predicting if times are predicted; leave the rest zero. Returns BL_OK even if the trace
 * ends within a launch; trace->is_whole is then false. Fails with BL_BAD_FORMAT if the data is not
 * a trace of this version, and with BL_FILE_FAILED, BL_NO_MEMORY or BL_INTERRUPTED. After a
 * failure, *trace is a finished trace of the data read so far. */
enum bl_status bl_trace_read(int descriptor, const struct bl_trace_progress *progress,
                             struct bl_trace *trace, struct bl_error *error);

/* The read end of a pipe. Reading ends if is_interrupted returns true. Private to host/trace. */

struct bl_pipe {
    int descriptor;
    const char *what;                      /* its name in messages, such as "the trace" */
    bool (*is_interrupted)(void *context); /* or NULL */
    void (*idle)(void *context);           /* called every 20 ms while no data arrives; or NULL */
    void *context;
};

/* Waits for data and reads at most `capacity` bytes. *got receives the number of bytes, 0 at the
 * end of the data. Fails with BL_INTERRUPTED or BL_FILE_FAILED. */
enum bl_status bl_pipe_read(const struct bl_pipe *pipe, void *to, size_t capacity, size_t *got,
                            struct bl_error *error);

#endif
