/* Compares two runs of the same cases row by row. */
#ifndef BANKLINE_REPORT_COMPARE_H
#define BANKLINE_REPORT_COMPARE_H

#include "measure/stats.h"
#include "report/run.h"

struct bl_compared {
    const struct bl_row_key *key;
    const struct bl_row *before, *after; /* one may be NULL: a missing or a new row */
    enum bl_change change;
    double by;        /* after / before - 1 of ratio or own rate; NAN: number missing */
    bool is_absolute; /* whether `by` is a change of the row's own rate, not of its ratio */
};

struct bl_comparing {
    double threshold;  /* smallest change to detect, a fraction */
    bool absolute;     /* compare the case's own time, too, which depends on clocks */
    bool knows_spread; /* the intervals of one side include differences between runs */
    bool requires_all; /* rows of a suite that the newer run lacks are missing, not `not-asked` */
};

/* The smallest hidden spread between two runs to assume, even if their rows show less:
 * BL_BETWEEN_PROCESSES (measure/placements.h) of both runs combined. */
#define BL_STATED_SPREAD 0.00141

struct bl_comparison {
    const struct bl_run_rows *before, *after; /* borrowed; sorted by key */
    const char *names[2];                     /* names of the two runs; borrowed */
    struct bl_comparing comparing;
    const char *const *selectors; /* cases to list (bl_selects), borrowed; */
    size_t selector_count;        /* 0: all. Other rows are used only for learning */
    struct bl_compared *rows;     /* sorted by key */
    size_t count;
    size_t counts[BL_CHANGE_COUNT]; /* number of rows per change */
    bool is_same_run;               /* both are the same run: every row with a number is the same */
    bool lacks_kernels[2]; /* in before, after: some rows with numbers do not name their kernels */
    double own_times; /* median of after / before - 1 of the rows' own times, a change that ratios
                         hide; NAN: too few rows */
};

/* Fills in rows and counts; the caller has set the other members. How much runs differ without a
 * change is learnt from all rows (measure/spread.h). Limits are for the whole comparison, chosen so
 * that at most 1 in 100 unchanged runs has a `slower` row, or 3 in 100 if the noise has heavy tails
 * (results/README.md has the simulated rates). Free the comparison with bl_comparison_free, also
 * after a failure. BL_NO_MEMORY. */
enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error);
void bl_comparison_free(struct bl_comparison *comparison);

/* The number of rows that are slower, missing or broken. */
size_t bl_comparison_bad(const struct bl_comparison *comparison);

#endif
