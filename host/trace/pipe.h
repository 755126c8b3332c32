/* Inside host/trace only: the end of a pipe that a program tells through, read while one looks out
 * for an interruption. */
#ifndef BANKLINE_TRACE_PIPE_H
#define BANKLINE_TRACE_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct bl_pipe {
    int descriptor;
    const char *what;                      /* is told: "the trace" */
    bool (*is_interrupted)(void *context); /* or NULL */
    void *context;
};

/* Waits for bytes and reads at most `capacity` of them; *got is 0 at the end. BL_INTERRUPTED,
 * BL_FILE_FAILED. */
enum bl_status bl_pipe_read(const struct bl_pipe *pipe, void *to, size_t capacity, size_t *got,
                            struct bl_error *error);

#endif
