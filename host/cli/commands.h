/* The program's commands. Only main.c and tests use the list by its name: commands that need it get
 * it with their arguments, so that no command's file depends on all the others. */
#ifndef BANKLINE_CLI_COMMANDS_H
#define BANKLINE_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct bl_commands bl_commands;

#endif
