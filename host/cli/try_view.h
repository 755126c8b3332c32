/* The pictures and the means that `try` prints. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "run/trials.h"

/* Prints, of every expression that can run, its costliest request as a picture, what limits it and
 * what would help, and the means over all requests; with is_brief those alone. has_device: the
 * bench's device is a real one. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

#endif
