/* Parses the command line. getopt_long splits it into options and arguments; the commands' tables
 * define which options exist and how their values are parsed. */
#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

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

const struct bl_command *bl_command_named(const struct bl_commands *commands,
                                          const char *const words[], size_t count, size_t *used)
{
    const struct bl_command *command = count > 0 ? find(commands->all, words[0]) : NULL;
    const struct bl_command *action =
        command && count > 1 ? find(command->actions, words[1]) : NULL;
    *used = action ? 2 : command ? 1 : 0;
    return action ? action : command;
}

enum bl_status bl_command_unknown(const struct bl_commands *commands,
                                  const struct bl_command *parent, const char *word,
                                  struct bl_error *error)
{
    if (parent && !parent->actions)
        return bl_fail(error, BL_USAGE, "'%s' has no action '%s'", parent->name, word);
    const char *what = parent ? "action" : "command";
    const struct bl_command *const *known = parent ? parent->actions : commands->all;
    struct bl_nearest nearest = bl_nearest_begin(word);
    for (; *known; known++)
        bl_nearest_offer(&nearest, bl_command_word(*known));
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

/* Gets option i of a part, from the part's table or from its function. Returns false if there is no
 * option i. */
static bool option_of(const struct bl_option_part *part, size_t i, struct bl_option *option)
{
    if (!part->options)
        return part->option && part->option(i, option);
    *option = part->options[i];
    return option->name;
}

bool bl_command_option(const struct bl_command *command, size_t i, struct bl_option *option)
{
    enum { PARTS = sizeof command->options / sizeof command->options[0] };
    for (const struct bl_option_part *part = command->options; part < command->options + PARTS;
         part++)
        for (size_t of_part = 0; option_of(part, of_part, option); of_part++)
            if (i-- == 0) {
                option->offset += part->offset;
                return true;
            }
    return false;
}

void bl_each_command(const struct bl_commands *commands,
                     void (*visit)(const struct bl_command *command, void *context), void *context)
{
    for (const struct bl_command *const *command = commands->all; *command; command++) {
        if (!(*command)->actions)
            visit(*command, context);
        for (size_t i = 0; (*command)->actions && (*command)->actions[i]; i++)
            visit((*command)->actions[i], context);
    }
}

/* Parsers for the values of options. */

/* Fails with a message that names the option, its value, and what was expected. The arguments are a
 * format for the expectation, and at least one value for the format. */
#define FAIL(expected, ...) \
    bl_fail(error, BL_USAGE, "--%s '%s': expected " expected, option->name, text, __VA_ARGS__)

enum bl_status bl_parse_flag(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    (void)option, (void)text, (void)error;
    *(bool *)member = true;
    return BL_OK;
}

enum bl_status bl_parse_text(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    (void)option, (void)error;
    *(const char **)member = text;
    return BL_OK;
}

/* Reads an integer at *text, and moves *text past it. Returns false unless there is an integer from
 * 1 to `max`. */
static bool read_count(const char **text, unsigned max, unsigned *count)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    *count = (unsigned)value;
    return errno == 0 && value >= 1 && value <= max;
}

enum bl_status bl_parse_count(const struct bl_option *option, const char *text, void *member,
                              struct bl_error *error)
{
    const char *rest = text;
    unsigned count;
    if (!read_count(&rest, option->max, &count) || *rest)
        return FAIL("an integer from 1 to %u", option->max);
    *(unsigned *)member = count;
    return BL_OK;
}

/* Reads a shape such as "8x2". */
static bool read_shape(const char *text, unsigned max, struct bl_shape *shape)
{
    return read_count(&text, max, &shape->x) && *text++ == 'x' &&
           read_count(&text, max, &shape->y) && !*text;
}

enum bl_status bl_parse_shape(const struct bl_option *option, const char *text, void *member,
                              struct bl_error *error)
{
    struct bl_shape shape;
    if (!read_shape(text, option->max, &shape))
        return FAIL("WIDTHxHEIGHT, such as 8x2, each from 1 to %u", option->max);
    *(struct bl_shape *)member = shape;
    return BL_OK;
}

enum bl_status bl_parse_extent(const struct bl_option *option, const char *text, void *member,
                               struct bl_error *error)
{
    const char *rest = text;
    struct bl_shape shape = {.y = 1};
    if ((!read_count(&rest, option->max, &shape.x) || *rest) &&
        !read_shape(text, option->max, &shape))
        return FAIL("N or WIDTHxHEIGHT, such as 8 or 8x2, each from 1 to %u", option->max);
    *(struct bl_shape *)member = shape;
    return BL_OK;
}

/* Reads a number in the C locale, with or without `unit` after it. *number becomes NAN for any
 * other text. Returns BL_OK or BL_NO_MEMORY. */
static enum bl_status read_number(const char *text, const char *unit, double *number,
                                  struct bl_error *error)
{
    char *end;
    const enum bl_status status = bl_read_decimal(text, number, &end, error);
    if (status != BL_OK)
        return status;
    if (end == text || strpbrk(text, "xX \t") || (*end && strcmp(end, unit) != 0))
        *number = NAN;
    return BL_OK;
}

