/* Explains why a run is worse than the runs before it. Compares what the runs recorded about the
 * host, the device and the rows, and asks the history. Lists the causes that fit, the most certain
 * first. */
#ifndef BANKLINE_HISTORY_WHY_H
#define BANKLINE_HISTORY_WHY_H

#include "history/typical.h"
#include "report/compare.h"

struct bl_cause_evidence {
    const struct bl_comparison *comparison; /* the comparison of the run with its device's typical
                                               run */
    const struct bl_comparison *again;      /* the comparison of a second measurement; NULL if there
                                               is none */
    const struct bl_run_info *before;       /* the last run before the slowest (or else the worst)
                                               row became worse; NULL if unknown */
    char later_run[64]; /* time of a run that was added before this run but has a later time; "" if
                           there is none */
    size_t cards;       /* number of cards of this model, this card included; 0 if unknown */
    bool is_slow_card;  /* whether this card is slower than its model's other cards */
    bool is_lacking_card; /* whether this card lacks rows that its model's other cards have */
    const char *changed;  /* other changes on the host, as text; "" if there are none */
};

enum { BL_MAX_CAUSES = 12, BL_CAUSE_TEXT = 400 };

enum bl_next { /* What to do next about a cause. */
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
    const struct bl_row_key *key; /* the row to look at next; NULL for the worst row */
};

struct bl_diagnosis {
    const struct bl_compared **bad; /* the rows that are worse, the worst first */
    size_t bad_count, slower, missing, broken;
    double median_by;      /* median change of the slower rows; NAN if no row is slower */
    char common[128];      /* what the slower rows have in common, such as ", all in L1"; "" if
                              nothing */
    char differences[768]; /* changes of host and device, such as "driver 1 -> 2; ..."; "" if
                              none */
    struct bl_cause causes[BL_MAX_CAUSES];
    size_t cause_count; /* at least 1 */
};

/* The absolute logarithm of a row's change, divided by the change that the two intervals (95 %)
 * explain. NAN if unknown. */
double bl_certainty(const struct bl_compared *row);

/* Since when a row has had its present typical ratio, or has had no number, on the card of the
 * run. */
struct bl_row_since {
    char first[32];            /* time of the first run with this ratio, or without a number; "" if
                                  no change point was found */
    size_t runs;               /* number of runs since then; 0 if no change point was found */
    struct bl_run_info before; /* the last run before that time; valid if `runs` is not 0 */
};

/* A measured run, and the typical run with which it is compared. */
struct bl_run_and_typical {
    struct bl_run_rows now, typical;
    struct bl_comparison comparison;
};

struct bl_why_settings {
    unsigned runs;       /* number of past runs with which to compare */
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
    struct bl_row_since since;         /* since when the slowest (or else the worst) row has been
                                          worse */
    char changed[512];
};

/* Compares the run in the CSV file with the history, and looks for causes. *why must be zero; free
 * it with bl_why_free, even after a failure. Fails like bl_run_read and bl_history_typical, or with
 * BL_FILE_FAILED or BL_BAD_FORMAT if settings->changed is not a text file that can be read. */
enum bl_status bl_history_find_why(struct bl_history *history, const char *path,
                                   const struct bl_why_settings *settings, struct bl_why *why,
                                   struct bl_error *error);
void bl_why_free(struct bl_why *why);

#endif
