/* The values of options: text to numbers, or BL_NO_MEMORY, or BL_USAGE with a sentence that names
 * the option and what would have worked. */
#ifndef BANKLINE_CLI_OPTION_VALUES_H
#define BANKLINE_CLI_OPTION_VALUES_H

#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"

/* "8x2"; with may_be_row also "8", which is 8x1. Sides from 1 to most. */
enum bl_status bl_option_shape(const char *name, const char *text, unsigned max, bool may_be_row,
                               struct bl_shape *shape, struct bl_error *error);

/* "10%" or "10", between 0 and 100, as a fraction; in the C locale. */
enum bl_status bl_option_percent(const char *name, const char *text, double *fraction,
                                 struct bl_error *error);

/* "0.5": more than 0, at most 3600; in the C locale. */
enum bl_status bl_option_seconds(const char *name, const char *text, double *seconds,
                                 struct bl_error *error);

/* A number from 1 to most. */
enum bl_status bl_option_count(const char *name, const char *text, uint64_t max, uint64_t *count,
                               struct bl_error *error);

/* "global", "local" or "constant". */
enum bl_status bl_option_memory(const char *text, enum bl_memory *memory, struct bl_error *error);

#endif
