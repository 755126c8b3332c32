/* In place of cmd_history.c where there is no SQLite. */
#include "cli/commands.h"

enum bl_status bl_command_history(const struct bl_options *options, struct bl_error *error)
{
    (void)options;
    return bl_fail(error, BL_USAGE,
                   "this bankline was built without sqlite3, so it has no history");
}
