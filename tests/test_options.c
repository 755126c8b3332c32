/* Tests the command line: which words are accepted, and the messages about words that are rejected.
 */
#include <criterion/criterion.h>
#include <locale.h>

#include "cli/command.h"
#include "cli/measure.h"
#include "cli/output.h"

enum { MAX_WORDS = 64 };

static struct bl_invocation invocation;
static struct bl_error error;
static char text[1024], *words[MAX_WORDS + 1];
static int word_count;

static enum bl_status parse_words(void)
{
    bl_invocation_free(&invocation);
    memset(&error, 0, sizeof error);
    return bl_command_line_parse(&bl_commands, word_count, words, &invocation, &error);
}

/* Splits a line at blanks, and ends it at a '|' or '>', except between single quotes. */
static void split(const char *line)
{
    char *end = text;
    bool quoted = false;
    word_count = 1; /* the program's name is words[0] */
    for (bool begins = true; *line; line++) {
        if (!quoted && (*line == '|' || *line == '>'))
            break;
        if (!quoted && *line == ' ') {
            *end++ = '\0';
            begins = true;
            continue;
        }
        if (begins)
            words[word_count++] = end;
        begins = false;
        if (*line == '\'')
            quoted = !quoted;
        else
            *end++ = *line;
    }
    *end = '\0';
    words[word_count] = NULL;
}

static enum bl_status parse(const char *line)
{
    static char name[] = "bankline";
    split(line);
    words[0] = name;
    return parse_words();
}

static void fails(const char *line, const char *part)
{
    cr_assert_eq(parse(line), BL_USAGE, "%s", line);
    cr_assert(strstr(error.sentence, part), "%s: %s", line, error.sentence);
}

static const struct bl_measure_settings *run_settings(void) { return invocation.settings; }

static void (*visitor)(const struct bl_command *command, const struct bl_option *option);
static size_t visited;

static void visit_options(const struct bl_command *command, void *context)
{
    (void)context;
    struct bl_option option;
    for (size_t i = 0; !command->lacks && bl_command_option(command, i, &option); i++) {
        visitor(command, &option);
        visited++;
    }
}

/* Calls `visit` for every option of every command that this build can run. */
static void each_option(void (*visit)(const struct bl_command *command,
                                      const struct bl_option *option))
{
    visitor = visit;
    visited = 0;
    bl_each_command(&bl_commands, visit_options, NULL);
    cr_assert_geq(visited, 60);
}

/* Returns "COMMAND x x --name=value", where each x is an argument that the command requires. */
static const char *line_of(const struct bl_command *command, const char *name, const char *value)
{
    static char line[256];
    snprintf(line, sizeof line, "%s %s%s--%s%s%s", command->name,
             command->min_arguments > 0 ? "x " : "", command->min_arguments > 1 ? "x " : "", name,
             value ? "=" : "", value ? value : "");
    return line;
}

/* For each parser of values: a value that it accepts, and values that it rejects. */
static const struct {
    bl_option_parser *parse;
    size_t bytes; /* size of the member in which the value is stored */
    const char *value;
    const char *bad[8];
} kinds[] = {
    {bl_parse_flag, sizeof(bool), NULL, {NULL}},
    {bl_parse_text, sizeof(const char *), "some-text", {NULL}},
    {bl_parse_count,
     sizeof(unsigned),
     "2",
     {"0", "1x", "x", "-1", "+1", "' 1'", "99999999999999999999"}},
    {bl_parse_percent, sizeof(double), "7.5%", {"0", "-1", "100", "nan", "inf", "five", "5%%"}},
    {bl_parse_seconds, sizeof(double), "2.5", {"0", "-1", "3601", "nan", "inf", "1d", "1,5"}},
    {bl_parse_shape,
     sizeof(struct bl_shape),
     "4x8",
     {"4", "x4", "0x4", "4x0", "4x4x4", "a4x4", "99999999999999999999x1"}},
    {bl_parse_extent, sizeof(struct bl_shape), "6", {"0", "x4", "4x", "4X4", "-4", "4x0", "1e3"}},
    {bl_parse_type, sizeof(struct bl_type), "float4", {"half", "float5", "floa", "FLOAT", "4"}},
    {bl_parse_choice, sizeof(unsigned), "local", {"loca", "private", "LOCAL"}},
};

static size_t kind_of(const struct bl_option *option)
{
    size_t i = 0;
    while (i < sizeof kinds / sizeof kinds[0] && kinds[i].parse != option->parse)
        i++;
    cr_assert_lt(i, sizeof kinds / sizeof kinds[0], "--%s has an unknown parser", option->name);
    return i;
}

