/* Files of a command that writes documents of its own, whole or not at all. */
#ifndef BANKLINE_CLI_WHOLE_FILES_H
#define BANKLINE_CLI_WHOLE_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"

/* Opens each output among the paths, of which the first `count` may be NULL or a file to write;
 * those behind them, up to `all`, are only compared: two that are the same file are BL_USAGE. Else
 * as bl_file_open. The caller closes files that were opened, whatever is returned. */
enum bl_status bl_whole_files_open(const struct bl_named_path paths[], size_t all, size_t count,
                                   struct bl_file *files[], struct bl_error *error);

/* Closes each, which is NULL then: one that cannot be written costs the others nothing. The first
 * failure. */
enum bl_status bl_whole_files_close(struct bl_file *files[], const bool is_complete[], size_t count,
                                    struct bl_error *error);

/* Where to print what is in no file: standard error if one of them is standard output. */
FILE *bl_whole_files_words(struct bl_file *const files[], size_t count);

/* Now, as 2026-11-22T17:34:36Z. */
void bl_time_utc(char text[32]);

#endif
