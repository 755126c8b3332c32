/* What may stand in the place of a word of the command line: for shells. */
#ifndef BANKLINE_CLI_CMD_COMPLETION_H
#define BANKLINE_CLI_CMD_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"

#endif
