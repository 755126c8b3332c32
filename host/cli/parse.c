#include "cli/parse.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_OPTIONS = 62, FIRST_KEY = 256, ARGUMENT_KEY = 1 };

static bool is_one_of(const char *word, const char *name, const char *other)
{
    return strcmp(word, name) == 0 || strcmp(word, other) == 0;
}

/* "usage: bankline history add RUN.csv..." */
static enum bl_status fail_usage(const struct bl_command *command, struct bl_error *error)
{
    return bl_fail(error, BL_USAGE, "usage: bankline %s%s%s", command->name,
                   *command->arguments ? " " : "", command->arguments);
}

/* Who else has an option. */
struct owners {
    const char *option;
    char names[256]; /* "run, try" */
};

static void name_owner(const struct bl_command *command, void *context)
{
    struct owners *owners = context;
    struct bl_option option;
    for (size_t i = 0; bl_command_option(command, i, &option); i++)
        if (strcmp(option.name, owners->option) == 0) {
            const size_t used = strlen(owners->names);
            snprintf(owners->names + used, sizeof owners->names - used, "%s%s", used ? ", " : "",
                     command->name);
        }
}

/* word begins with "--"; meant is the only option that begins like it, or NULL. */
static enum bl_status fail_unknown_option(const struct bl_command *command, const char *word,
                                          const char *meant, struct bl_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct owners owners = {.option = name};
    bl_each_command(name_owner, &owners);
    if (!meant && owners.names[0])
        return bl_fail(error, BL_USAGE, "'%s' has no option '--%s'; it belongs to %s",
                       command->name, name, owners.names);
    struct bl_nearest nearest = bl_nearest_begin(name);
    struct bl_option option;
    for (size_t i = 0; bl_command_option(command, i, &option); i++)
        bl_nearest_offer(&nearest, option.name);
    bl_nearest_offer(&nearest, "help");
    if (!meant)
        meant = nearest.best;
    if (meant)
        return bl_fail(error, BL_USAGE, "unknown option '--%s'; did you mean '--%s'?", name, meant);
    return bl_fail(error, BL_USAGE, "unknown option '--%s'; 'bankline help %s' lists those of '%s'",
                   name, command->name, command->name);
}

/* What getopt_long needs of a command's table. */
struct parsing {
    const struct bl_command *command;
    void *settings;
    struct option longs[MAX_OPTIONS + 2];
};

static void list_options(struct parsing *parsing)
{
    struct bl_option option;
    size_t count = 0;
    for (; count < MAX_OPTIONS && bl_command_option(parsing->command, count, &option); count++)
        parsing->longs[count] =
            (struct option){option.name, option.value ? required_argument : no_argument, NULL,
                            FIRST_KEY + (int)count};
    parsing->longs[count] = (struct option){"help", no_argument, NULL, 'h'};
    parsing->longs[count + 1] = (struct option){0};
}

static enum bl_status fail_single_dash(const char *word, struct bl_error *error)
{
    return bl_fail(error, BL_USAGE,
                   "unknown option '%s'; put '--' before an argument that begins with '-'", word);
}

/* What getopt_long made of a word that is an option: its key and, where it has one, its value. */
static enum bl_status take_option(const struct parsing *parsing, const char *word, int key,
                                  const char *value, struct bl_error *error)
{
    const struct bl_command *command = parsing->command;
    const bool is_failure = key == '?' || key == ':';
    if (is_failure)
        key = optopt;
    if (strncmp(word, "--", 2) != 0)
        return fail_single_dash(word, error);
    if (is_failure && key < FIRST_KEY && key != 'h')
        return fail_unknown_option(command, word, NULL, error);
    struct bl_option option = {.name = "help"};
    if (key >= FIRST_KEY)
        bl_command_option(command, (size_t)(key - FIRST_KEY), &option);
    /* getopt_long takes what is unique for the whole, until an option is added. */
    const size_t length = strcspn(word + 2, "=");
    if (strlen(option.name) != length || strncmp(option.name, word + 2, length) != 0)
        return fail_unknown_option(command, word, option.name, error);
    if (is_failure && !option.value)
        return bl_fail(error, BL_USAGE, "'--%s' takes no value", option.name);
    if (is_failure || (value && !*value))
        return bl_fail(error, BL_USAGE, "'--%s' needs a value: --%s %s%s", option.name, option.name,
                       option.value, is_failure ? "" : ", and this one is empty");
    if (!option.parse)
        return BL_OK; /* help */
    return option.parse(&option, value, (char *)parsing->settings + option.offset, error);
}

/* -o FILE, as compilers have it, is --output FILE of the commands that have that. */
static enum bl_status take_output(const struct parsing *parsing, const char *word,
                                  const char *value, struct bl_error *error)
{
    struct bl_option option;
    for (size_t i = 0; bl_command_option(parsing->command, i, &option); i++)
        if (strcmp(option.name, "output") == 0)
            return value && *value
                       ? option.parse(&option, value, (char *)parsing->settings + option.offset,
                                      error)
                       : bl_fail(error, BL_USAGE, "'-o' needs a value: -o %s", option.value);
    return fail_single_dash(word, error);
}

