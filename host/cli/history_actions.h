/* The actions of `bankline history` on an open history. Each returns BL_OK; BL_BAD_NEWS, for
 * example if a row is slower; or a failure. */
#ifndef BANKLINE_CLI_HISTORY_ACTIONS_H
#define BANKLINE_CLI_HISTORY_ACTIONS_H

#include "cli/output.h"
#include "history/database.h"
#include "report/sink.h"

struct bl_history_settings;

typedef enum bl_status bl_history_action(struct bl_history *history,
                                         const struct bl_history_settings *settings,
                                         const struct bl_arguments *arguments,
                                         struct bl_error *error);

struct bl_history_settings {
    bl_history_action *act;
    const char *db;      /* file of the history; NULL: the default file */
    const char *device;  /* device to select; NULL for all devices */
    unsigned runs;       /* number of past runs to compare with */
    unsigned half;       /* which half of the last 2 x `runs` runs to use, 1 or 2 (of fewer than
                            four runs, all are used); 0 for the last `runs` runs */
    unsigned nights;     /* for `unjudged`: the minimum number of consecutive runs */
    const char *since;   /* for `outliers`: use runs from this date on; NULL for the runs of the
                            last night */
    double least;        /* for `outliers`: how far a ratio or a time must be from the cards' median
                            to count, a fraction */
    double least_speed;  /* for `outliers`: how far a card's speed must be from the cards' median to
                            count, a fraction */
    const char *again;   /* for `why`: CSV of a second measurement, or NULL */
    const char *changed; /* for `why`: file that lists other changes on the host, or NULL */
    bool only_new;       /* for `unjudged`: only rows that have been unclear in exactly `nights`
                            consecutive runs */
    struct bl_change_settings change;
};

bl_history_action bl_history_do_add, bl_history_do_list, bl_history_do_show, bl_history_do_compare,
    bl_history_do_since, bl_history_do_why, bl_history_do_inconclusive, bl_history_do_outliers,
    bl_history_do_export;

#endif
