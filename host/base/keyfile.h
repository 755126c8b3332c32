/* Text files with one `key = value` per line.
 *
 * '#' begins a comment anywhere; empty lines are ignored; blanks around key and value are dropped.
 * A UTF-8 byte-order mark and CRLF line ends are accepted.
 */
#ifndef BANKLINE_KEYFILE_H
#define BANKLINE_KEYFILE_H

#include "base/status.h"

struct bl_key_line {
    const char *path;
    unsigned number;         /* line number, from 1 */
    const char *key, *value; /* value may be empty; both are valid until the handler returns */
};

/* Called for each `key = value` line in order. A status other than BL_OK ends the reading. */
typedef enum bl_status bl_key_handler(void *context, const struct bl_key_line *line,
                                      struct bl_error *error);

/* Reads a file; "-" and /dev/stdin are standard input. Returns BL_OK; BL_FILE_FAILED when the file
 * cannot be read; BL_BAD_FORMAT, with file and line in error, for a line that lacks '=' or a key,
 * that contains a zero byte, or that is longer than 4095 bytes; or the status with which the
 * handler ended the reading. Stops at the first line that fails. */
enum bl_status bl_keyfile_read(const char *path, bl_key_handler *handle, void *context,
                               struct bl_error *error);

/* Returns BL_BAD_FORMAT. Writes "PATH:NUMBER: " and the sentence (printf's format) into error. */
enum bl_status bl_keyfile_fail(const struct bl_key_line *line, struct bl_error *error,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
