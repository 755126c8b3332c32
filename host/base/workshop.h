/* A folder of its own for a command that reads and writes files: other people's tools, as a
 * compiler or gnuplot. */
#ifndef BANKLINE_BASE_WORKSHOP_H
#define BANKLINE_BASE_WORKSHOP_H

#include <limits.h>

#include "base/status.h"

struct bl_workshop {
    char folder[PATH_MAX]; /* below $TMPDIR, or /tmp */
};

/* BL_FILE_FAILED where the folder cannot be made. bl_workshop_close removes it with all that is in
 * it. */
enum bl_status bl_workshop_open(struct bl_workshop *workshop, struct bl_error *error);
void bl_workshop_close(const struct bl_workshop *workshop);

/* The path of a file in it. */
enum { BL_WORKSHOP_PATH = PATH_MAX + 600 };
const char *bl_workshop_path(const struct bl_workshop *workshop, const char *name,
                             char path[BL_WORKSHOP_PATH]);

/* BL_FILE_FAILED */
enum bl_status bl_workshop_write(const struct bl_workshop *workshop, const char *name,
                                 const char *text, struct bl_error *error);

/* A file as text, which the caller frees; NULL: there is none, or no memory. */
char *bl_workshop_read(const struct bl_workshop *workshop, const char *name);

/* Runs a command where the user is; what it prints goes to the file "log". environment: pairs of a
 * variable and its value, ended by NULL; or NULL. Returns the command's exit status; 127: there is
 * no such command, or no process. */
int bl_workshop_run(const struct bl_workshop *workshop, const char *const words[],
                    const char *const environment[]);

#endif
