/* Two runs of the same cases, row against row. */
#ifndef BANKLINE_REPORT_COMPARE_H
#define BANKLINE_REPORT_COMPARE_H

#include "measure/stats.h"
#include "report/run.h"

struct bl_compared {
    const struct bl_row_key *key;
    const struct bl_row *before, *after; /* one may be NULL: a missing or a new row */
    enum bl_change change;
    double by; /* after / before - 1, of the ratio or of the case's own rate; NAN unless both have a
                  number */
    bool is_absolute; /* whether the row's own rate changed, not its ratio */
};

struct bl_comparing {
    double threshold;  /* smallest change to detect, a fraction */
    bool absolute;     /* whether to compare the case's own time too, which depends on clocks */
    bool knows_spread; /* whether the intervals of one side include the differences between runs */
};

/* The hidden spread between two runs that is assumed even if the rows of these two show less:
 * BL_BETWEEN_PROCESSES (measure/placements.h) of both runs. */
#define BL_STATED_SPREAD 0.00141

struct bl_comparison {
    const struct bl_run_rows *before, *after; /* borrowed; sorted by key */
    const char *names[2];                     /* names of the two; borrowed */
    struct bl_comparing comparing;
    const char *const *selectors; /* selectors of cases (bl_selects), borrowed. Other rows are used
                                     for learning, */
    size_t selector_count;        /* but omitted from `rows`. 0: all cases */
    struct bl_compared *rows;     /* sorted by key */
    size_t count;
    size_t counts[BL_CHANGE_COUNT]; /* number of rows per change */
    bool lacks_kernels[2]; /* before, after: some rows with a number do not name their kernels */
    double own_times; /* median of after / before - 1 of the rows' own times, which ratios hide; NAN
                         if few rows have both */
};

/* Fills in rows and counts from the rest, which the caller has set. The differences between runs
 * without a change are learnt from all rows (measure/spread.h). Limits are for the whole
 * comparison, chosen so that about 1 in 100 unchanged runs has a `slower` row (results/README.md
 * has the measured rate). Free it with bl_comparison_free, whatever is returned: BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error);
void bl_comparison_free(struct bl_comparison *comparison);

/* The number of rows that are slower, missing or broken. */
size_t bl_comparison_bad(const struct bl_comparison *comparison);

#endif
