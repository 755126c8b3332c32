/* Two runs of the same cases, row against row. */
#ifndef BANKLINE_REPORT_COMPARE_H
#define BANKLINE_REPORT_COMPARE_H

#include "measure/stats.h"
#include "report/run.h"

struct bl_compared {
    const struct bl_row_key *key;
    const struct bl_row *before, *after; /* one may be NULL: missing, or new */
    enum bl_change change;
    double by;        /* after / before - 1, of the ratio or of the case's own rate; NAN without two
                         numbers */
    bool is_absolute; /* the row's own rate changed, not its ratio */
};

struct bl_comparing {
    double threshold;  /* a fraction: the change that is to be found */
    bool absolute;     /* also the case's own time, which depends on clocks */
    bool knows_spread; /* the intervals of one side hold what differs between runs */
};

/* The hidden spread between two runs that is to be expected however little the rows of these two
 * show: BL_BETWEEN_PROCESSES (measure/placements.h), of both. */
#define BL_STATED_SPREAD 0.00141

struct bl_comparison {
    const struct bl_run_rows *before, *after; /* borrowed; sorted by key */
    const char *names[2];                     /* what the two are called; borrowed */
    struct bl_comparing comparing;
    const char *const
        *selectors; /* of cases (bl_selects), borrowed. Other rows count for what is learnt, */
    size_t selector_count;    /* but are left out of `rows`. 0: all cases */
    struct bl_compared *rows; /* in the order of their keys */
    size_t count;
    size_t counts[BL_CHANGE_COUNT]; /* how many rows there are of each change */
    bool lacks_kernels[2]; /* rows of before, of after: some with a number do not name their kernels
                            */
    double own_times; /* after / before - 1 of the rows' own times, the median, which ratios hide;
                         NAN where few rows have them */
};

/* Fills in rows and counts from the rest, which the caller has set. What rows differ by from run to
 * run is learnt from all of them (measure/spread.h), and limits are for the whole comparison:
 * chosen so that about 1 in 100 of unchanged runs has a row that is slower (results/README.md
 * has how often that is). Free it with bl_comparison_free, whatever is returned: BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error);
void bl_comparison_free(struct bl_comparison *comparison);

/* Rows that are slower, missing or broken. */
size_t bl_comparison_bad(const struct bl_comparison *comparison);

#endif