enum bl_status bl_parse_seconds(const struct bl_option *option, const char *text, void *member,
                                struct bl_error *error)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"m", 60}, {"h", 3600}};
    double seconds = NAN;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < 3 && isnan(seconds) && status == BL_OK; i++) {
        status = read_number(text, units[i].unit, &seconds, error);
        seconds *= units[i].seconds;
    }
    if (status == BL_OK && !(seconds > 0 && seconds <= 3600))
        return FAIL("seconds, above 0 and at most %d, or a time such as 2m", 3600);
    *(double *)member = seconds;
    return status;
}

enum bl_status bl_parse_percent(const struct bl_option *option, const char *text, void *member,
                                struct bl_error *error)
{
    double percent = NAN;
    const enum bl_status status = read_number(text, "%", &percent, error);
    if (status == BL_OK && !(percent > 0 && percent < 100))
        return FAIL("a percentage above 0 and below %d, such as 10%%", 100);
    *(double *)member = percent / 100;
    return status;
}

enum bl_status bl_parse_type(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    const enum bl_status status = bl_type_named(text, member, error);
    if (status != BL_OK)
        bl_error_context(error, "--%s", option->name);
    return status;
}

enum bl_status bl_parse_choice(const struct bl_option *option, const char *text, void *member,
                               struct bl_error *error)
{
    char words[256] = "";
    for (unsigned i = 0; option->words[i]; i++) {
        if (strcmp(text, option->words[i]) == 0) {
            *(unsigned *)member = i;
            return BL_OK;
        }
        const char *separator = i == 0 ? "" : option->words[i + 1] ? ", " : " or ";
        bl_text_add(words, sizeof words, "%s%s", separator, option->words[i]);
    }
    return FAIL("%s", words);
}

/* The parser of the command line. */

enum { MAX_OPTIONS = 62, FIRST_KEY = 256, ARGUMENT_KEY = 1 };

static bool is_one_of(const char *word, const char *name, const char *other)
{
    return strcmp(word, name) == 0 || strcmp(word, other) == 0;
}

/* Fails with a message such as "usage: bankline history add RUN.csv...". */
static enum bl_status fail_usage(const struct bl_command *command, struct bl_error *error)
{
    return bl_fail(error, BL_USAGE, "usage: bankline %s%s%s", command->name,
                   *command->arguments ? " " : "", command->arguments);
}

/* A command line while it is parsed. */
struct parsing {
    const struct bl_commands *commands; /* the program's commands */
    const struct bl_command *command;
    void *settings;
    struct option longs[MAX_OPTIONS + 2]; /* the command's options, as getopt_long needs them */
};

/* The commands that have a given option. */
struct owners {
    const char *option;
    char names[256]; /* names of the commands, such as "run, try" */
};

static void name_owner(const struct bl_command *command, void *context)
{
    struct owners *owners = context;
    struct bl_option option;
    for (size_t i = 0; bl_command_option(command, i, &option); i++)
        if (strcmp(option.name, owners->option) == 0)
            bl_text_add(owners->names, sizeof owners->names, "%s%s", *owners->names ? ", " : "",
                        command->name);
}

/* Fails with a message about an unknown option. word: the option, with its "--". meant: the only
 * option that begins with `word`, or NULL. */