static void check_member(const struct bl_option *option, const void *member)
{
    const struct bl_shape *shape = member;
    if (option->parse == bl_parse_flag)
        cr_assert(*(const bool *)member);
    else if (option->parse == bl_parse_text)
        cr_assert_str_eq(*(const char *const *)member, "some-text");
    else if (option->parse == bl_parse_count)
        cr_assert_eq(*(const unsigned *)member, 2);
    else if (option->parse == bl_parse_percent)
        cr_assert_float_eq(*(const double *)member, 0.075, 1e-12);
    else if (option->parse == bl_parse_seconds)
        cr_assert_float_eq(*(const double *)member, 2.5, 0);
    else if (option->parse == bl_parse_shape)
        cr_assert(shape->x == 4 && shape->y == 8);
    else if (option->parse == bl_parse_extent)
        cr_assert(shape->x == 6 && shape->y == 1);
    else if (option->parse == bl_parse_type)
        cr_assert_str_eq(((const struct bl_type *)member)->name, "float4");
    else
        cr_assert_eq(*(const unsigned *)member, 1);
}

static void reaches_its_member(const struct bl_command *command, const struct bl_option *option)
{
    const size_t kind = kind_of(option);
    const char *line = line_of(command, option->name, kinds[kind].value);
    cr_assert_eq(parse(line), BL_OK, "%s: %s", line, error.sentence);
    cr_assert_eq(invocation.command, command);
    cr_assert_leq(option->offset + kinds[kind].bytes, command->settings_bytes, "%s", line);
    char *settings = invocation.settings, *member = settings + option->offset;
    check_member(option, member);
    /* Check that no other member changed. */
    char unchanged[sizeof(struct bl_measure_settings) + 256] = {0};
    cr_assert_leq(command->settings_bytes, sizeof unchanged);
    if (command->defaults)
        memcpy(unchanged, command->defaults, command->settings_bytes);
    memcpy(member, unchanged + option->offset, kinds[kind].bytes);
    cr_assert_eq(memcmp(settings, unchanged, command->settings_bytes), 0, "%s", line);
}

Test(options, every_option_of_every_command_reaches_its_member) { each_option(reaches_its_member); }

static void has_a_member_of_its_own(const struct bl_command *command,
                                    const struct bl_option *option)
{
    struct bl_option other;
    for (size_t i = 0; bl_command_option(command, i, &other); i++)
        if (strcmp(other.name, option->name) != 0)
            cr_assert(other.offset >= option->offset + kinds[kind_of(option)].bytes ||
                          option->offset >= other.offset + kinds[kind_of(&other)].bytes,
                      "%s: --%s and --%s", command->name, option->name, other.name);
}

Test(options, no_two_options_share_a_member) { each_option(has_a_member_of_its_own); }

Test(options, every_setting_is_stored_in_its_own_member)
{
    cr_assert_eq(
        parse("run --device a --machine b --kernel-dir c --tolerance 1 --precision 2 "
              "--seconds 3 --deadline 4 --shape 5x6 --strict --csv d --results e "
              "--json f --benchmark-json g --bencher h --junit i --prometheus j --markdown k"),
        BL_OK);
    const struct bl_measure_settings *run = run_settings();
    cr_assert_str_eq(run->run.device, "a");
    cr_assert_str_eq(run->run.machine, "b");
    cr_assert_str_eq(run->run.kernel_dir, "c");
    cr_assert(run->run.tolerance == 0.01 && run->run.precision == 0.02);
    cr_assert(run->run.seconds == 3 && run->run.deadline == 4);
    cr_assert(run->plan.shape.x == 5 && run->plan.shape.y == 6 && !run->plan.quick);
    cr_assert(run->strict && !run->quiet);
    cr_assert_str_eq(run->output.results, "e");
    for (unsigned f = 0; f < 7; f++)
        cr_assert_eq(run->output.paths[f][0], "dfghijk"[f]);
    cr_assert_eq(parse("compare a b --absolute --threshold 5 --markdown m"), BL_OK);
    const struct bl_change_settings *change = invocation.settings;
    cr_assert(change->absolute && !change->quiet && change->threshold == 0.05);
    cr_assert_str_eq(change->output.paths[6], "m");
}

static void is_refused_when_abbreviated(const struct bl_command *command,
                                        const struct bl_option *option)
{
    char name[64];
    for (size_t length = 1; length < strlen(option->name); length++) {
        snprintf(name, sizeof name, "%.*s", (int)length, option->name);
        struct bl_option other;
        bool is_another = false;
        for (size_t i = 0; bl_command_option(command, i, &other); i++)
            is_another |= strcmp(other.name, name) == 0;
        if (!is_another)
            fails(line_of(command, name, option->value ? "1" : NULL), name);
    }
}

Test(options, no_option_can_be_abbreviated) { each_option(is_refused_when_abbreviated); }

