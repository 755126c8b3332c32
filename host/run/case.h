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

enum bl_widths { BL_BOTH_WIDTHS, BL_GUIDE_WIDTH, BL_NATIVE_WIDTH };

/* The work-groups in which a case is measured: forms at widths, or one row. */
struct bl_shape_policy {
    unsigned forms;        /* enum bl_form or-ed; --quick keeps to the row if it is among them */
    enum bl_widths widths; /* lanes of a group: the claims', the machine's own, or both */
    unsigned group;        /* work-items of a single row, in place of forms and widths; else 0 */
    bool takes_shape;      /* --shape applies */
    unsigned claim_lanes;  /* work-items of the claim's group; 0: the catalogue's */
};

/* Most cases have one of these. A claim is about the first form. */
/* clang-format off */
#define BL_ROW {.forms = BL_FORM_ROW}
#define BL_GUIDE_ROW {.forms = BL_FORM_ROW, .widths = BL_GUIDE_WIDTH}
#define BL_NATIVE_ROW {.forms = BL_FORM_ROW, .widths = BL_NATIVE_WIDTH}
#define BL_SWEEP {.forms = BL_FORM_ROW | BL_FORM_SQUARE | BL_FORM_COLUMN, .takes_shape = true}
#define BL_GROUP_OF(items) {.group = (items)}
/* clang-format on */

/* Where the data of a pattern are: in the cache that the machine's rules describe, in the next one,
 * or in memory. */
enum bl_place_in_memory { BL_IN_FIRST_CACHE, BL_IN_NEXT_CACHE, BL_IN_MEMORY };

struct bl_case {
    const char *id;           /* "local/5": suite, slash, name */
    const char *title;        /* the gist, in our own words */
    const char *document;     /* which guide and which of its cases */
    const char *baseline;     /* id of the case it is compared with, measured in row form */
    const char *same_kernels; /* why another case may have the kernels of this one and of its
                                 baseline; NULL: none may */

    void (*lay_out)(const struct bl_setting *setting, struct bl_workload *workload);
    enum bl_memory memory;
    enum bl_pattern pattern;
    const struct bl_type *type; /* NULL: int */
    const char *define;         /* selects a variant of the kernel, as -D; or NULL */
    unsigned n;                 /* the case's parameter; its suite says what it means */
    unsigned variant;           /* a second parameter */
    bool one_place;             /* all groups read the same elements */
    bool is_write;              /* of bl_lay_out_level */
    enum bl_place_in_memory place;

    struct bl_shape_policy shapes;
    bool skip_in_quick; /* --quick leaves it out, unless it is asked for by name */

    double claim;           /* ratio that a document prints, or that is derived; 0: none */
    double claim_to;        /* the other end, where the document prints several; 0: none */
    bool claim_is_derived;  /* it follows from a rule that a document prints, and is printed nowhere
                             */
    bool claim_is_of_banks; /* and so of requests with as many lanes as there are banks */
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

/* The suites in the order in which they run. */
struct bl_catalogue {
    const struct bl_suite *const *suites;
    size_t count;
    unsigned claim_lanes; /* work-items of a request in the documents, which claims are about */
};

/* The case with this id, or NULL. */
const struct bl_case *bl_case_find(const struct bl_catalogue *catalogue, const char *id);

/* The shape of this form for a group of `lanes` work-items, a power of two from 4 on. */
struct bl_shape bl_shape_of(enum bl_form form, unsigned lanes);

/* A policy's first form with this many lanes, or the row of its group. */
struct bl_shape bl_first_shape(const struct bl_shape_policy *policy, unsigned lanes);

#endif
