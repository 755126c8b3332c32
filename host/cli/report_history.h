/* What a report takes from the history. */
#ifndef BANKLINE_CLI_REPORT_HISTORY_H
#define BANKLINE_CLI_REPORT_HISTORY_H

#include "page/nights.h"

struct bl_report_history {
    struct bl_nights nights;
    struct bl_run_rows typical;
    struct bl_comparison comparison;
};

/* The last runs of the card that `now` was measured on, and what is typical of them. db NULL: the
 * program's own. BL_USAGE where it was built without histories; else as bl_history_open and
 * bl_compare. `now` must outlive it; free it whatever is returned. */
enum bl_status bl_report_history_read(const char *db, const struct bl_run_rows *now,
                                      struct bl_report_history *history, struct bl_error *error);
void bl_report_history_free(struct bl_report_history *history);

#endif
