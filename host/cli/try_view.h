/* The pictures and the means that `try` prints. */
#ifndef BANKLINE_CLI_TRY_VIEW_H
#define BANKLINE_CLI_TRY_VIEW_H

#include <stdio.h>

#include "model/explain.h"
#include "run/trials.h"

/* The costliest request of the groups of a trial, whose item can run. addresses_bytes holds what
 * the request points to; explained says what limits it. BL_NO_MEMORY, or BL_BAD_MACHINE: no rule.
 */
enum bl_status bl_try_costliest(const struct bl_machine *machine, const struct bl_trial *trial,
                                const struct bl_plan_item *item,
                                uint64_t addresses_bytes[BL_MAX_LANES], struct bl_request *request,
                                struct bl_pattern_explanation *explained, struct bl_error *error);

/* Prints, of every expression that can run, its costliest request as a picture, what limits it and
 * what would help, and the means over all requests; with is_brief those alone. has_device: the
 * bench's device is a real one. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error);

#endif
