/* The expressions that `try` is given: on the command line, and in a file of patterns. */
#ifndef BANKLINE_CLI_TRIALS_H
#define BANKLINE_CLI_TRIALS_H

#include "cli/command.h"
#include "run/try.h"

struct bl_trial {
    struct bl_try try;
    unsigned line;         /* of the file; 0 on the command line */
    enum bl_status status; /* of its probe */
    char reason[768];      /* why it cannot run */
};

struct bl_trials {
    struct bl_trial *all;
    size_t count, capacity;
};

/* Takes all texts apart, those of the file `patterns`, which may be NULL, first, before anything is
 * done with one. BL_BAD_EXPRESSION for one of the command line; BL_BAD_FORMAT, with file and line,
 * for one of the file, for a name that is taken or no name, and for a file without patterns;
 * BL_FILE_FAILED. Free them whatever is returned. */
enum bl_status bl_trials_read(const char *patterns, const struct bl_arguments *expressions,
                              struct bl_trials *trials, struct bl_error *error);
void bl_trials_free(struct bl_trials *trials);

#endif
