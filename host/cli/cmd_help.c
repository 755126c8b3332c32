/* Help and the man page, generated from the commands' tables; --version; and the list of the
 * commands. host/meson.build names them, and each is a file cli/cmd_<name>.c. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "command_list.h"
#include "report/layout.h"
#include "version.h"

/* The definition of a word, for the help and the man page. */
struct bl_term {
    const char *term, *meaning; /* NULL at the end of a list */
};

/* The CSV's columns, and the terms of tables and messages, generated from results/README.md. */
#include "terms.h"

/* Text about all commands, for the help and the man page. */

#define BL_GIST                                                                                  \
    "bankline measures what memory access patterns cost on an OpenCL device, and compares each " \
    "measurement with the model's prediction, if there is one."

#define BL_OUTPUT                                                                               \
    "Results go to standard output, everything else to standard error; '-' is standard output " \
    "wherever a file is written."

static const struct bl_term bl_exit_statuses[] = {
    {"0", "done"},
    {"1", "bad news: a row got slower, is missing or broken (compare); a row is refuted or its "
          "measurement is invalid (--strict); a kernel costs more or is missing, or an access "
          "has lost its rule (trace --against); a card differs (history outliers)"},
    {"2", "the command line is invalid"},
    {"3", "there is no device, a device failed, a traced program crashed, or memory ran out"},
    {"4", "a file could not be read or written"},
    {"128 + n", "killed by signal n"},
    {0},
};

static const struct bl_term bl_environment[] = {
    {"NO_COLOR", "when set and not empty, tables have no colours"},
    {"COLUMNS", "the terminal's width, if the terminal does not report it"},
    {"BANKLINE_HOST", "the name of this host in rows (default: its host name)"},
    {"XDG_DATA_HOME", "the folder that contains the history's folder (default: ~/.local/share)"},
    {"OCL_ICD_VENDORS", "read by the OpenCL loader: the folder or file that names the drivers"},
    {"POCL_AFFINITY",
     "read by PoCL: bankline sets it to 1, if unset, to pin PoCL's threads to cores"},
    {0},
};

static const struct bl_term bl_files[] = {
    {"$XDG_DATA_HOME/bankline/history.db", "the history, unless --db names another file"},
    {0},
};

/* Writes text so that roff prints it unchanged. At the beginning of a line, a '.' or "'" would
 * begin a roff command. */
static void put_text(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
    static const char *const names[] = {
        ['\\'] = "\\(rs", ['-'] = "\\-", ['\''] = "\\(aq", ['~'] = "\\(ti", ['^'] = "\\(ha"};
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < sizeof names / sizeof *names && names[byte])
            fputs(names[byte], file);
        else
            fputc(byte, file);
    }
}

/* Writes text in bold, between the roff commands `before` and `after`. */
static void put_bold(FILE *file, const char *before, const char *text, const char *after)
{
    fprintf(file, "%s\\fB", before);
    put_text(file, text);
    fprintf(file, "\\fR%s", after);
}

static void put_paragraph(FILE *file, const char *text)
{
    put_text(file, text);
    fputc('\n', file);
}

static void put_terms(FILE *file, const char *section, const struct bl_term *terms)
{
    fprintf(file, ".SH %s\n", section);
    for (; terms->term; terms++) {
        put_bold(file, ".TP\n", terms->term, "\n");
        put_paragraph(file, terms->meaning);
    }
}

static void put_usage(const struct bl_command *command, void *context)
{
    FILE *file = context;
    put_bold(file, ".br\n", "bankline ", "");
    put_bold(file, "", command->name, "");
    struct bl_option option;
    fputs(bl_command_option(command, 0, &option) ? " [\\fIoption\\fR...] " : " ", file);
    put_paragraph(file, command->arguments);
}

static void put_command(const struct bl_command *command, void *context)
{
    FILE *file = context;
    fputs(".SS ", file);
    put_text(file, command->name);
    fprintf(file, " %s\n", command->arguments);
    put_paragraph(file, command->lacks ? command->summary : command->description);
    struct bl_option option;
    for (size_t i = 0; bl_command_option(command, i, &option); i++) {
        fputs(".TP\n\\fB\\-\\-", file);
        put_text(file, option.name);
        fprintf(file, "\\fR%s%s%s\n", option.value ? " \\fI" : "", option.value ? option.value : "",
                option.value ? "\\fR" : "");
        put_paragraph(file, option.help);
    }
    if (command->lacks)
        return;
    fputs(".PP\nExamples:\n.PP\n.RS 4\n.nf\n", file);
    for (size_t i = 0; i < 2; i++)
        put_paragraph(file, command->examples[i]);
    fputs(".fi\n.RE\n", file);
}

