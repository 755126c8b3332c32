/* `bankline history outliers`: which card is not like the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/history_actions.h"
#include "cli/output.h"
#include "history/outliers.h"

/* "2026-11-20", and more of a time if wanted. */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    const size_t length = strlen(text);
    if (length != 10 && length != sizeof form - 1)
        return false;
    for (size_t i = 0; i < length; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    struct tm given = {0}, same;
    const char *end = strptime(text, length == 10 ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ", &given);
    const time_t then = timegm(&given);
    gmtime_r(&then, &same);
    return end && !*end && same.tm_mday == atoi(text + 8); /* no 31st of February */
}

enum bl_status bl_history_do_outliers(struct bl_history *history,
                                      const struct bl_history_settings *settings,
                                      const struct bl_arguments *arguments, struct bl_error *error)
{
    if (settings->since && !is_date(settings->since))
        return bl_fail(error, BL_USAGE,
                       "--since is '%s'; expected a date, 2026-11-20, or a time of UTC, "
                       "2026-11-20T02:00:00Z",
                       settings->since);
    const struct bl_outlier_search search = {.since = settings->since,
                                             .selectors = arguments->words,
                                             .selector_count = arguments->count,
                                             .least = settings->least,
                                             .absolute = settings->change.absolute};
    struct bl_fleet fleet;
    enum bl_status status = bl_history_outliers(history, &search, &fleet, error);
    if (status == BL_OK && fleet.row_count == 0)
        status =
            arguments->count > 0
                ? bl_fail(error, BL_UNKNOWN_CASE, "no run of that time has a case '%s'%s",
                          arguments->words[0], arguments->count > 1 ? " or one of the others" : "")
                : bl_fail(error, BL_UNKNOWN_CASE, "the history has no run of that time");
    if (status == BL_OK)
        status = bl_output_fleet(&settings->change.output, settings->change.quiet, &fleet, error);
    if (status == BL_OK && fleet.outlier_count > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu difference%s that chance does not explain",
                         fleet.outlier_count, fleet.outlier_count == 1 ? "" : "s");
    bl_fleet_free(&fleet);
    return status;
}
