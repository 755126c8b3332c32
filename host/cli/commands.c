/* The list of commands: each is a file of its own, cmd_<name>.c. */
#include "cli/commands.h"

extern const struct bl_command bl_command_devices, bl_command_list, bl_command_machines,
    bl_command_model, bl_command_run, bl_command_try, bl_command_infer, bl_command_trace,
    bl_command_compare, bl_command_report, bl_command_history, bl_command_completion,
    bl_command_help, bl_command_version;

static const struct bl_command *const all[] = {
    &bl_command_devices,  &bl_command_list,
    &bl_command_machines, &bl_command_model,
    &bl_command_run,      &bl_command_try,
    &bl_command_infer,    &bl_command_trace,
    &bl_command_compare,  &bl_command_report,
    &bl_command_history,  &bl_command_completion,
    &bl_command_help,     NULL,
};

const struct bl_commands bl_commands = {all, &bl_command_help, &bl_command_version};
