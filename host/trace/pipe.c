#include "trace/pipe.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE_MS = 100 };

static bool is_interrupted(const struct bl_pipe *pipe)
{
    return pipe->is_interrupted && pipe->is_interrupted(pipe->context);
}

enum bl_status bl_pipe_read(const struct bl_pipe *pipe, void *to, size_t capacity, size_t *got,
                            struct bl_error *error)
{
    struct pollfd wanted = {.fd = pipe->descriptor, .events = POLLIN};
    /* A descriptor that is none is no reason to wait: reading from it says so. */
    const bool is_open = pipe->descriptor >= 0;
    while (is_open && poll(&wanted, 1, PAUSE_MS) <= 0 && !is_interrupted(pipe))
        ;
    if (is_open && is_interrupted(pipe))
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    ssize_t count;
    do
        count = read(pipe->descriptor, to, capacity);
    while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    return count < 0
               ? bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", pipe->what, strerror(errno))
               : BL_OK;
}
