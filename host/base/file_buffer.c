#include "base/file_buffer.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* stdio notes in ferror() that fewer bytes were taken, which open_memstream() does not. */
static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    struct bl_file_buffer *buffer = cookie;
    while (buffer->capacity - buffer->count < count) {
        char *more = bl_array_grow(buffer->bytes, buffer->capacity, &buffer->capacity, 1);
        if (!more)
            return 0;
        buffer->bytes = more;
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    return (ssize_t)count;
}

void bl_file_buffer_open(struct bl_file_buffer *buffer)
{
    *buffer = (struct bl_file_buffer){0};
    buffer->stream = fopencookie(buffer, "w", (cookie_io_functions_t){.write = take});
}

static int write_all(int descriptor, const char *bytes, size_t count, size_t *written)
{
    while (*written < count) {
        const ssize_t step = write(descriptor, bytes + *written, count - *written);
        if (step > 0) {
            *written += (size_t)step;
        } else if (step == 0) {
            return EIO;
        } else if (errno == EAGAIN) { /* a terminal that another program made non-blocking */
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int bl_file_buffer_write(struct bl_file_buffer *buffer, int descriptor, size_t *written)
{
    *written = 0;
    const bool is_short = fflush(buffer->stream) != 0 || ferror(buffer->stream);
    const int reason =
        is_short ? ENOMEM : write_all(descriptor, buffer->bytes, buffer->count, written);
    if (is_short) {
        __fpurge(buffer->stream);
        clearerr(buffer->stream);
    }
    buffer->count = 0;
    return reason;
}

void bl_file_buffer_close(struct bl_file_buffer *buffer)
{
    if (buffer->stream)
        fclose(buffer->stream);
    free(buffer->bytes);
}