static void insists_on_its_value(const struct bl_command *command, const struct bl_option *option)
{
    if (!option->value) {
        fails(line_of(command, option->name, "1"), "takes no value");
        return;
    }
    fails(line_of(command, option->name, NULL), "needs a value");
    fails(line_of(command, option->name, ""), "empty");
    const size_t kind = kind_of(option);
    for (size_t i = 0; kinds[kind].bad[i]; i++)
        fails(line_of(command, option->name, kinds[kind].bad[i]), kinds[kind].bad[i]);
}

Test(options, values_are_checked) { each_option(insists_on_its_value); }

Test(options, a_time_may_be_in_minutes_or_hours)
{
    static const struct {
        const char *line;
        double seconds;
    } times[] = {{"run --seconds 0.5", 0.5},
                 {"run --seconds 20s", 20},
                 {"run --seconds 1.5m", 90},
                 {"run --seconds 1h", 3600}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cr_assert_eq(parse(times[i].line), BL_OK, "%s", times[i].line);
        cr_expect_float_eq(run_settings()->run.seconds, times[i].seconds, 1e-9);
    }
}

Test(options, messages_say_what_was_expected)
{
    fails("run --shape 65537x1", "--shape '65537x1': expected WIDTHxHEIGHT, such as 8x2, each from "
                                 "1 to 65536");
    fails("try 1 --array-elements 0", "--array-elements '0': expected an integer from 1 to "
                                      "2147483647");
    fails("run --tolerance x", "--tolerance 'x': expected a percentage");
    fails("run --seconds x", "--seconds 'x': expected seconds, above 0 and at most 3600");
    fails("try 1 --memory private", "--memory 'private': expected global, local or constant");
}

Test(options, options_may_precede_or_follow_arguments_and_the_last_one_counts)
{
    cr_assert_eq(parse("run 'local/*' --quick --device 0:1 global/1 --csv a --csv=b"), BL_OK);
    cr_assert(run_settings()->plan.quick);
    cr_assert_str_eq(run_settings()->run.device, "0:1");
    cr_assert_str_eq(run_settings()->output.paths[0], "b");
    cr_assert_eq(invocation.arguments.count, 2);
    cr_assert_str_eq(invocation.arguments.words[0], "local/*");
    cr_assert_str_eq(invocation.arguments.words[1], "global/1");
    setenv("POSIXLY_CORRECT", "1", 1);
    cr_assert_eq(parse("run local/1 --quick"), BL_OK);
    cr_assert(run_settings()->plan.quick);
    cr_assert_eq(invocation.arguments.count, 1);
}

Test(options, two_dashes_end_the_options)
{
    cr_assert_eq(parse("try a --quick -- -1 --write"), BL_OK);
    cr_assert_eq(invocation.arguments.count, 3);
    cr_assert_str_eq(invocation.arguments.words[1], "-1");
    cr_assert_str_eq(invocation.arguments.words[2], "--write");
    cr_assert_eq(parse("try - --csv --"), BL_OK);
    cr_assert_str_eq(invocation.arguments.words[0], "-");
    fails("try '-1 + get_global_id(0)'", "unknown option '-1 + get_global_id(0)'; put '--' before");
}

Test(options, defaults_are_the_documented_ones)
{
    cr_assert_eq(parse("run"), BL_OK);
    const struct bl_measure_settings expected = {.run.tolerance = 0.05};
    cr_assert_eq(memcmp(invocation.settings, &expected, sizeof expected), 0);
    cr_assert_eq(parse("compare a b"), BL_OK);
    cr_assert_float_eq(((const struct bl_change_settings *)invocation.settings)->threshold, 0.02,
                       1e-12);
}

Test(options, a_comma_decimal_locale_does_not_change_a_tolerance)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("there is no locale de_DE.UTF-8: install the package 'locales'");
    cr_assert_eq(parse("run --tolerance 2.5%"), BL_OK);
    cr_assert_float_eq(run_settings()->run.tolerance, 0.025, 1e-12);
    cr_assert_eq(parse("run --tolerance 2,5"), BL_USAGE);
}

Test(options, messages_about_unknown_words_suggest_the_nearest_known_word)
{
    fails("", "no command");
    fails("measure", "unknown command 'measure'; 'bankline help' lists them");
    fails("runn", "unknown command 'runn'; did you mean 'run'?");
    fails("--quick run", "expected a command before '--quick'");
    fails("run --quik", "unknown option '--quik'; did you mean '--quick'?");
    fails("run --tol 5", "unknown option '--tol'; did you mean '--tolerance'?");
    fails("run --hepl", "did you mean '--help'?");
    fails("run --fast=1",
          "unknown option '--fast'; 'bankline help run' lists the options of 'run'");
    fails("run -qx", "unknown option '-qx'");
}

