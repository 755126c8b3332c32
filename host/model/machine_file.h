/* Machines as text: one `key = value` a line for every field, '#' before a comment. The table that
 * prints a machine is the one that reads it and that checks its values. */
#ifndef BANKLINE_MODEL_MACHINE_FILE_H
#define BANKLINE_MODEL_MACHINE_FILE_H

#include <stdio.h>

#include "model/machine.h"

/* Prints the machine as a file to start from, every field with its unit and meaning. */
void bl_machine_print(FILE *file, const struct bl_machine *machine);

/* Reads a machine. BL_FILE_FAILED when the file cannot be read; BL_BAD_FORMAT, with file, line and
 * key in error, for an unknown, repeated or missing key, or a value out of its range. */
enum bl_status bl_machine_read(const char *path, struct bl_machine *machine,
                               struct bl_error *error);

/* The machine that a person means: a built-in one by its name, else the file of that name, which
 * is read into *capacity. *machine is one of them. BL_UNKNOWN_MACHINE where there is neither. */
enum bl_status bl_machine_named(const char *name, struct bl_machine *capacity,
                                const struct bl_machine **machine, struct bl_error *error);

#endif
