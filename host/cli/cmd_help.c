#include <stdio.h>
#include <string.h>

#include "cli/conventions.h"
#include "cli/man_page.h"
#include "cli/option_values.h"
#include "report/layout.h"
#include "version.h"

enum { MAX_WIDTH = 80 };

struct help_settings {
    bool man;
};

static unsigned line_width(void)
{
    const unsigned width = bl_line_width(stdout);
    return width < MAX_WIDTH ? width : MAX_WIDTH;
}

static void print_paragraph(const char *text)
{
    bl_put_wrapped(stdout, text, 0, 0, line_width());
    putchar('\n');
}

/* "  TERM      text", the text under itself from `indent` on. */
static void print_term(const char *term, const char *text, unsigned indent)
{
    unsigned at = 2 + bl_text_width(term);
    printf("  %s", term);
    if (at + 2 > indent) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", (int)(indent - at), "");
    bl_put_wrapped(stdout, text, indent, indent, line_width());
    putchar('\n');
}

static void print_commands(const struct bl_command *const commands[], unsigned indent)
{
    for (; *commands; commands++) {
        char term[64];
        snprintf(term, sizeof term, "%s %s", bl_command_word(*commands), (*commands)->arguments);
        print_term(term, (*commands)->summary, indent);
    }
}

static void print_overview(void)
{
    print_paragraph(BL_GIST);
    puts("\nusage: bankline COMMAND [OPTION...] [ARGUMENT...]\n\ncommands:");
    print_commands(bl_commands, 28);
    puts("");
    print_paragraph("CASE is an id (local/5), a suite (local) or a glob ('local/*'); without one, "
                    "all cases. EXPR is OpenCL C over a work-item's ids: 'get_global_id(0) * 3'. "
                    "'bankline help COMMAND' lists a command's options, 'bankline --version' "
                    "prints the version.\n");
    print_paragraph(BL_OUTPUT " 1 GB = 1e9 bytes.\n\nExit status:");
    for (const struct bl_term *term = bl_exit_statuses; term->term; term++)
        print_term(term->term, term->meaning, 11);
}

static void print_options(const struct bl_command *command)
{
    struct bl_option option;
    puts("\noptions:");
    for (size_t i = 0; bl_command_option(command, i, &option); i++) {
        char term[64];
        snprintf(term, sizeof term, "--%s%s%s", option.name, option.value ? " " : "",
                 option.value ? option.value : "");
        print_term(term, option.help, 26);
    }
    print_term("--help", "print this text", 26);
}

static void print_command(const struct bl_command *command)
{
    printf("usage: bankline %s%s%s%s\n\n", command->name, command->actions ? "" : " [OPTION...]",
           *command->arguments ? " " : "", command->arguments);
    print_paragraph(command->description);
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

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct help_settings *settings = settings_;
    if (settings && settings->man) {
        bl_print_man_page(stdout);
        return BL_OK;
    }
    if (arguments->count == 0) {
        print_overview();
        return BL_OK;
    }
    size_t used;
    const struct bl_command *command = bl_command_named(arguments->words, arguments->count, &used);
    const enum bl_status status = command ? bl_command_check_built(command, error) : BL_OK;
    if (status != BL_OK)
        return status;
    if (!command || used < arguments->count)
        return bl_command_unknown(command, arguments->words[used], error);
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
    .description = "Prints the list of commands, or what a command does, its options and two "
                   "examples; 'bankline COMMAND --help' prints the same.",
    .examples = {"bankline help run", "bankline help --man | man -l -"},
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