/* Writes bankline(1) with the macros of man(7). */
static void print_man_page(FILE *file, const struct bl_commands *commands)
{
    fputs(".TH BANKLINE 1 \"\" \"bankline " BL_RELEASE "\" \"User Commands\"\n"
          ".SH NAME\nbankline \\- measure and predict what OpenCL memory access patterns cost\n"
          ".SH SYNOPSIS\n.nh\n.ad l\n",
          file);
    bl_each_command(commands, put_usage, file);
    fputs(".ad b\n.hy\n.SH DESCRIPTION\n", file);
    put_paragraph(file, BL_GIST);
    fputs(".PP\n", file);
    put_paragraph(file, BL_OUTPUT);
    put_paragraph(
        file, "Options may stand before or after arguments, and cannot be abbreviated; '--' ends "
              "them. A command's '--help' lists its options.");
    fputs(".SH COMMANDS\n", file);
    bl_each_command(commands, put_command, file);
    put_terms(file, "COLUMNS OF THE CSV", bl_column_terms);
    put_terms(file, "WORDS", bl_word_terms);
    put_terms(file, "EXIT STATUS", bl_exit_statuses);
    put_terms(file, "ENVIRONMENT", bl_environment);
    put_terms(file, "FILES", bl_files);
}

enum { MAX_WIDTH = 80 };

struct help_settings {
    bool man;
};

/* Prints text that begins at column `at`; further lines begin at column `indent`. */
static void print_wrapped(const char *text, unsigned at, unsigned indent)
{
    const unsigned width = bl_line_width(stdout);
    bl_put_wrapped(stdout, text, at, indent, width < MAX_WIDTH ? width : MAX_WIDTH);
    putchar('\n');
}

/* Prints "  TERM      text"; every line of the text begins at column `indent`. */
static void print_term(const char *term, const char *text, unsigned indent)
{
    unsigned at = 2 + bl_text_width(term);
    printf("  %s", term);
    if (at + 2 > indent) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", (int)(indent - at), "");
    print_wrapped(text, indent, indent);
}

static void print_commands(const struct bl_command *const commands[], unsigned indent)
{
    for (; *commands; commands++) {
        char term[64];
        snprintf(term, sizeof term, "%s %s", bl_command_word(*commands), (*commands)->arguments);
        print_term(term, (*commands)->summary, indent);
    }
}

static void print_overview(const struct bl_commands *commands)
{
    print_wrapped(BL_GIST, 0, 0);
    puts("\nusage: bankline COMMAND [OPTION...] [ARGUMENT...]\n\ncommands:");
    print_commands(commands->all, 28);
    puts("");
    print_wrapped(
        "CASE is an id (local/5), a suite (local) or a glob ('local/*'); without a CASE, all cases "
        "are used. EXPR is an OpenCL C expression of a work-item's ids: 'get_global_id(0) * 3'. "
        "'bankline help COMMAND' lists a command's options, 'bankline help columns' explains the "
        "columns of a run's CSV, 'bankline help words' explains the terms of tables and messages, "
        "and 'bankline --version' prints the version.\n",
        0, 0);
    print_wrapped(BL_OUTPUT " 1 GB = 1e9 bytes.\n\nExit status:", 0, 0);
    for (const struct bl_term *term = bl_exit_statuses; term->term; term++)
        print_term(term->term, term->meaning, 11);
}

/* Counts the command's options in this group. Prints them, too, if `prints` is set. */
static size_t options_of(const struct bl_command *command, enum bl_option_group group, bool prints)
{
    struct bl_option option;
    size_t count = 0;
    for (size_t i = 0; bl_command_option(command, i, &option); i++) {
        if (option.group != group)
            continue;
        count++;
        char term[64];
        snprintf(term, sizeof term, "--%s%s%s", option.name, option.value ? " " : "",
                 option.value ? option.value : "");
        if (prints)
            print_term(term, option.help, 26);
    }
    return count;
}

