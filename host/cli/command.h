/* The command line. A command is one file cmd_<name>.c with a const struct bl_command and its
 * options.
 *
 * Parsing, help, the man page and shell completion all use these tables. A new option needs a row
 * in the command's table, a member of the settings, and code that reads the member. */
#ifndef BANKLINE_CLI_COMMAND_H
#define BANKLINE_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"

/* The kind of a word on the command line, which decides how a shell completes the word. */
enum bl_completion {
    BL_COMPLETE_NOTHING,
    BL_COMPLETE_FILES,
    BL_COMPLETE_FOLDERS,
    BL_COMPLETE_CASES,    /* ids of cases, and suites */
    BL_COMPLETE_MACHINES, /* names of machines, and files */
    BL_COMPLETE_DEVICES,  /* indices of devices */
    BL_COMPLETE_TYPES,
    BL_COMPLETE_COMMANDS,
    BL_COMPLETE_LEVELS, /* "cache", and names of the memory levels of all machines */
    BL_COMPLETE_SHAPES, /* a few common shapes */
    BL_COMPLETE_TABLES, /* files, and the kinds of tables that can be generated */
    BL_COMPLETE_WORDS   /* words of a choice */
};

/* The group of an option; the help prints a separate list for each group. */
enum bl_option_group { BL_GROUP_WHAT, BL_GROUP_TIME, BL_GROUP_OUTPUT, BL_GROUP_MACHINE };

struct bl_option {
    const char *name;  /* name without the leading dashes */
    const char *value; /* name of the value in the help; NULL if the option is a flag */
    const char *help;  /* text of the help; it states the default */
    /* Parses `text` (NULL for a flag, otherwise not empty), and writes the value to *member. Fails
     * with BL_USAGE and a message that says what was expected, or with BL_NO_MEMORY. */
    enum bl_status (*parse)(const struct bl_option *option, const char *text, void *member,
                            struct bl_error *error);
    size_t offset; /* offset of the option's member in the part's struct */
    enum bl_completion completes;
    const char *const *words; /* words of a choice, or words that shells offer; ended by NULL */
    unsigned max;             /* max of a count, or of each side of a shape */
    enum bl_option_group group;
    bool is_list; /* whether the value is a comma-separated list; a shell then completes the value
                     after each comma, too */
};

/* A table of options for a part of a command's settings. */
struct bl_option_part {
    /* the table, ended by an option without a name; NULL if the function `option` makes the
     * options */
    const struct bl_option *options;
    bool (*option)(size_t i, struct bl_option *option); /* copies option i to *option; returns false
                                                           if there is no option i */
    size_t offset; /* offset of the part in the command's settings */
};

struct bl_commands;

struct bl_arguments {
    const char *const *words;
    size_t count;
    const struct bl_commands
        *commands; /* all commands of the program, for `help` and `completion` */
};

struct bl_command {
    const char *name;        /* such as "run", or for an action "history add" */
    const char *arguments;   /* such as "RUN.csv...", as the help shows it; or "" */
    const char *summary;     /* one line, for the list of all commands */
    const char *description; /* paragraphs, separated by "\n\n" */
    const char *examples[2]; /* example command lines */
    size_t min_arguments, max_arguments;
    enum bl_completion completes;      /* how a shell completes the required arguments */
    enum bl_completion completes_more; /* how a shell completes further arguments */
    const char *const *argument_words; /* words for BL_COMPLETE_WORDS, ended by NULL */
    struct bl_option_part options[6];  /* unused parts are zero */
    size_t settings_bytes;
    const void *defaults; /* initial settings; NULL if all are zero */
    /* Runs the command. Prints results to standard output; main prints the sentence of a failure.
     */
    enum bl_status (*run)(const void *settings, const struct bl_arguments *arguments,
                          struct bl_error *error);
    const struct bl_command *const *actions; /* actions, ended by NULL, instead of arguments */
    const char *lacks; /* name of a library that the command needs, if the program was built without
                          this library; else NULL */
};

/* The commands of a program. */
struct bl_commands {
    const struct bl_command *const
        *all; /* all commands but not their actions, in the order of the help, ended by NULL */
    const struct bl_command *help, *version; /* the commands that --help and --version run */
};

/* The program's commands. Only main.c and tests use this variable. A command that needs the list
 * gets it in bl_arguments, so that no command's file depends on all other commands. */
extern const struct bl_commands bl_commands;

/* The last word of a command's name, such as "add" of "history add". */
const char *bl_command_word(const struct bl_command *command);

/* Returns the command or action whose name the words begin with; NULL if there is none. *used
 * receives the number of words in that name. Returns the command itself if it has actions, but the
 * next word is not one of them. */
