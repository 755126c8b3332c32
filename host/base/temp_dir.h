/* A temporary folder for a tool that reads and writes files, such as a compiler or gnuplot. */
#ifndef BANKLINE_BASE_TEMP_DIR_H
#define BANKLINE_BASE_TEMP_DIR_H

#include <limits.h>
#include <stdbool.h>

#include "base/status.h"

struct bl_temp_dir {
    char folder[PATH_MAX]; /* below $TMPDIR, or /tmp */
    unsigned limit_s;      /* time limit of a command; BL_TOOL_LIMIT_S by default */
    bool (*is_interrupted)(
        void *context); /* tells whether to end a command; called with NULL; or NULL */
};

enum { BL_TOOL_LIMIT_S = 60, BL_TOOL_LOG_BYTES = 1 << 20, BL_TOOL_FILE_BYTES = 1 << 28 };

/* BL_FILE_FAILED if the folder cannot be made. bl_temp_dir_close removes it with its content. */
enum bl_status bl_temp_dir_open(struct bl_temp_dir *temp_dir, struct bl_error *error);
void bl_temp_dir_close(const struct bl_temp_dir *temp_dir);

/* The path of a file in the folder. */
enum { BL_TEMP_DIR_PATH = PATH_MAX + 600 };
const char *bl_temp_dir_path(const struct bl_temp_dir *temp_dir, const char *name,
                             char path[BL_TEMP_DIR_PATH]);

/* BL_FILE_FAILED */
enum bl_status bl_temp_dir_write(const struct bl_temp_dir *temp_dir, const char *name,
                                 const char *text, struct bl_error *error);

/* A file as text, which the caller frees; NULL: no file, or no memory. */
char *bl_temp_dir_read(const struct bl_temp_dir *temp_dir, const char *name);

/* Results of bl_temp_dir_run for a command that did not exit by itself. */
enum bl_tool_end {
    BL_TOOL_KILLED = 126, /* ended by a signal; 127 is the shells' "not found" */
    BL_TOOL_NOT_STARTED = 127,
    BL_TOOL_TOO_LONG =
        256, /* ran for limit_s and was ended, with all processes that it had started */
    BL_TOOL_TOO_TALKATIVE, /* ended because its log exceeded BL_TOOL_LOG_BYTES */
    BL_TOOL_INTERRUPTED
};

/* Runs a command in the current folder, without input; its output goes to the file "log", of at
 * most BL_TOOL_LOG_BYTES, and no file of its own is longer than BL_TOOL_FILE_BYTES. environment:
 * pairs of a variable and its value, ended by NULL; or NULL. Returns the command's exit status, or
 * enum bl_tool_end. */
int bl_temp_dir_run(const struct bl_temp_dir *temp_dir, const char *const words[],
                    const char *const environment[]);

/* "ran for more than 60 s and was ended" of what bl_temp_dir_run returned; "failed" of another
 * status than 0. Returns text. */
const char *bl_tool_end_words(const struct bl_temp_dir *temp_dir, int end, char text[80]);

#endif
