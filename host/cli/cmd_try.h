/* What the model says of expressions, for a person. */
#ifndef BANKLINE_CLI_CMD_TRY_H
#define BANKLINE_CLI_CMD_TRY_H

#include "cli/measure.h"
#include "cli/trying.h"

/* Prints, of every expression that can run (run->items are those of the trials), its costliest
 * request as a picture, what limits it and what would mend it, and the means over all requests.
 * BL_OK or BL_NO_MEMORY. */
enum bl_status bl_print_trials(const struct bl_run *run, const struct bl_trials *trials,
                               const struct bl_try_setup *setup, struct bl_error *error);

#endif
