#include "cli/cases.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The nearest case or suite to the first selector that matches nothing. */
static struct bl_nearest nearest_to(const struct bl_catalogue *catalogue,
                                    const struct bl_arguments *selectors)
{
    struct bl_nearest nearest = {0};
    for (size_t i = 0; i < selectors->count; i++) {
        bool found = false;
        nearest = bl_nearest_begin(selectors->words[i]);
        for (size_t s = 0; s < catalogue->count; s++) {
            const struct bl_suite *suite = catalogue->suites[s];
            bl_nearest_offer(&nearest, suite->name);
            for (size_t c = 0; c < suite->count; c++) {
                found |= bl_selects(selectors->words[i], suite->cases[c].id);
                bl_nearest_offer(&nearest, suite->cases[c].id);
            }
        }
        if (!found)
            break;
    }
    return nearest;
}

enum bl_status bl_plan_cases(const struct bl_catalogue *catalogue,
                             const struct bl_plan_settings *settings,
                             const struct bl_arguments *selectors, const struct bl_machine *machine,
                             const struct bl_device *device, struct bl_plan_item **items,
                             size_t *count, struct bl_error *error)
{
    struct bl_plan_filter filter = {.selectors = selectors->words,
                                    .selector_count = selectors->count};
    if (settings) {
        filter.quick = settings->quick;
        filter.shape = settings->shape;
    }
    const enum bl_status status = bl_plan(catalogue, &filter, machine, device, items, count, error);
    if (status == BL_UNKNOWN_CASE && error) {
        const struct bl_nearest nearest = nearest_to(catalogue, selectors);
        char meant[128];
        const size_t used = strlen(error->sentence);
        snprintf(error->sentence + used, sizeof error->sentence - used, "%s",
                 bl_did_you_mean(&nearest, meant));
    }
    return status;
}
