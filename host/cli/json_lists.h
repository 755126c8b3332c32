/* What `list`, `devices` and `machines` print, as JSON. BL_USAGE where this program was built
 * without jansson; BL_NO_MEMORY. */
#ifndef BANKLINE_CLI_JSON_LISTS_H
#define BANKLINE_CLI_JSON_LISTS_H

#include <stdio.h>

#include "run/plan.h"

/* The items' cases, as `list` shows them: the first item of each. */
enum bl_status bl_print_cases_json(FILE *file, const struct bl_machine *machine,
                                   const struct bl_plan_item *const items[], size_t count,
                                   struct bl_error *error);

enum bl_status bl_print_devices_json(FILE *file, const struct bl_device devices[], size_t count,
                                     const struct bl_device *chosen, struct bl_error *error);

/* The built-in machines: the properties that select each, as in its file, and lists of its names
 * and its evidence. */
enum bl_status bl_print_machines_json(FILE *file, struct bl_error *error);

#endif
