/* The command line: what is understood, and what is said when it is not. */
#include <criterion/criterion.h>
#include <locale.h>

#include "cli/options.h"

static struct bl_options options;
static struct bl_error error;

static enum bl_status parse(const char *line)
{
    static char words[512];
    char *argv[32] = {(char[]){"bankline"}};
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    memset(&error, 0, sizeof error);
    /* cases points into argv, which must outlive this function */
    static char *kept[32];
    memcpy(kept, argv, sizeof kept);
    return bl_options_parse(argc, kept, &options, &error);
}

Test(options, commands_are_known)
{
    cr_assert_eq(parse("devices"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_DEVICES);
    cr_assert_eq(parse("list"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_LIST);
    cr_assert_eq(parse("model"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_MODEL);
    cr_assert_eq(parse("run"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_RUN);
    cr_assert_eq(parse("run --help"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_HELP);
    cr_assert_eq(parse("--version"), BL_OK);
    cr_assert_eq(options.command, BL_COMMAND_VERSION);
}

Test(options, options_and_cases_come_in_any_order)
{
    cr_assert_eq(parse("run local/* --quick --device 0:1 global/1 --csv out.csv"), BL_OK);
    cr_assert(options.quick);
    cr_assert_str_eq(options.device, "0:1");
    cr_assert_str_eq(options.csv, "out.csv");
    cr_assert_eq(options.case_count, 2);
    cr_assert_str_eq(options.cases[0], "local/*");
    cr_assert_str_eq(options.cases[1], "global/1");
}

Test(options, defaults_are_the_documented_ones)
{
    cr_assert_eq(parse("run"), BL_OK);
    cr_assert_float_eq(options.tolerance, 0.10, 1e-12);
    cr_assert_eq(options.shape.x, 0);
    cr_assert_not(options.quick || options.quiet || options.strict);
    cr_assert_null(options.device);
    cr_assert_eq(options.case_count, 0);
    cr_assert_float_eq(options.precision, 0, 0, "the measurement's own");
    cr_assert_float_eq(options.seconds, 0, 0);
}

Test(options, how_long_to_sample)
{
    cr_assert_eq(parse("run --precision 0.1% --seconds 2.5"), BL_OK);
    cr_assert_float_eq(options.precision, 0.001, 1e-12);
    cr_assert_float_eq(options.seconds, 2.5, 0);
    cr_assert_eq(parse("try --seconds 3600s 0"), BL_OK);
    cr_assert_float_eq(options.seconds, 3600, 0);
    const char *const wrong[] = {"0", "-1", "3601", "nan", "inf", "x", "1m", "1,5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "run --seconds %s", wrong[i]);
        cr_assert_eq(parse(line), BL_USAGE, "%s", line);
        cr_assert(strstr(error.sentence, "seconds"), "%s", error.sentence);
    }
    cr_assert_eq(parse("compare a b --seconds 1"), BL_USAGE);
    const char *const counts[] = {"0", "1x", "x", "-1", "", "99999999999999999999"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "history compare run.csv --runs=%s", counts[i]);
        cr_assert_eq(parse(line), BL_USAGE, "%s", line);
    }
}

Test(options, shapes)
{
    cr_assert_eq(parse("run --shape 4x8"), BL_OK);
    cr_assert(options.shape.x == 4 && options.shape.y == 8);
    const char *const bad[] = {"4",
                               "x4",
                               "4x",
                               "0x4",
                               "4x0",
                               "-1x4",
                               "4x4x4",
                               "4X4",
                               "a4x4",
                               "4x4 b",
                               "99999999999999999999x1",
                               "65537x1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "model --shape=%s", bad[i]);
        if (strchr(bad[i], ' '))
            continue;
        cr_assert_eq(parse(line), BL_USAGE, "%s", bad[i]);
        cr_assert(strstr(error.sentence, "8x2"), "%s", error.sentence);
    }
}

Test(options, tolerances)
{
    cr_assert_eq(parse("run --tolerance 2.5%"), BL_OK);
    cr_assert_float_eq(options.tolerance, 0.025, 1e-12);
    cr_assert_eq(parse("run --tolerance 4"), BL_OK);
    cr_assert_float_eq(options.tolerance, 0.04, 1e-12);
    const char *const bad[] = {"0", "-1", "100", "nan", "inf", "five", "5%%", "2,5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "run --tolerance=%s", bad[i]);
        cr_assert_eq(parse(line), BL_USAGE, "%s", bad[i]);
    }
}

Test(options, a_comma_decimal_locale_does_not_change_a_tolerance)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("the locale de_DE.UTF-8 was not made: install the package 'locales'");
    cr_assert_eq(parse("run --tolerance 2.5%"), BL_OK);
    cr_assert_float_eq(options.tolerance, 0.025, 1e-12);
}

Test(options, what_is_not_understood_is_named)
{
    const struct {
        const char *line, *part;
    } bad[] = {
        {"", "no command"},
        {"measure", "'measure'"},
        {"run --fast", "'--fast'"},
        {"run --device", "--device needs a value"},
        {"devices local/1", "'local/1'"},
        {"devices --csv x", "takes no --csv"},
        {"list --device 0:0", "takes no --device"},
        {"run --csv=", "empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_eq(parse(bad[i].line), BL_USAGE, "%s", bad[i].line);
        cr_assert(strstr(error.sentence, bad[i].part), "%s: %s", bad[i].line, error.sentence);
    }
}

Test(options, help_names_every_option_and_the_exit_statuses)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bl_options_help(file);
    fclose(file);
    const char *const words[] = {"devices",  "list",         "model",       "run",
                                 "--device", "--machine",    "--shape",     "--quick",
                                 "--csv",    "--results",    "--tolerance", "--strict",
                                 "--quiet",  "--kernel-dir", "Exit status"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_assert(strstr(text, words[i]), "%s", words[i]);
    free(text);
}
