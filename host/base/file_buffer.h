/* What is written to a stream, until it is wanted: then it goes out whole, or not at all. */
#ifndef BANKLINE_BASE_FILE_BUFFER_H
#define BANKLINE_BASE_FILE_BUFFER_H

#include <stdio.h>

struct bl_file_buffer {
    FILE *stream; /* NULL when there was no memory */
    char *bytes;
    size_t count, capacity;
};

/* buffer must stay where it is until bl_file_buffer_close. */
void bl_file_buffer_open(struct bl_file_buffer *buffer);

/* Writes what is in it to descriptor, and *written is how many bytes came there; the buffer is
 * empty afterwards. Returns 0 or an errno: ENOMEM, with nothing written, when the buffer does not
 * hold all that was meant to be in it. */
int bl_file_buffer_write(struct bl_file_buffer *buffer, int descriptor, size_t *written);

void bl_file_buffer_close(struct bl_file_buffer *buffer);

#endif
