/* The list of the program's commands. host/meson.build names them; each is a file
 * cli/cmd_<name>.c. Only --version, in cmd_help.c, is not in the list. */
#include "cli/command.h"
#include "command_list.h"

#define DECLARE(name) extern const struct bl_command bl_command_##name;
COMMANDS(DECLARE)
DECLARE(version)

#define ADDRESS(name) &bl_command_##name,
static const struct bl_command *const all[] = {COMMANDS(ADDRESS) NULL};

const struct bl_commands bl_commands = {all, &bl_command_help, &bl_command_version};
