/* A temporary folder for a tool that reads and writes files, such as a compiler or gnuplot. */
#ifndef BANKLINE_BASE_TEMP_DIR_H
#define BANKLINE_BASE_TEMP_DIR_H

#include <limits.h>

#include "base/status.h"

struct bl_temp_dir {
    char folder[PATH_MAX]; /* below $TMPDIR, or /tmp */
};

/* BL_FILE_FAILED where the folder cannot be made. bl_temp_dir_close removes it with all that is in
 * it. */
enum bl_status bl_temp_dir_open(struct bl_temp_dir *temp_dir, struct bl_error *error);
void bl_temp_dir_close(const struct bl_temp_dir *temp_dir);

/* The path of a file in it. */
enum { BL_TEMP_DIR_PATH = PATH_MAX + 600 };
const char *bl_temp_dir_path(const struct bl_temp_dir *temp_dir, const char *name,
                             char path[BL_TEMP_DIR_PATH]);

/* BL_FILE_FAILED */
enum bl_status bl_temp_dir_write(const struct bl_temp_dir *temp_dir, const char *name,
                                 const char *text, struct bl_error *error);

/* A file as text, which the caller frees; NULL: there is none, or no memory. */
char *bl_temp_dir_read(const struct bl_temp_dir *temp_dir, const char *name);

/* Runs a command in the current folder; its output goes to the file "log". environment: pairs of a
 * variable and its value, ended by NULL; or NULL. Returns the command's exit status; 127: it could
 * not be started. */
int bl_temp_dir_run(const struct bl_temp_dir *temp_dir, const char *const words[],
                    const char *const environment[]);

#endif
