/* All files of this program are written through these functions.
 *
 * A regular file is replaced whole: what is written goes to a temporary file beside the target of
 * any symbolic links, and takes its place, with its mode, when it is complete and on the disk. The
 * target is locked meanwhile, so that a second writer is refused. Anything but a regular file (a
 * pipe, a terminal, anything reached through /dev) is written to and never replaced; "-" is
 * standard output.
 */
#ifndef BANKLINE_BASE_FILE_H
#define BANKLINE_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file_target.h"
#include "base/status.h"

struct bl_file;

enum bl_file_kind {
    BL_FILE_WHOLE,  /* invisible until it is closed as complete */
    BL_FILE_GROWING /* a reader finds whole records at any time; bl_file_record ends each record */
};

/* Opens path for writing. A growing file that does not exist yet is visible while it grows; if one
 * exists, the new rows lie beside it in NAME.<random>.part until the file is closed as complete.
 * BL_FILE_FAILED with the path and the reason: a folder, a read-only file (also for root), a folder
 * that cannot be written to, a file that another process is writing, standard output that is
 * closed. A file system without locks is no failure. BL_NO_MEMORY. The caller closes *file, which
 * is NULL after a failure. */
enum bl_status bl_file_open(const char *path, enum bl_file_kind kind, struct bl_file **file,
                            struct bl_error *error);

/* Where to write; borrowed until the file is closed. */
FILE *bl_file_stream(struct bl_file *file);

/* Whether the output goes to standard output. */
bool bl_file_is_stdout(const struct bl_file *file);

/* Ends a record of a growing file: all that was written since the last one is handed to the OS
 * kernel. Does nothing for a whole file. BL_FILE_FAILED with the path, or BL_NO_MEMORY: then
 * nothing of this record is in a regular file, a later record may succeed, and the file cannot
 * become complete. BL_NO_READER where standard output is a pipe that nobody reads any more;
 * bl_file_close returns it, too. */
enum bl_status bl_file_record(struct bl_file *file, struct bl_error *error);

/* Closes and frees; NULL is allowed. is_complete: everything was written, and it may take the old
 * file's place. Else an old file stays unchanged: the records of a growing file are kept beside it,
 * and the error's sentence says where; a whole file leaves nothing. BL_OK, also for a new growing
 * file that keeps its records; BL_FILE_FAILED with the path; BL_NO_MEMORY. */
enum bl_status bl_file_close(struct bl_file *file, bool is_complete, struct bl_error *error);

/* Something that a command reads or writes, as the user named it. */
struct bl_named_path {
    const char *role; /* "--csv", "OLD.csv" */
    const char *path; /* NULL: not used */
    bool is_output;
};

/* BL_USAGE with both roles when two outputs, or an output and an input, are the same file, by
 * device and inode, or by name where there is none yet; or when one is the regular file that the
 * shell put standard output into. Character devices and sockets may be named any number of times,
 * standard output as an output once ("-", /dev/stdout). BL_NO_MEMORY. */
enum bl_status bl_paths_check_distinct(const struct bl_named_path paths[], size_t count,
                                       struct bl_error *error);

/* Opens standard descriptors that are closed, so that no other file takes their number: using one
 * then fails as if it were closed. To be called first in main. */
void bl_file_guard_standard_streams(void);

/* Makes the missing parent folders of the file `path`; path is unchanged afterwards. BL_FILE_FAILED
 * with the folder that cannot be made. */
enum bl_status bl_make_folders(char *path, struct bl_error *error);

#endif