/* If there are few options, prints them as one list; if there are many, as one list per group. */
static void print_options(const struct bl_command *command)
{
    static const char *const headings[] = {[BL_GROUP_WHAT] = "general",
                                           [BL_GROUP_TIME] = "time",
                                           [BL_GROUP_OUTPUT] = "output",
                                           [BL_GROUP_MACHINE] = "device and machine"};
    enum { GROUPS = sizeof headings / sizeof headings[0], FEW = 6 };
    size_t count = 0, groups = 0;
    for (unsigned group = 0; group < GROUPS; group++) {
        const size_t of_group = options_of(command, group, false);
        count += of_group;
        groups += of_group > 0;
    }
    const bool is_grouped = count > FEW && groups > 1;
    if (!is_grouped)
        puts("\noptions:");
    for (unsigned group = 0; group < GROUPS; group++) {
        if (is_grouped && options_of(command, group, false) > 0)
            printf("\noptions, %s:\n", headings[group]);
        options_of(command, group, true);
    }
    if (is_grouped)
        putchar('\n');
    print_term("--help", "print this text", 26);
}

static void print_command(const struct bl_command *command)
{
    printf("usage: bankline %s%s%s%s\n\n", command->name, command->actions ? "" : " [OPTION...]",
           *command->arguments ? " " : "", command->arguments);
    print_wrapped(command->description, 0, 0);
    if (command->actions) {
        puts("\nactions:");
        print_commands(command->actions, 30);
        printf("\n'bankline help %s ACTION' lists an action's options.\n", command->name);
    } else {
        print_options(command);
    }
    puts("\nexamples:");
    for (size_t i = 0; i < 2; i++)
        printf("  %s\n", command->examples[i]);
}

/* Words that may follow 'help' and are not commands. */
static const struct bl_topic {
    const char *name;
    const struct bl_term *terms;
} topics[] = {{"columns", bl_column_terms}, {"words", bl_word_terms}, {0}};

static const struct bl_topic *topic_named(const struct bl_arguments *arguments)
{
    const struct bl_topic *topic = topics;
    while (topic->name && (arguments->count != 1 || strcmp(arguments->words[0], topic->name) != 0))
        topic++;
    return topic->name ? topic : NULL;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct help_settings *settings = settings_;
    const struct bl_commands *commands = arguments->commands;
    if (settings && settings->man) {
        print_man_page(stdout, commands);
        return BL_OK;
    }
    if (arguments->count == 0) {
        print_overview(commands);
        return BL_OK;
    }
    const struct bl_topic *topic = topic_named(arguments);
    if (topic) {
        for (const struct bl_term *term = topic->terms; term->term; term++)
            print_term(term->term, term->meaning, 26);
        return BL_OK;
    }
    size_t used;
    const struct bl_command *command =
        bl_command_named(commands, arguments->words, arguments->count, &used);
    const enum bl_status status = command ? bl_command_check_built(command, error) : BL_OK;
    if (status != BL_OK)
        return status;
    if (!command || used < arguments->count)
        return bl_command_unknown(commands, command, arguments->words[used], error);
    print_command(command);
    return BL_OK;
}

static const struct bl_option options[] = {
    {"man", NULL, "print the man page", BL_FLAG(struct help_settings, man)},
    {0},
};

const struct bl_command bl_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "what a command does, and its options",
    .description =
        "Prints the list of commands, or what a command does, its options and two examples, as "
        "'bankline COMMAND --help' does. 'help columns' explains the columns of a run's CSV, and "
        "'help words' explains the terms of tables and messages.",
    .examples = {"bankline help columns", "bankline help --man | man -l -"},
    .max_arguments = 2,
    .completes_more = BL_COMPLETE_COMMANDS,
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct help_settings),
    .run = run,
};

static enum bl_status print_version(const void *settings, const struct bl_arguments *arguments,
                                    struct bl_error *error)
{
    (void)settings, (void)arguments, (void)error;
    puts("bankline " BL_VERSION);
    return BL_OK;
}

const struct bl_command bl_command_version = {.name = "--version", .run = print_version};

/* The commands. --version is not in the list. */

#define DECLARE(name) extern const struct bl_command bl_command_##name;
COMMANDS(DECLARE)

#define ADDRESS(name) &bl_command_##name,
static const struct bl_command *const all[] = {COMMANDS(ADDRESS) NULL};

const struct bl_commands bl_commands = {all, &bl_command_help, &bl_command_version};
