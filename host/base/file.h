/* The output files of this program are written through these functions.
 *
 * A regular file is replaced as a whole. Symbolic links are followed first, and the new content
 * goes to a temporary file in the folder of the file to replace. When the temporary file is
 * complete and on the disk, it gets the old file's owner and mode and is renamed over the old file.
 * Until then the old file is locked, and a second writer is refused. Anything else (a pipe, a
 * terminal, anything in /proc or in /dev except /dev/shm) is written to directly and never
 * replaced. "-" is standard output.
 */
#ifndef BANKLINE_BASE_FILE_H
#define BANKLINE_BASE_FILE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/file_target.h"
#include "base/status.h"

struct bl_file;

enum bl_file_kind {
    BL_FILE_WHOLE,  /* a file that appears only when it is closed as complete */
    BL_FILE_GROWING /* a file that never contains part of a record; bl_file_record ends each record
                     */
};

/* Opens `path` for writing. A new growing file is visible under its name from the start. If the
 * file exists already, the records of a growing file go to NAME.<random>.part in the same folder;
 * closing the file as complete renames NAME.<random>.part to NAME.
 *
 * Returns BL_FILE_FAILED, with the path and the reason in error, for example if `path` is a folder,
 * the file is read-only (even for root), its folder is not writable, another process is writing the
 * file, or standard output is closed. Returns BL_NO_MEMORY if memory runs out. A file system
 * without locks is not an error. The caller closes *file, which is NULL after a failure. */
enum bl_status bl_file_open(const char *path, enum bl_file_kind kind, struct bl_file **file,
                            struct bl_error *error);

/* The stream to write to; borrowed until the file is closed. */
FILE *bl_file_stream(struct bl_file *file);

/* Passes what printf has buffered to standard output. Returns 0, or the reason (an errno) for the
 * first failure to write to standard output. */
int bl_file_flush_stdout(void);

/* Whether the output goes to standard output. */
bool bl_file_is_stdout(const struct bl_file *file);

/* Ends a record of a growing file: passes everything written since the previous record to the OS.
 * Does nothing for a whole file.
 *
 * After BL_FILE_FAILED (error has the path) or BL_NO_MEMORY, a regular file contains nothing of
 * this record. Later records may succeed, but the file can no longer be closed as complete. Returns
 * BL_NO_READER if standard output is a pipe whose reader has closed it; bl_file_close then returns
 * BL_NO_READER, too. */
enum bl_status bl_file_record(struct bl_file *file, struct bl_error *error);

/* Closes and frees the file; NULL is allowed. Set is_complete if everything was written: the new
 * file then replaces the old file. Otherwise the old file stays unchanged, and the output to a
 * whole file is discarded. The records of an incomplete growing file are kept; if there is an old
 * file, they stay in NAME.<random>.part, which the sentence in error names. Returns BL_FILE_FAILED,
 * with the path, if writing failed or records stay in such a file; BL_NO_READER or BL_NO_MEMORY as
 * bl_file_record does; or else BL_OK. */
enum bl_status bl_file_close(struct bl_file *file, bool is_complete, struct bl_error *error);

/* A file that a command reads or writes, as the user named it. */
struct bl_named_path {
    const char *role; /* name in messages: "--csv", "OLD.csv" */
    const char *path; /* NULL if the option is not used */
    bool is_output;
};

/* Checks that no output would overwrite another file of the command. Returns BL_USAGE and names
 * the files if two outputs, or an output and an input, are the same file, or if the shell
 * redirected standard output to one of the files. Existing files are compared by device and inode,
 * new files by name. Character devices and sockets may be named any number of times, but a
 * descriptor that is an output ("-", /dev/stdout, /dev/fd/3) only once. Returns BL_NO_MEMORY if
 * memory runs out. */
enum bl_status bl_paths_check_distinct(const struct bl_named_path paths[], size_t count,
                                       struct bl_error *error);

/* If one of the descriptors 0 to 2 is closed, opens /dev/null with this number. Otherwise the next
 * file that the program opens would get the number, and messages would be written into that file.
 * The access mode is wrong on purpose (descriptor 0 is write-only), so that reading or writing
 * still fails. Call this function first in main. */
void bl_file_guard_standard_streams(void);

/* Creates the missing parent folders of the file `path`. Changes `path` temporarily and restores
 * it. Returns BL_FILE_FAILED, with the folder in error, if a folder cannot be created. */
enum bl_status bl_make_folders(char *path, struct bl_error *error);

/* A scope in which numbers are read and written with a decimal point, whatever the user's locale.
 */

struct bl_c_locale {
    locale_t own, before;
};

/* Sets the calling thread's locale to C, until bl_c_locale_leave. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_c_locale_enter(struct bl_c_locale *scope, struct bl_error *error);
void bl_c_locale_leave(struct bl_c_locale *scope);

/* Reads the number at the beginning of the text as strtod does in the C locale. *end receives the
 * position after the number, or the text itself if it does not begin with a number. Returns BL_OK
 * or BL_NO_MEMORY. */
enum bl_status bl_read_decimal(const char *text, double *number, char **end,
                               struct bl_error *error);

#endif
