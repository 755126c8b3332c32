/* Explains why a run is worse than the runs before it, from what is known about the host, the
 * device, the rows and the history. Lists the causes that fit, the most certain first. */
#ifndef BANKLINE_HISTORY_WHY_H
#define BANKLINE_HISTORY_WHY_H

#include "history/typical.h"
#include "report/compare.h"

struct bl_cause_evidence {
    const struct bl_comparison *comparison; /* the run compared with its device's typical run */
    const struct bl_comparison *again;      /* the comparison of a second measurement; or NULL */
    const struct bl_run_info *before;       /* the last run without the change; NULL if unknown */
    char later_run[64];  /* the time of an earlier run that is dated after this run; else "" */
    size_t cards;        /* number of cards of this model that were compared, with this one; or 0 */
    bool is_odd_card;    /* whether this card is slower than the others in the worse rows */
    const char *changed; /* other changes on the host, in words, or "" */
};

enum { BL_MAX_CAUSES = 12, BL_CAUSE_TEXT = 400 };

enum bl_next { /* what to do next about a cause */
               BL_NEXT_SINCE,
               BL_NEXT_MEASURE,
               BL_NEXT_CARDS,
               BL_NEXT_CLOCK,
               BL_NEXT_DATE,
               BL_NEXT_LOAD,
               BL_NEXT_COMPARE
};

struct bl_cause {
    char text[BL_CAUSE_TEXT];
    enum bl_next next;
    const struct bl_row_key *key; /* the row to look at next; NULL: the worst */
};

struct bl_diagnosis {
    const struct bl_compared **bad; /* the rows that are worse, the worst first */
    size_t bad_count, slower, missing, broken;
    double median_by;      /* median change of the slower rows; NAN if no row is slower */
    char common[128];      /* what the slower rows have in common: ", all in L1", or "" */
    char differences[768]; /* changes of host and device, such as "driver 1 -> 2; ...", or "" */
    struct bl_cause causes[BL_MAX_CAUSES];
    size_t cause_count; /* at least 1 */
};

/* A row's change divided by the limit below which 95 % of unchanged rows stay; NAN if unknown. */
double bl_certainty(const struct bl_compared *row);

/* Since when a row of the card of `now` has had its present typical ratio, or no number. */
struct bl_row_since {
    char first[32];            /* time of the first such run; "" if no change point was found */
    size_t runs;               /* number of such runs; 0 if no change point was found */
    struct bl_run_info before; /* the last run before them, if runs is not 0 */
};

/* A measured run, and the typical run to compare it with. */
struct bl_run_and_typical {
    struct bl_run_rows now, typical;
    struct bl_comparison comparison;
};

struct bl_why_settings {
    unsigned runs;       /* number of past runs to compare with */
    double threshold;    /* the smallest change to find, a fraction */
    bool requires_all;   /* as in struct bl_comparing */
    const char *again;   /* CSV of a second measurement, or NULL */
    const char *changed; /* file that lists other changes on the host, or NULL */
};

/* Everything that is known about why a run is worse. */
struct bl_why {
    struct bl_run_and_typical first, again;
    struct bl_cause_evidence evidence;
    struct bl_diagnosis diagnosis;
    const struct bl_compared *slowest; /* NULL if no row is slower */
    struct bl_row_since since;         /* since when the slowest row is slower */
    char changed[512];
};

/* Compares the run in the CSV file with the history and looks for causes. *why must be zero; free
 * it with bl_why_free, whatever is returned. Fails as bl_run_read and bl_history_typical do; also
 * with BL_FILE_FAILED if settings->changed cannot be read. */
enum bl_status bl_history_find_why(struct bl_history *history, const char *path,
                                   const struct bl_why_settings *settings, struct bl_why *why,
                                   struct bl_error *error);
void bl_why_free(struct bl_why *why);

#endif