const struct bl_command *bl_command_named(const struct bl_commands *commands,
                                          const char *const words[], size_t count, size_t *used);

/* Fails with BL_USAGE: the command `word` is unknown or, if `parent` is not NULL, the parent has no
 * action `word`. */
enum bl_status bl_command_unknown(const struct bl_commands *commands,
                                  const struct bl_command *parent, const char *word,
                                  struct bl_error *error);

/* Fails with BL_USAGE if the program was built without a library that the command needs. */
enum bl_status bl_command_check_built(const struct bl_command *command, struct bl_error *error);

/* Copies option i of a command to *option, with its offset in the command's settings. Returns false
 * if there is no option i. */
bool bl_command_option(const struct bl_command *command, size_t i, struct bl_option *option);

/* Calls `visit` for every command without actions, and for every action, in the order of the help.
 */
void bl_each_command(const struct bl_commands *commands,
                     void (*visit)(const struct bl_command *command, void *context), void *context);

/* Parsers for the values of options, and macros for the rows of a table that use the parsers:
 *
 *     {"quick", NULL, "measure fewer shapes", BL_FLAG(struct bl_plan_filter, quick)},
 *
 * The member must have the type that its parser writes. Numbers are read in the C locale. */

typedef enum bl_status bl_option_parser(const struct bl_option *option, const char *text,
                                        void *member, struct bl_error *error);

bl_option_parser bl_parse_flag, /* bool */
    bl_parse_text,              /* const char *, which points into the command line */
    bl_parse_count,             /* unsigned, from 1 to max */
    bl_parse_percent,           /* double, a fraction: 0.1 for "10%" or "10"; above 0, below 1 */
    bl_parse_seconds,           /* double, in s: "0.5", "0.5s", "2m" or "1h"; above 0, max 3600 */
    bl_parse_shape,             /* struct bl_shape: "8x2", each side from 1 to max */
    bl_parse_extent,            /* struct bl_shape: "8x2", or "8" for 8x1 */
    bl_parse_type,              /* struct bl_type */
    bl_parse_choice;            /* unsigned: the index of the given word in the option's `words` */

/* offsetof, with a compiler warning if the member has another type. */
#define BL_MEMBER(type, settings, member) \
    (offsetof(settings, member) + 0 * sizeof((type *)0 == &((settings *)0)->member))

#define BL_FLAG(settings, member) \
    .parse = bl_parse_flag, .offset = BL_MEMBER(bool, settings, member)
#define BL_TEXT(settings, member) \
    .parse = bl_parse_text, .offset = BL_MEMBER(const char *, settings, member)
#define BL_TEXT_SUCH_AS(settings, member, words_) /* any text; shells offer these words */ \
    BL_TEXT(settings, member), .completes = BL_COMPLETE_WORDS, .words = words_
#define BL_COUNT(settings, member, max_) \
    .parse = bl_parse_count, .offset = BL_MEMBER(unsigned, settings, member), .max = max_
#define BL_PERCENT(settings, member) \
    .parse = bl_parse_percent, .offset = BL_MEMBER(double, settings, member)
#define BL_SECONDS(settings, member) \
    .parse = bl_parse_seconds, .offset = BL_MEMBER(double, settings, member)
#define BL_SHAPE(settings, member, max_) \
    .parse = bl_parse_shape, .offset = BL_MEMBER(struct bl_shape, settings, member), .max = max_
#define BL_EXTENT(settings, member, max_) \
    .parse = bl_parse_extent, .offset = BL_MEMBER(struct bl_shape, settings, member), .max = max_
#define BL_TYPE(settings, member)                                                  \
    .parse = bl_parse_type, .offset = BL_MEMBER(struct bl_type, settings, member), \
    .completes = BL_COMPLETE_TYPES
#define BL_CHOICE(settings, member, words_)                                    \
    .parse = bl_parse_choice, .offset = BL_MEMBER(unsigned, settings, member), \
    .completes = BL_COMPLETE_WORDS, .words = words_

/* The command that a command line names, and its settings. */

struct bl_invocation {
    const struct bl_command *command; /* for --help and --version, the command that prints them */
    void *settings;                   /* the command's settings, settings_bytes long */
    struct bl_arguments arguments;    /* the words point into argv */
};

/* Parses argv, and may reorder its words. Options may stand before and after arguments; "--" ends
 * the options; abbreviated options are rejected; if an option is repeated, its last value counts.
 * Returns BL_OK; BL_NO_MEMORY; or BL_USAGE with a sentence that names the word and what was
 * expected. Free the invocation even after a failure. */
enum bl_status bl_command_line_parse(const struct bl_commands *commands, int argc, char *argv[],
                                     struct bl_invocation *invocation, struct bl_error *error);
void bl_invocation_free(struct bl_invocation *invocation);

#endif
