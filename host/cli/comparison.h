/* A comparison of two runs, as a person reads it. */
#ifndef BANKLINE_CLI_COMPARISON_H
#define BANKLINE_CLI_COMPARISON_H

#include "cli/options.h"
#include "report/compare.h"

/* Prints the rows that changed, and how many there are of each kind (only that with --quiet). BL_OK,
 * or BL_BAD_NEWS when a row is slower, missing or broken. */
enum bl_status bl_comparison_print(const struct bl_options *options,
                                   const struct bl_compared compared[], size_t count,
                                   struct bl_error *error);

/* Part `number` of a row's key: case, type, shape, lanes, working set, machine. *length receives
 * its length; it is not ended by a zero byte. */
const char *bl_key_part(const char *key, unsigned number, size_t *length);

#endif
