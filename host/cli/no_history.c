/* In place of cmd_history.c where there is no SQLite. */
#include "cli/command.h"

const struct bl_command bl_command_history = {
    .name = "history",
    .arguments = "ACTION",
    .summary = "runs over time (not built: sqlite3 is missing)",
    .lacks = "sqlite3",
};
