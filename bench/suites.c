#include "suite.h"

#include <string.h>

static const struct bl_suite *const suites[] = {
    &bl_suite_global,
    &bl_suite_local,
    &bl_suite_shape,
    &bl_suite_width,
    &bl_suite_lines,
    &bl_suite_column,
    &bl_suite_constant,
    &bl_suite_local_vs_cache,
    &bl_suite_level,
    &bl_suite_prefetch,
    &bl_suite_stage,
    &bl_suite_bank_update,
    &bl_suite_barrier,
    &bl_suite_private,
    &bl_suite_spill,
    &bl_suite_histogram,
    &bl_suite_convolution,
    &bl_suite_local_size,
};

const struct bl_suite *const *bl_suites(size_t *count)
{
    *count = sizeof suites / sizeof suites[0];
    return suites;
}

const struct bl_case *bl_case_find(const char *id)
{
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++)
        for (size_t c = 0; c < suites[s]->count; c++)
            if (strcmp(suites[s]->cases[c].id, id) == 0)
                return &suites[s]->cases[c];
    return NULL;
}

const struct bl_suite *bl_suite_of(const struct bl_case *test_case)
{
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++)
        if (test_case >= suites[s]->cases && test_case < suites[s]->cases + suites[s]->count)
            return suites[s];
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
