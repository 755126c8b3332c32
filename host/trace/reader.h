/* Reads what the plugin tells (wire.h) and makes a trace of it. */
#ifndef BANKLINE_TRACE_READER_H
#define BANKLINE_TRACE_READER_H

#include "trace/trace.h"

/* What goes on; NULL functions are not called. */
struct bl_trace_progress {
    void (*group)(void *context, const struct bl_trace *trace);
    bool (*is_interrupted)(void *context);
    void *context;
};

/* Reads from the descriptor until it ends, into a trace that is empty but for its machine, and
 * finishes that. BL_OK also where the trace was cut short: trace->is_whole says so.
 * BL_BAD_FORMAT where it is no such trace, or another version's; BL_FILE_FAILED, BL_NO_MEMORY;
 * BL_INTERRUPTED. Whatever is returned, what was read so far is in the trace, finished. */
enum bl_status bl_trace_read(int descriptor, const struct bl_trace_progress *progress,
                             struct bl_trace *trace, struct bl_error *error);

#endif
