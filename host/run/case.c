#include "run/case.h"

#include <string.h>

const struct bl_case *bl_case_find(const struct bl_catalogue *catalogue, const char *id)
{
    for (size_t s = 0; s < catalogue->count; s++)
        for (size_t c = 0; c < catalogue->suites[s]->count; c++)
            if (strcmp(catalogue->suites[s]->cases[c].id, id) == 0)
                return &catalogue->suites[s]->cases[c];
    return NULL;
}

struct bl_shape bl_shape_of(enum bl_form form, unsigned lanes)
{
    unsigned side = 1; /* the smallest power of two whose square is lanes or more */
    while (side * side < lanes)
        side *= 2;
    switch (form) {
    case BL_FORM_WIDE:
        return (struct bl_shape){lanes / 2, 2};
    case BL_FORM_SQUARE:
        return (struct bl_shape){side, lanes / side};
    case BL_FORM_TALL:
        return (struct bl_shape){2, lanes / 2};
    case BL_FORM_COLUMN:
        return (struct bl_shape){1, lanes};
    default:
        return (struct bl_shape){lanes, 1};
    }
}

struct bl_shape bl_first_shape(const struct bl_shape_policy *policy, unsigned lanes)
{
    if (policy->group)
        return (struct bl_shape){policy->group, 1};
    return bl_shape_of((enum bl_form)(policy->forms & ~(policy->forms - 1)), lanes);
}
