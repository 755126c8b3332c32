/* Compares two runs of the same cases row by row. */
#ifndef BANKLINE_REPORT_COMPARE_H
#define BANKLINE_REPORT_COMPARE_H

#include <math.h>

#include "base/status.h"
#include "measure/placements.h"
#include "measure/stats.h"

struct bl_row;
struct bl_row_key;
struct bl_run_rows;

struct bl_compared {
    const struct bl_row_key *key;
    const struct bl_row *before, *after; /* NULL if the older or the newer run lacks the row */
    enum bl_change change;
    double by;        /* after / before - 1, of the ratio or of the row's speed; NAN if unknown */
    bool is_absolute; /* whether `by` is a change of the row's speed, and not of its ratio */
};

struct bl_comparing {
    double threshold;  /* size of change to detect, a fraction */
    bool absolute;     /* whether to compare the case's time, too, which depends on clocks */
    bool knows_spread; /* whether `before` is a typical run, whose intervals already include
                          differences between runs */
    bool requires_all; /* whether a row that the newer run was not asked for counts as `missing`
                          instead of `not-asked` */
};

/* The spread between two runs that is assumed even if the rows show less: BL_BETWEEN_PROCESSES
 * (measure/placements.h) of the two runs combined. A fraction. */
#define BL_STATED_SPREAD (M_SQRT2 * BL_BETWEEN_PROCESSES)

struct bl_comparison {
    const struct bl_run_rows *before, *after; /* borrowed; sorted by key */
    const char *names[2];                     /* names of the two runs; borrowed */
    struct bl_comparing comparing;
    const char *const *selectors; /* bl_selects; borrowed. Only these cases are listed; other rows
                                     are used only to judge these */
    size_t selector_count;        /* 0 selects all cases */
    struct bl_compared *rows;     /* sorted by key */
    size_t count;
    size_t counts[BL_CHANGE_COUNT]; /* number of rows per change */
    bool is_same_run;               /* whether both are the same run; every row with a number is
                                       then `same` */
    bool lacks_kernels[2]; /* for before ([0]) and after ([1]): whether a row of that run has a
                              number but does not name its kernels */
    size_t spread_rows;    /* number of rows from which the spread between the runs was learnt; if
                              below BL_SPREAD_MEMBERS, BL_STATED_SPREAD was assumed instead */
    double own_times; /* the change of case_ns, after / before - 1, as the median over the rows;
                         ratios do not show it. NAN if there are too few rows, or if
                         is_same_run */
};

/* Fills in all members but `before`, `after`, `names`, `comparing`, `selectors` and
 * `selector_count`, which the caller has set. How much runs differ without a change is learnt from
 * all rows (measure/spread.h). The limits are for the whole comparison: at most 1 in 100 unchanged
 * runs has a `slower` row, or 3 in 100 if the noise has heavy tails (results/README.md has the
 * simulated rates). Returns BL_OK or BL_NO_MEMORY. Free the comparison with bl_comparison_free,
 * even after a failure. */
enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error);
void bl_comparison_free(struct bl_comparison *comparison);

/* "OLD.csv and NEW.csv are the same run, run ID of TIME: nothing to compare", for a comparison with
 * is_same_run. Returns `text`. */
const char *bl_same_run_words(const struct bl_comparison *comparison, char text[1024]);

/* The number of rows that are slower, missing or broken. */
size_t bl_comparison_bad(const struct bl_comparison *comparison);

#endif
