/* The list of commands, and what is read from their tables. */
#include <string.h>

#include "base/text.h"
#include "cli/command.h"

extern const struct bl_command bl_command_devices, bl_command_list, bl_command_model,
    bl_command_run, bl_command_try, bl_command_infer, bl_command_trace, bl_command_compare,
    bl_command_report, bl_command_history, bl_command_completion;

const struct bl_command *const bl_commands[] = {
    &bl_command_devices,
    &bl_command_list,
    &bl_command_model,
    &bl_command_run,
    &bl_command_try,
    &bl_command_infer,
    &bl_command_trace,
    &bl_command_compare,
    &bl_command_report,
    &bl_command_history,
    &bl_command_completion,
    &bl_command_help,
    NULL,
};

const char *bl_command_word(const struct bl_command *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

static const struct bl_command *find(const struct bl_command *const commands[], const char *word)
{
    for (; commands && *commands; commands++)
        if (strcmp(bl_command_word(*commands), word) == 0)
            return *commands;
    return NULL;
}

const struct bl_command *bl_command_named(const char *const words[], size_t count, size_t *used)
{
    const struct bl_command *command = count > 0 ? find(bl_commands, words[0]) : NULL;
    const struct bl_command *action =
        command && count > 1 ? find(command->actions, words[1]) : NULL;
    *used = action ? 2 : command ? 1 : 0;
    return action ? action : command;
}

enum bl_status bl_command_unknown(const struct bl_command *parent, const char *word,
                                  struct bl_error *error)
{
    if (parent && !parent->actions)
        return bl_fail(error, BL_USAGE, "'%s' has no action '%s'", parent->name, word);
    const char *what = parent ? "action" : "command";
    const struct bl_command *const *commands = parent ? parent->actions : bl_commands;
    struct bl_nearest nearest = bl_nearest_begin(word);
    for (; *commands; commands++)
        bl_nearest_offer(&nearest, bl_command_word(*commands));
    char meant[128];
    if (nearest.best)
        return bl_fail(error, BL_USAGE, "unknown %s '%s'%s", what, word,
                       bl_did_you_mean(&nearest, meant));
    return bl_fail(error, BL_USAGE, "unknown %s '%s'; 'bankline help%s%s' lists them", what, word,
                   parent ? " " : "", parent ? parent->name : "");
}

enum bl_status bl_command_check_built(const struct bl_command *command, struct bl_error *error)
{
    if (!command->lacks)
        return BL_OK;
    return bl_fail(error, BL_USAGE, "this bankline was built without %s, so it has no '%s'",
                   command->lacks, command->name);
}

bool bl_command_option(const struct bl_command *command, size_t i, struct bl_option *option)
{
    enum { PARTS = sizeof command->options / sizeof command->options[0] };
    for (size_t p = 0; p < PARTS; p++) {
        const struct bl_option_part *part = &command->options[p];
        size_t count = 0;
        if (part->options) {
            while (part->options[count].name)
                count++;
            if (i < count)
                *option = part->options[i];
        } else if (part->option) {
            struct bl_option other;
            while (part->option(count, &other))
                count++;
            if (i < count)
                part->option(i, option);
        }
        if (i < count) {
            option->offset += part->offset;
            return true;
        }
        i -= count;
    }
    return false;
}

void bl_each_command(void (*visit)(const struct bl_command *command, void *context), void *context)
{
    for (const struct bl_command *const *command = bl_commands; *command; command++) {
        if (!(*command)->actions)
            visit(*command, context);
        for (size_t i = 0; (*command)->actions && (*command)->actions[i]; i++)
            visit((*command)->actions[i], context);
    }
}
