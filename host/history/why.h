/* Why a run is worse than the runs before it: what is known of the machine and of the rows, what
 * the history says, and the explanations that fit, the most certain first. */
#ifndef BANKLINE_HISTORY_WHY_H
#define BANKLINE_HISTORY_WHY_H

#include "history/typical.h"
#include "report/compare.h"

struct bl_cause_evidence {
    const struct bl_comparison *comparison; /* of the run with what is typical of its device */
    const struct bl_comparison *again; /* the same of a second measurement; NULL: there was none */
    const struct bl_run_info *before;  /* the last run without the change; NULL: the last of all */
    char later_run[64]; /* when a run before this one was measured, by the clock: in its future; "":
                           none was */
    size_t cards;       /* cards of the model that were compared with this one; 0: none */
    bool is_odd_card;   /* whether they differ from this one in such rows */
    const char *changed; /* what else changed on the machine, in words, or "" */
};

enum { BL_MAX_CAUSES = 12, BL_CAUSE_TEXT = 400 };

enum bl_next { /* what to do first about a cause */
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
};

struct bl_diagnosis {
    const struct bl_compared **bad; /* the rows that are worse, the worst first */
    size_t bad_count, slower, missing, broken;
    double median_by;      /* of the slower rows; NAN: none is */
    char common[128];      /* what the slower rows share: ", all at L1", or "" */
    char differences[768]; /* of the machine: "driver 1 -> 2; ..."; "": none */
    struct bl_cause causes[BL_MAX_CAUSES];
    size_t cause_count; /* at least 1 */
};

/* Finds the rows that are worse (in both measurements, where there are two), and the causes. Free
 * it with bl_diagnosis_free, whatever is returned: BL_OK or BL_NO_MEMORY. */
enum bl_status bl_diagnose(const struct bl_cause_evidence *evidence, struct bl_diagnosis *diagnosis,
                           struct bl_error *error);
void bl_diagnosis_free(struct bl_diagnosis *diagnosis);

/* A row's change divided by the limit that 95 % of unchanged rows stay within; NAN: unknown. */
double bl_certainty(const struct bl_compared *row);

/* The time of the run that was added to the history last before `now`, if that is later than now's
 * by the clock; else "". */
enum bl_status bl_history_later_run(struct bl_history *history, const struct bl_run_info *now,
                                    char later[64], struct bl_error *error);

/* Since when a row of the card of `now` has been at its level. */
struct bl_row_since {
    char first[32];            /* time of the first such run; "": `now` is it, or unknown */
    size_t runs;               /* number of runs at the level; 0: unknown */
    struct bl_run_info before; /* the run before, if runs is not 0 */
};
enum bl_status bl_history_row_since(struct bl_history *history, const struct bl_run_info *now,
                                    const struct bl_row_key *key, double threshold,
                                    struct bl_row_since *since, struct bl_error *error);

/* Whether cards of the same model differ from that of `now` in rows of these cases; *cards: how
 * many were compared, 0 where there are too few. */
enum bl_status bl_history_is_odd_card(struct bl_history *history, const struct bl_run_info *now,
                                      const char *const cases[], size_t count, bool *is_odd,
                                      size_t *cards, struct bl_error *error);

/* A measurement, and what the history has in its place. */
struct bl_run_and_typical {
    struct bl_run_rows now, typical;
    struct bl_comparison comparison;
};

struct bl_why_settings {
    unsigned runs;       /* number of past runs to compare with */
    double threshold;    /* the change that must be found, a fraction */
    const char *again;   /* CSV of a second measurement, or NULL */
    const char *changed; /* a file of what else changed, or NULL */
};

/* All that is known about why a run is worse. */
struct bl_why {
    struct bl_run_and_typical first, again;
    struct bl_cause_evidence evidence;
    struct bl_diagnosis diagnosis;
    const struct bl_compared *slowest; /* NULL: no row is slower */
    struct bl_row_since since;         /* of that row */
    char changed[512];
};

/* Compares the run in the CSV file with the history and looks for causes. why begins as zeros; free
 * it with bl_why_free, whatever is returned. Fails as bl_run_read and bl_history_typical do;
 * BL_FILE_FAILED. */
enum bl_status bl_history_find_why(struct bl_history *history, const char *path,
                                   const struct bl_why_settings *settings, struct bl_why *why,
                                   struct bl_error *error);
void bl_why_free(struct bl_why *why);

#endif
