/* Requests that are given as the byte addresses of their lanes, and what the model says of each. */
#ifndef BANKLINE_CLI_CMD_MODEL_H
#define BANKLINE_CLI_CMD_MODEL_H

#include "base/status.h"
#include "model/machine.h"

/* Reads a file (base/keyfile.h) whose lines are requests,
 *
 *     name = MEMORY OP BYTES ADDRESS...
 *
 * memory global, local or constant, op read, write or atomic, the bytes of each lane's access, 1 to
 * 16, and the byte address of each lane, 1 to BL_MAX_LANES of them, decimal or 0x; and prints a
 * line of counts for each on standard output. BL_BAD_FORMAT for a line that is none,
 * BL_BAD_MACHINE for one that the machine has no rule for; BL_FILE_FAILED. */
enum bl_status bl_print_requests(const char *path, const struct bl_machine *machine,
                                 struct bl_error *error);

#endif
