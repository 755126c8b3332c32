/* What may stand in the place of a word of the command line: for shells. */
#ifndef BANKLINE_CLI_CMD_COMPLETION_H
#define BANKLINE_CLI_CMD_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"

/* Writes the words that the last of `words`, those behind the program's name, can become; it may be
 * empty. A line a word: the word, a tab, what it is. ":files" and ":folders" are the shell's to
 * list. Writes nothing where nothing fits. */
void bl_complete(FILE *file, const char *const words[], size_t count);

#endif
