/* The man page, made from the commands' tables. */
#ifndef BANKLINE_CLI_CMD_HELP_H
#define BANKLINE_CLI_CMD_HELP_H

#include <stdio.h>

/* What help and the man page say about all commands. */

struct bl_term {
    const char *term, *meaning; /* NULL at the end of a list */
};

#define BL_GIST                                                                                \
    "bankline measures what memory access patterns cost on an OpenCL device, and holds every " \
    "measurement against the rule that predicts it."

#define BL_OUTPUT                                                                               \
    "Results go to standard output, everything else to standard error; '-' is standard output " \
    "wherever a file is written."

static const struct bl_term bl_exit_statuses[] = {
    {"0", "done"},
    {"1", "bad news: a row got slower, is missing or broken (compare), or is refuted or has no "
          "number (--strict)"},
    {"2", "the command line cannot be understood"},
    {"3", "there is no device, or a device failed"},
    {"4", "a file could not be read or written"},
    {"128 + n", "killed by signal n"},
    {0},
};

static const struct bl_term bl_environment[] = {
    {"NO_COLOR", "when set, tables have no colours"},
    {"COLUMNS", "the width of a terminal that does not say it itself"},
    {"XDG_DATA_HOME", "the folder of the history (default: ~/.local/share)"},
    {"OCL_ICD_VENDORS", "of the OpenCL loader: the folder, or the file, that names the drivers"},
    {"POCL_AFFINITY",
     "of PoCL: set to 1 unless it is set, so that its threads stay where they are"},
    {0},
};

static const struct bl_term bl_files[] = {
    {"$XDG_DATA_HOME/bankline/history.db", "the history, unless --db names another file"},
    {0},
};

#endif