Test(options, a_message_names_the_commands_that_have_the_option)
{
    fails("list --device 0:0", "'list' has no option '--device'; that option belongs to run, try");
    fails("run --write", "'run' has no option '--write'; that option belongs to try");
    fails("compare a b --benchmark-json x", "'compare' has no option '--benchmark-json'; "
                                            "that option belongs to run, try");
}

Test(options, missing_and_unexpected_arguments_are_reported)
{
    fails("devices local/1", "unexpected argument 'local/1': usage: bankline devices");
    fails("compare a", "usage: bankline compare OLD.csv NEW.csv [CASE...]");
    if (parse("history list") != BL_OK)
        cr_skip_test("built without sqlite3");
    fails("history", "usage: bankline history ACTION");
    fails("history --quiet", "usage: bankline history ACTION");
    fails("history --db", "usage: bankline history ACTION");
    fails("history --db x", "usage: bankline history ACTION");
    fails("history --db add", "usage: bankline history ACTION");
    fails("history -- add x", "usage: bankline history ACTION");
    fails("history --db x add", "usage: bankline history add RUN.csv...");
    fails("history --quiet list", "'history list' has no option '--quiet'");
    fails("history add", "usage: bankline history add RUN.csv...");
    fails("history show", "usage: bankline history show CASE");
    fails("history show a b", "unexpected argument 'b': usage: bankline history show CASE");
    fails("history shwo", "unknown action 'shwo'; did you mean 'show'?");
    fails("history add a --csv x", "'history add' has no option '--csv'");
    static const char *const before[] = {"history --db x add a b", "history --db=x --quiet add a b",
                                         "history --db add add a --quiet b",
                                         "history --quiet add --db list a b"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        cr_assert_eq(parse(before[i]), BL_OK, "%s: %s", before[i], error.sentence);
        cr_assert_str_eq(invocation.command->name, "history add");
        cr_assert_eq(invocation.arguments.count, 2, "%s", before[i]);
        cr_assert_str_eq(invocation.arguments.words[0], "a");
        cr_assert_str_eq(invocation.arguments.words[1], "b");
    }
}

static void asks_for_help(const char *line, const char *const about[], size_t count)
{
    cr_assert_eq(parse(line), BL_OK, "%s: %s", line, error.sentence);
    cr_assert_eq(invocation.command, bl_commands.help, "%s", line);
    cr_assert_eq(invocation.arguments.count, count, "%s", line);
    for (size_t i = 0; i < count; i++)
        cr_assert_str_eq(invocation.arguments.words[i], about[i]);
}

Test(options, help_can_be_requested_anywhere)
{
    asks_for_help("--help", NULL, 0);
    asks_for_help("-h", NULL, 0);
    asks_for_help("help", NULL, 0);
    asks_for_help("help run", (const char *const[]){"run"}, 1);
    asks_for_help("run --help", (const char *const[]){"run"}, 1);
    asks_for_help("run local/1 -h --csv", (const char *const[]){"run"}, 1);
    cr_assert_eq(parse("run -- --help"), BL_OK);
    cr_assert_str_eq(invocation.arguments.words[0], "--help");
    cr_assert_eq(parse("--version"), BL_OK);
    cr_assert_eq(invocation.command, bl_commands.version);
    if (parse("history list") == BL_OK) {
        asks_for_help("history --help", (const char *const[]){"history"}, 1);
        asks_for_help("history add --help", (const char *const[]){"history", "add"}, 2);
    }
}

static void examples_are_right(const struct bl_command *command, void *context)
{
    size_t *checked = context;
    char begin[64];
    snprintf(begin, sizeof begin, "bankline %s", command->name);
    for (size_t i = 0; i < 2 && !command->lacks; i++) {
        const char *example = command->examples[i];
        cr_assert_eq(strncmp(example, begin, strlen(begin)), 0, "%s", example);
        cr_assert_leq(strlen(example), 78);
        cr_assert_eq(parse(example + strlen("bankline ")), BL_OK, "%s: %s", example,
                     error.sentence);
        cr_assert_eq(invocation.command, command);
        (*checked)++;
    }
}

Test(options, every_example_in_the_help_is_a_valid_command_line)
{
    size_t checked = 0;
    bl_each_command(&bl_commands, examples_are_right, &checked);
    cr_assert_geq(checked, 16);
}

static void is_described(const struct bl_command *command, const struct bl_option *option)
{
    cr_assert(option->help && strlen(option->help) > 8, "%s --%s", command->name, option->name);
    cr_assert_leq(strlen(option->name) + strlen(option->value ? option->value : ""), 20);
    cr_assert(option->completes != BL_COMPLETE_WORDS || option->words);
}

Test(options, every_option_is_described) { each_option(is_described); }
