/* The command line: which command it is, and its settings. */
#ifndef BANKLINE_CLI_PARSE_H
#define BANKLINE_CLI_PARSE_H

#include "cli/command.h"

struct bl_invocation {
    const struct bl_command *command; /* of --help and --version as well */
    void *settings;                   /* settings_bytes of the command */
    struct bl_arguments arguments;    /* in argv */
};

/* Parses argv, whose words may change their order. Options stand before and after arguments, "--"
 * ends them, and the last of several counts; they are not abbreviated. BL_OK; BL_NO_MEMORY;
 * BL_USAGE with a sentence that names the word and what would have been right. Free it whatever is
 * returned. */
enum bl_status bl_command_line_parse(int argc, char *argv[], struct bl_invocation *invocation,
                                     struct bl_error *error);
void bl_invocation_free(struct bl_invocation *invocation);

#endif
