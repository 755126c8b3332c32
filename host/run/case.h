/* A case is one const row that describes itself; a suite is a table of cases. */
#ifndef BANKLINE_RUN_CASE_H
#define BANKLINE_RUN_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/launch.h"
#include "run/workload.h"

/* The form of a work-group's shape, for any number of lanes. In the order of the enumerators, 16
 * lanes give 16x1, 8x2, 4x4, 2x8, 1x16; 32 lanes give 32x1, 16x2, 8x4, 2x16, 1x32. */
enum bl_form {
    BL_FORM_ROW = 1 << 0,
    BL_FORM_WIDE = 1 << 1,
    BL_FORM_SQUARE = 1 << 2,
    BL_FORM_TALL = 1 << 3,
    BL_FORM_COLUMN = 1 << 4,
    BL_FORM_COUNT = 5
};

/* How many lanes a group has: as many as a request has in the documents or on the machine, or each
 * of these in turn. */
enum bl_widths { BL_BOTH_WIDTHS, BL_GUIDE_WIDTH, BL_NATIVE_WIDTH };

/* The work-group shapes in which a case is measured: several forms at one or two widths, or one
 * fixed group size. */
struct bl_shape_policy {
    unsigned forms; /* or-ed enum bl_form; --quick measures only the row form, if it is included */
    enum bl_widths widths; /* number of lanes per group: the documents', the machine's, or both */
    unsigned group;   /* if not 0: every group has this many work-items in x and 1 in y; forms and
                         widths are ignored */
    bool takes_shape; /* whether --shape applies */
    unsigned claim_lanes; /* work-items of the group that the claim is about; 0 for the catalogue's
                             default */
};

/* The policies of most cases. A case's claim is about the first form of its policy. */
/* clang-format off */
#define BL_ROW {.forms = BL_FORM_ROW}
#define BL_GUIDE_ROW {.forms = BL_FORM_ROW, .widths = BL_GUIDE_WIDTH}
#define BL_NATIVE_ROW {.forms = BL_FORM_ROW, .widths = BL_NATIVE_WIDTH}
#define BL_SWEEP {.forms = BL_FORM_ROW | BL_FORM_SQUARE | BL_FORM_COLUMN, .takes_shape = true}
#define BL_GROUP_OF(items) {.group = (items)}
/* clang-format on */

/* Where a pattern's data lie: in the first level of cache, in the next level, or in memory. */
enum bl_place_in_memory { BL_IN_FIRST_CACHE, BL_IN_NEXT_CACHE, BL_IN_MEMORY };

struct bl_case {
    const char *id;           /* "local/5": suite, slash, name */
    const char *title;        /* what is measured, in a few words */
    const char *document;     /* the document, and the case or the passage in it */
    const char *baseline;     /* id of the case to compare with; the baseline has row form */
    const char *same_kernels; /* why another case may have the same kernel and baseline kernel; NULL
                                 if it may not, unless that case gives a reason */

    /* Fills in the workload: what to build and launch for this setting. */
    void (*lay_out)(const struct bl_setting *setting, struct bl_workload *workload);
    enum bl_memory memory;
    enum bl_pattern pattern;
    const struct bl_type *type; /* element type; NULL for int */
    const char *define;         /* defined with -D to select a variant of the kernel; or NULL */
    unsigned n;                 /* the case's parameter; the suite defines its meaning */
    unsigned variant;           /* a second parameter; the suite defines its meaning */
    bool one_place;             /* all groups read the same elements */
    bool is_write;              /* whether the case writes instead of reading (bl_lay_out_level
                                   only) */
    enum bl_place_in_memory place;

    struct bl_shape_policy shapes;
    bool skip_in_quick; /* whether --quick omits the case if the user selects no cases */

    double claim;    /* ratio that a document prints, or that follows from the document's rule; 0 if
                        there is no claim */
    double claim_to; /* upper end of the range, if the document prints a range; else 0 */
    bool claim_is_derived;  /* whether the claim follows from a rule, because the document prints no
                               number */
    bool claim_is_of_banks; /* whether the claim counts banks; such a claim holds only for requests
                               with one lane per bank */
    enum bl_direction direction; /* for a claim without a number: whether the case is faster or
                                    slower than the baseline */
};

struct bl_suite {
    const char *name;
    const char *title;
    const struct bl_case *cases;
    size_t count;
};

/* Defines the suite bl_suite_<identifier> from the file's table `cases`. */
#define BL_SUITE(identifier, name_, title_)             \
    extern const struct bl_suite bl_suite_##identifier; \
    const struct bl_suite bl_suite_##identifier = {     \
        .name = name_, .title = title_, .cases = cases, .count = sizeof cases / sizeof cases[0]}

/* The suites in the order in which they run. */
struct bl_catalogue {
    const struct bl_suite *const *suites;
    size_t count;
    unsigned claim_lanes; /* number of lanes of a request in the documents; claims hold for this
                             number */
};

/* Finds the case with this id; NULL if there is none. */
const struct bl_case *bl_case_find(const struct bl_catalogue *catalogue, const char *id);

/* The shape of this form with `lanes` work-items, which must be a power of two, at least 4. */
struct bl_shape bl_shape_of(enum bl_form form, unsigned lanes);

#endif
