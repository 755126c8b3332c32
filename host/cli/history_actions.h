/* The actions of `bankline history` on an open history. Each returns BL_OK or the first failure. */
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
    const char *db;      /* the history's file; NULL: the default file */
    const char *device;  /* device to select; NULL: all */
    unsigned runs;       /* number of past runs to compare with */
    unsigned half;       /* 1 or 2: which half of the runs to use; 0: all runs */
    unsigned nights;     /* unjudged: the minimum number of consecutive runs */
    const char *since;   /* outliers: runs from this date on; NULL: the last night's */
    double least;        /* outliers: the minimum difference of a ratio, a fraction */
    double least_speed;  /* outliers: the minimum difference of speed, a fraction */
    const char *again;   /* why: CSV of a second measurement, or NULL */
    const char *changed; /* why: file that lists other changes on the host, or NULL */
    bool only_new;       /* unjudged: only rows that reached `nights` with this run */
    struct bl_change_settings change;
};

bl_history_action bl_history_do_add, bl_history_do_list, bl_history_do_show, bl_history_do_compare,
    bl_history_do_since, bl_history_do_why, bl_history_do_inconclusive, bl_history_do_outliers,
    bl_history_do_export;

#endif
