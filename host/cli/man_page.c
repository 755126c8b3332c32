#include "cli/man_page.h"

#include "cli/command.h"
#include "cli/conventions.h"
#include "version.h"

/* Text as roff prints it unchanged; what begins a line must not be taken for a request. */
static void put_text(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
    for (; *text; text++)
        switch (*text) {
        case '\\':
            fputs("\\(rs", file);
            break;
        case '-':
            fputs("\\-", file);
            break;
        case '\'':
            fputs("\\(aq", file);
            break;
        case '~':
            fputs("\\(ti", file);
            break;
        case '^':
            fputs("\\(ha", file);
            break;
        default:
            fputc(*text, file);
        }
}

/* A request, or a macro, and its text in bold. */
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
    fprintf(file, ".SS ");
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

void bl_print_man_page(FILE *file)
{
    fputs(".TH BANKLINE 1 \"\" \"bankline " BL_RELEASE "\" \"User Commands\"\n"
          ".SH NAME\nbankline \\- measure and predict what OpenCL memory access patterns cost\n"
          ".SH SYNOPSIS\n.nh\n.ad l\n",
          file);
    bl_each_command(put_usage, file);
    fputs(".ad b\n.hy\n.SH DESCRIPTION\n", file);
    put_paragraph(file, BL_GIST);
    fputs(".PP\n", file);
    put_paragraph(file, BL_OUTPUT);
    put_paragraph(file, "Options stand before or after arguments, are not abbreviated, and end at "
                        "'--'; '--help' prints those of a command.");
    fputs(".SH COMMANDS\n", file);
    bl_each_command(put_command, file);
    put_terms(file, "EXIT STATUS", bl_exit_statuses);
    put_terms(file, "ENVIRONMENT", bl_environment);
    put_terms(file, "FILES", bl_files);
}
