/* A case is one const row that describes itself; a suite is a table of cases. */
#ifndef BANKLINE_RUN_CASE_H
#define BANKLINE_RUN_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/pattern.h"
#include "run/workload.h"

/* The form of a work-group, for any number of lanes: with 16 lanes 16x1, 8x2, 4x4, 2x8, 1x16; with
 * 32 lanes 32x1, 16x2, 8x4, 2x16, 1x32. */
enum bl_form {
    BL_FORM_ROW = 1 << 0,
    BL_FORM_WIDE = 1 << 1,
    BL_FORM_SQUARE = 1 << 2,
    BL_FORM_TALL = 1 << 3,
    BL_FORM_COLUMN = 1 << 4,
    BL_FORM_COUNT = 5
};

struct bl_case {
    const char *id;       /* "local/5": suite, slash, name */
    const char *title;    /* the gist, in our own words */
    const char *document; /* which guide and which of its cases */
    const char *baseline; /* id of the case it is compared with, measured in row form */

    void (*lay_out)(const struct bl_case *test_case, const struct bl_setting *setting,
                    struct bl_workload *workload);
    enum bl_memory memory;
    enum bl_pattern pattern;
    const struct bl_type *type; /* NULL: int */
    unsigned n;                 /* the case's parameter; the suite says of what */
    unsigned variant;           /* which of the suite's kernels; the suite says which */
    bool one_place;             /* all groups read the same elements */

    unsigned forms;         /* the forms that the default run measures, enum bl_form or-ed */
    bool own_forms;         /* the forms are what the case is about: --quick keeps them all */
    bool any_shape;         /* --shape applies */
    bool native_width_only; /* at the device's own width alone, not at the guide's too */
    bool guide_width_only;  /* at the guide's width alone */
    unsigned group;     /* work-items of a row-shaped group in place of forms and widths; or 0 */
    bool skip_in_quick; /* --quick leaves it out, unless it is asked for by name */

    double claim;                /* ratio that a document prints; 0 where it prints none */
    enum bl_form claimed;        /* the form that the claim is about */
    unsigned claim_lanes;        /* and its work-items; 0: the guide's 16 */
    enum bl_direction direction; /* a claim in words: faster or slower than the baseline */
};

struct bl_suite {
    const char *name;
    const char *title;
    const struct bl_case *cases;
    size_t count;
};

/* Defines the suite bl_suite_<identifier> of the file's table `cases`. */
#define BL_SUITE(identifier, name_, title_)             \
    extern const struct bl_suite bl_suite_##identifier; \
    const struct bl_suite bl_suite_##identifier = {     \
        .name = name_, .title = title_, .cases = cases, .count = sizeof cases / sizeof cases[0]}

/* The suites in the order in which they run: what the engine is handed. */
struct bl_catalogue {
    const struct bl_suite *const *suites;
    size_t count;
};

/* The case with this id, or NULL. */
const struct bl_case *bl_case_find(const struct bl_catalogue *catalogue, const char *id);

/* The suite that holds the case; NULL for a case of no suite. */
const struct bl_suite *bl_suite_of(const struct bl_catalogue *catalogue,
                                   const struct bl_case *test_case);

/* The shape of this form for a group of `lanes` work-items, a power of two from 4 on. */
struct bl_shape bl_shape_of(enum bl_form form, unsigned lanes);

#endif