static enum bl_status fail_unknown_option(const struct parsing *parsing, const char *word,
                                          const char *meant, struct bl_error *error)
{
    const struct bl_command *command = parsing->command;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct owners owners = {.option = name};
    bl_each_command(parsing->commands, name_owner, &owners);
    if (!meant && owners.names[0])
        return bl_fail(error, BL_USAGE, "'%s' has no option '--%s'; that option belongs to %s",
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
    return bl_fail(error, BL_USAGE,
                   "unknown option '--%s'; 'bankline help %s' lists the options of '%s'", name,
                   command->name, command->name);
}

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

/* Processes an option that getopt_long parsed. word: the option on the command line. key: what
 * getopt_long returned. value: the option's value, or NULL. */
static enum bl_status take_option(const struct parsing *parsing, const char *word, int key,
                                  const char *value, struct bl_error *error)
{
    const bool is_failure = key == '?' || key == ':';
    if (is_failure)
        key = optopt;
    if (strncmp(word, "--", 2) != 0)
        return fail_single_dash(word, error);
    if (is_failure && key < FIRST_KEY && key != 'h')
        return fail_unknown_option(parsing, word, NULL, error);
    struct bl_option option = {.name = "help"};
    if (key >= FIRST_KEY)
        bl_command_option(parsing->command, (size_t)(key - FIRST_KEY), &option);
    /* getopt_long also accepts unique abbreviations. They are rejected, because an option added
     * later could make them ambiguous. */
    const size_t length = strcspn(word + 2, "=");
    if (strlen(option.name) != length || strncmp(option.name, word + 2, length) != 0)
        return fail_unknown_option(parsing, word, option.name, error);
    if (is_failure && !option.value)
        return bl_fail(error, BL_USAGE, "'--%s' takes no value", option.name);
    if (is_failure || (value && !*value))
        return bl_fail(error, BL_USAGE, "'--%s' needs a value: --%s %s%s", option.name, option.name,
                       option.value, is_failure ? "" : ", but the value is empty");
    if (!option.parse)
        return BL_OK; /* help */
    return option.parse(&option, value, (char *)parsing->settings + option.offset, error);
}

/* Processes '-o FILE', which means --output FILE if the command has that option. */
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

/* Parses the words after words[0], the command's name. Applies the options, and moves the arguments
 * to words[1] and the following words. Stops at --help or -h, and sets *wants_help. */
static enum bl_status take_words(const struct parsing *parsing, int count, char *words[],
                                 size_t *argument_count, bool *wants_help, struct bl_error *error)
{
    size_t arguments = 0;
    *wants_help = false;
    optind = 0; /* resets getopt, because tests parse several command lines */
    opterr = 0;
    for (;;) {
        /* The string of short options begins with '-', so getopt_long returns each argument when it
         * is reached, with the key ARGUMENT_KEY, even if POSIXLY_CORRECT is set. */
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
    invocation->arguments = (struct bl_arguments){.commands = invocation->arguments.commands};
    invocation->command = command;
    if (command->settings_bytes == 0)
        return BL_OK;
    invocation->settings = calloc(1, command->settings_bytes);
    if (!invocation->settings)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory for the settings of "
                       "'%s'",
                       command->name);
    if (command->defaults)
        memcpy(invocation->settings, command->defaults, command->settings_bytes);
    return BL_OK;
}

/* Turns the invocation into `help COMMAND`, for the command that the first `count` words name. */
static enum bl_status ask_for_help(char *const words[], size_t count,
                                   struct bl_invocation *invocation, struct bl_error *error)
{
    const enum bl_status status = begin(invocation->arguments.commands->help, invocation, error);
    invocation->arguments.words = (const char *const *)words;
    invocation->arguments.count = count;
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

/* Whether the word is an option of one of the actions, and the next word is the option's value. */
static bool is_followed_by_value(const struct bl_command *command, const char *word)
{
    if (strcmp(word, "-o") == 0)
        return true;
    struct bl_option option;
    for (const struct bl_command *const *action = command->actions; *action; action++)
        for (size_t i = 0; bl_command_option(*action, i, &option); i++)
            if (option.value && strncmp(word, "--", 2) == 0 && strcmp(word + 2, option.name) == 0)
                return true;
    return false;
}

/* Moves the action's name to words[1], because options may precede the action, as in 'history --db
 * FILE add'. */
static void put_action_first(const struct bl_command *command, int count, char *words[])
{
    int at = 1;
    while (at < count && words[at][0] == '-' && strcmp(words[at], "--") != 0)
        at += is_followed_by_value(command, words[at]) ? 2 : 1;
    if (at >= count || !find(command->actions, words[at]))
        return;
    char *action = words[at];
    memmove(words + 2, words + 1, (size_t)(at - 1) * sizeof *words);
    words[1] = action;
}

/* Parses a command line whose words[0] is the command's name. */
static enum bl_status parse_command(int count, char *words[], struct bl_invocation *invocation,
                                    struct bl_error *error)
{
    const struct bl_commands *commands = invocation->arguments.commands;
    size_t used;
    const struct bl_command *command =
        bl_command_named(commands, (const char *const *)words, (size_t)count, &used);
    if (!command)
        return bl_command_unknown(commands, NULL, words[0], error);
    enum bl_status status = bl_command_check_built(command, error);
    if (status != BL_OK)
        return status;
    if (command->actions) {
        put_action_first(command, count, words);
        command = bl_command_named(commands, (const char *const *)words, (size_t)count, &used);
    }
    if (command->actions) {
        const bool is_help = count > 1 && is_one_of(words[1], "--help", "-h");
        if (is_help)
            return ask_for_help(words, used, invocation, error);
        if (count == 1 || words[1][0] == '-')
            return fail_usage(command, error);
        return bl_command_unknown(commands, command, words[1], error);
    }
    struct parsing parsing = {.commands = commands, .command = command};
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

enum bl_status bl_command_line_parse(const struct bl_commands *commands, int argc, char *argv[],
                                     struct bl_invocation *invocation, struct bl_error *error)
{
    *invocation = (struct bl_invocation){.arguments.commands = commands};
    if (argc < 2)
        return bl_fail(error, BL_USAGE,
                       "no command; 'bankline run' measures, 'bankline help' lists all commands");
    if (is_one_of(argv[1], "--help", "-h"))
        return ask_for_help(argv + 1, 0, invocation, error);
    if (is_one_of(argv[1], "--version", "-V"))
        return begin(commands->version, invocation, error);
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