/* Takes the words behind the command's, which words[0] is, and gathers the arguments from words[1]
 * on. */
static enum bl_status take_words(const struct parsing *parsing, int count, char *words[],
                                 size_t *argument_count, bool *wants_help, struct bl_error *error)
{
    size_t arguments = 0;
    *wants_help = false;
    optind = 0; /* starts anew: tests parse more than once */
    opterr = 0;
    for (;;) {
        /* '-': whatever POSIXLY_CORRECT says, arguments come in their order, as values of 1. */
        const int at = optind ? optind : 1;
        const int key = getopt_long(count, words, "-:ho:", parsing->longs, NULL);
        if (key == -1)
            break;
        if (key == ARGUMENT_KEY) {
            words[1 + arguments++] = optarg;
            continue;
        }
        const bool is_short_help = key == 'h' && strcmp(words[at], "-h") == 0;
        const bool is_output =
            strncmp(words[at], "-o", 2) == 0 && (key == 'o' || (key == ':' && optopt == 'o'));
        const enum bl_status status =
            is_short_help ? BL_OK
            : is_output   ? take_output(parsing, words[at], key == 'o' ? optarg : NULL, error)
                          : take_option(parsing, words[at], key, optarg, error);
        if (status != BL_OK)
            return status;
        *wants_help |= key == 'h';
        if (*wants_help)
            return BL_OK;
    }
    while (optind < count)
        words[1 + arguments++] = words[optind++];
    *argument_count = arguments;
    return BL_OK;
}

static enum bl_status begin(const struct bl_command *command, struct bl_invocation *invocation,
                            struct bl_error *error)
{
    free(invocation->settings);
    invocation->settings = NULL;
    invocation->arguments = (struct bl_arguments){0};
    invocation->command = command;
    if (command->settings_bytes == 0)
        return BL_OK;
    invocation->settings = calloc(1, command->settings_bytes);
    if (!invocation->settings)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the settings of '%s'", command->name);
    if (command->defaults)
        memcpy(invocation->settings, command->defaults, command->settings_bytes);
    return BL_OK;
}

/* Help about the command that `count` words name. */
static enum bl_status ask_for_help(char *const words[], size_t count,
                                   struct bl_invocation *invocation, struct bl_error *error)
{
    const enum bl_status status = begin(&bl_command_help, invocation, error);
    invocation->arguments = (struct bl_arguments){(const char *const *)words, count};
    return status;
}

static enum bl_status check_arguments(const struct bl_invocation *invocation,
                                      struct bl_error *error)
{
    const struct bl_command *command = invocation->command;
    const size_t count = invocation->arguments.count;
    if (count >= command->min_arguments && count <= command->max_arguments)
        return BL_OK;
    fail_usage(command, error);
    if (count > command->max_arguments)
        bl_error_context(error, "unexpected argument '%s'",
                         invocation->arguments.words[command->max_arguments]);
    return BL_USAGE;
}

/* words: from the command's name on. */
static enum bl_status parse_command(int count, char *words[], struct bl_invocation *invocation,
                                    struct bl_error *error)
{
    size_t used;
    const struct bl_command *command =
        bl_command_named((const char *const *)words, (size_t)count, &used);
    if (!command)
        return bl_command_unknown(NULL, words[0], error);
    enum bl_status status = bl_command_check_built(command, error);
    if (status != BL_OK)
        return status;
    if (command->actions) {
        const bool is_help = count > 1 && is_one_of(words[1], "--help", "-h");
        if (is_help)
            return ask_for_help(words, used, invocation, error);
        if (count == 1 || words[1][0] == '-')
            return fail_usage(command, error);
        return bl_command_unknown(command, words[1], error);
    }
    struct parsing parsing = {.command = command};
    list_options(&parsing);
    status = begin(command, invocation, error);
    if (status != BL_OK)
        return status;
    parsing.settings = invocation->settings;
    bool wants_help;
    char **own = words + used - 1;
    status = take_words(&parsing, count - (int)used + 1, own, &invocation->arguments.count,
                        &wants_help, error);
    if (status == BL_OK && wants_help)
        return ask_for_help(words, used, invocation, error);
    invocation->arguments.words = (const char *const *)own + 1;
    return status == BL_OK ? check_arguments(invocation, error) : status;
}

enum bl_status bl_command_line_parse(int argc, char *argv[], struct bl_invocation *invocation,
                                     struct bl_error *error)
{
    *invocation = (struct bl_invocation){0};
    if (argc < 2)
        return bl_fail(error, BL_USAGE,
                       "no command; 'bankline run' measures, 'bankline help' lists the others");
    if (is_one_of(argv[1], "--help", "-h"))
        return ask_for_help(argv + 1, 0, invocation, error);
    if (is_one_of(argv[1], "--version", "-V"))
        return begin(&bl_command_version, invocation, error);
    if (argv[1][0] == '-')
        return bl_fail(error, BL_USAGE,
                       "expected a command before '%s'; usage: bankline COMMAND [OPTION...]",
                       argv[1]);
    return parse_command(argc - 1, argv + 1, invocation, error);
}

void bl_invocation_free(struct bl_invocation *invocation)
{
    free(invocation->settings);
    *invocation = (struct bl_invocation){0};
}
