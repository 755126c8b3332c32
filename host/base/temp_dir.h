/* A temporary folder for a tool that reads and writes files, such as a compiler or gnuplot. */
#ifndef BANKLINE_BASE_TEMP_DIR_H
#define BANKLINE_BASE_TEMP_DIR_H

#include <limits.h>
#include <stdbool.h>

#include "base/status.h"

struct bl_temp_dir {
    char folder[PATH_MAX];                 /* the folder's path, in $TMPDIR or else in /tmp */
    unsigned limit_s;                      /* time limit of a command; BL_TOOL_LIMIT_S by default */
    bool (*is_interrupted)(void *context); /* called with a NULL context while a command runs; if it
                                              returns true, the command is stopped. May be NULL. */
};

enum { BL_TOOL_LIMIT_S = 60, BL_TOOL_LOG_BYTES = 1 << 20, BL_TOOL_FILE_BYTES = 1 << 28 };

/* Creates the folder, or fails with BL_FILE_FAILED. bl_temp_dir_close removes the folder with its
 * content. */
enum bl_status bl_temp_dir_open(struct bl_temp_dir *temp_dir, struct bl_error *error);
void bl_temp_dir_close(const struct bl_temp_dir *temp_dir);

/* Writes the path of the folder's file `name` into `path`. Returns `path`. */
enum { BL_TEMP_DIR_PATH = PATH_MAX + 600 };
const char *bl_temp_dir_path(const struct bl_temp_dir *temp_dir, const char *name,
                             char path[BL_TEMP_DIR_PATH]);

/* Writes a text file into the folder. Fails with BL_FILE_FAILED. */
enum bl_status bl_temp_dir_write(const struct bl_temp_dir *temp_dir, const char *name,
                                 const char *text, struct bl_error *error);

/* Reads a text file in the folder. Returns the text, which the caller frees, or NULL if the file is
 * missing or empty or memory runs out. */
char *bl_temp_dir_read(const struct bl_temp_dir *temp_dir, const char *name);

/* Results of bl_temp_dir_run that are not the command's exit status. */
enum bl_tool_end {
    BL_TOOL_KILLED = 126, /* ended by a signal */
    BL_TOOL_NOT_STARTED = 127,
    BL_TOOL_TOO_LONG = 256, /* killed after limit_s */
    BL_TOOL_TOO_TALKATIVE,  /* its log exceeded BL_TOOL_LOG_BYTES */
    BL_TOOL_INTERRUPTED
};

/* Runs a command in the current working directory with empty standard input. words: the command and
 * its arguments, ended by NULL. environment: names and values of variables, alternating and ended
 * by NULL; NULL if there are none. The command's output goes to the temporary folder's file "log",
 * cut at BL_TOOL_LOG_BYTES; each file that the command writes may have at most BL_TOOL_FILE_BYTES.
 * Returns the command's exit status or an enum bl_tool_end. */
int bl_temp_dir_run(const struct bl_temp_dir *temp_dir, const char *const words[],
                    const char *const environment[]);

/* Describes a nonzero result of bl_temp_dir_run: "ran for more than 60 s and was ended", "printed
 * more than 1024 KiB and was ended", "was interrupted", or else "failed". Returns `text`. */
const char *bl_tool_end_words(const struct bl_temp_dir *temp_dir, int end, char text[80]);

#endif
