/* In place of report_history.c where the program is built without SQLite. */
#include "cli/report_history.h"

enum bl_status bl_report_history_read(const char *db, const struct bl_run_rows *now,
                                      struct bl_report_history *history, struct bl_error *error)
{
    (void)db, (void)now;
    *history = (struct bl_report_history){0};
    return bl_fail(error, BL_USAGE,
                   "this bankline was built without SQLite, and so without histories");
}

void bl_report_history_free(struct bl_report_history *history) { (void)history; }
