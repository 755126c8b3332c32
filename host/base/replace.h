/* Files that are there whole, or as they were. */
#ifndef BANKLINE_REPORT_REPLACE_H
#define BANKLINE_REPORT_REPLACE_H

#include <stdio.h>

#include "base/status.h"

/* Writes the content to the file, to its buffer at least. Anything but BL_OK: the file is given up.
 */
typedef enum bl_status bl_content_writer(FILE *file, const void *content, struct bl_error *error);

/* Writes under a temporary name beside path, and renames it into place when it is whole and on the
 * disk: a reader sees the old content or the new one. What is there and is no file, as /dev/stdout,
 * is written to instead; of a symbolic link, what it points to is replaced. BL_FILE_FAILED with the
 * path, or as the writer; what was there is as it was then. */
enum bl_status bl_replace_file(const char *path, bl_content_writer *write, const void *content,
                               struct bl_error *error);

#endif
