/* Cases that a person named, planned. */
#ifndef BANKLINE_CLI_CASES_H
#define BANKLINE_CLI_CASES_H

#include "cli/settings.h"
#include "run/plan.h"

/* The items of the catalogue's cases that the arguments select, as bl_plan; a selector that matches
 * nothing is told with the nearest that does. settings NULL: the defaults. */
enum bl_status bl_plan_cases(const struct bl_catalogue *catalogue,
                             const struct bl_plan_settings *settings,
                             const struct bl_arguments *selectors, const struct bl_machine *machine,
                             const struct bl_device *device, struct bl_plan_item **items,
                             size_t *count, struct bl_error *error);

#endif
