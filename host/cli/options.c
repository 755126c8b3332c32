#include "cli/options.h"

#include <getopt.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHAPE = 65536 };

/* Bits of the commands that take an option. */
enum {
    DEVICES = 1 << BL_COMMAND_DEVICES,
    LIST = 1 << BL_COMMAND_LIST,
    MODEL = 1 << BL_COMMAND_MODEL,
    RUN = 1 << BL_COMMAND_RUN,
};

static const struct {
    const char *name;
    enum bl_command command;
    bool takes_cases;
    const char *help;
} commands[] = {
    {"devices", BL_COMMAND_DEVICES, false, "platforms, devices, and the machine chosen for each"},
    {"list", BL_COMMAND_LIST, true, "every case, its document, claim and prediction"},
    {"model", BL_COMMAND_MODEL, true, "predictions only; opens no device"},
    {"run", BL_COMMAND_RUN, true, "measure, and hold each ratio against its prediction"},
};

static enum bl_status take_text(const char *text, const char **value, struct bl_error *error)
{
    *value = text;
    return *text ? BL_OK : bl_fail(error, BL_USAGE, "an option's value is empty");
}

static bool parse_side(const char **text, unsigned *side)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    const unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *side = (unsigned)value;
    return value >= 1 && value <= MOST_SHAPE;
}

static enum bl_status take_shape(const char *text, struct bl_options *options,
                                 struct bl_error *error)
{
    const char *rest = text;
    struct bl_shape shape;
    if (!parse_side(&rest, &shape.x) || *rest++ != 'x' || !parse_side(&rest, &shape.y) || *rest)
        return bl_fail(error, BL_USAGE,
                       "--shape %s: a shape is WIDTHxHEIGHT in work-items, such as 8x2", text);
    options->shape = shape;
    return BL_OK;
}

static enum bl_status take_tolerance(const char *text, struct bl_options *options,
                                     struct bl_error *error)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    char *end;
    const double percent = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (end == text || (*end && strcmp(end, "%") != 0) || !isfinite(percent) || percent <= 0 ||
        percent >= 100)
        return bl_fail(error, BL_USAGE,
                       "--tolerance %s: a percentage between 0 and 100, such as 10%%", text);
    options->tolerance = percent / 100;
    return BL_OK;
}

enum option_key { DEVICE = 256, MACHINE, CSV, RESULTS, KERNEL_DIR, SHAPE, TOLERANCE, QUICK, QUIET,
                  STRICT };

static const struct {
    enum option_key key;
    const char *name;
    const char *value; /* NULL: a flag */
    unsigned commands;
    const char *help;
} table[] = {
    {DEVICE, "device", "SEL", RUN,
     "0:0, or a part of a device's or platform's name (default: the first GPU)"},
    {MACHINE, "machine", "NAME", LIST | MODEL | RUN,
     "hold against this machine: intel-gen9, nvidia, cpu"},
    {SHAPE, "shape", "WxH", MODEL | RUN,
     "work-groups of this shape in place of row, square and column"},
    {QUICK, "quick", NULL, MODEL | RUN, "row shape only, and less time a case"},
    {CSV, "csv", "FILE", MODEL | RUN, "write the rows as CSV"},
    {RESULTS, "results", "DIR", RUN, "write the rows to DIR/<device>/<utc>.csv"},
    {TOLERANCE, "tolerance", "PCT", RUN, "confirm within this of the prediction (default 10%)"},
    {STRICT, "strict", NULL, RUN, "exit with 1 if a row is refuted or has no number"},
    {QUIET, "quiet", NULL, RUN, "print the last lines only"},
    {KERNEL_DIR, "kernel-dir", "DIR", RUN, "build the kernels in DIR instead of the embedded ones"},
};

enum { OPTION_COUNT = sizeof table / sizeof table[0] };

static enum bl_status take_option(size_t i, const char *value, struct bl_options *options,
                                  struct bl_error *error)
{
    switch (table[i].key) {
    case DEVICE:
        return take_text(value, &options->device, error);
    case MACHINE:
        return take_text(value, &options->machine, error);
    case CSV:
        return take_text(value, &options->csv, error);
    case RESULTS:
        return take_text(value, &options->results, error);
    case KERNEL_DIR:
        return take_text(value, &options->kernel_dir, error);
    case SHAPE:
        return take_shape(value, options, error);
    case TOLERANCE:
        return take_tolerance(value, options, error);
    case QUICK:
        options->quick = true;
        return BL_OK;
    case QUIET:
        options->quiet = true;
        return BL_OK;
    case STRICT:
        options->strict = true;
        return BL_OK;
    }
    return BL_USAGE;
}

static enum bl_status take_command(const char *word, struct bl_options *options,
                                   bool *takes_cases, struct bl_error *error)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0) {
            options->command = commands[i].command;
            *takes_cases = commands[i].takes_cases;
            return BL_OK;
        }
    return bl_fail(error, BL_USAGE,
                   "no command is called '%s'; there are devices, list, model and run", word);
}

static enum bl_status take_rest(int argc, char *argv[], struct bl_options *options,
                                const bool used[],
                                struct bl_error *error)
{
    bool takes_cases = false;
    if (optind >= argc)
        return bl_fail(error, BL_USAGE, "no command; 'bankline run' measures, "
                                        "'bankline --help' shows the others");
    const enum bl_status status = take_command(argv[optind++], options, &takes_cases, error);
    if (status != BL_OK)
        return status;
    if (optind < argc && !takes_cases)
        return bl_fail(error, BL_USAGE, "'%s' takes no argument '%s'", argv[optind - 1],
                       argv[optind]);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (used[i] && !(table[i].commands & 1u << options->command))
            return bl_fail(error, BL_USAGE, "'%s' takes no --%s", argv[optind - 1], table[i].name);
    options->cases = (const char *const *)&argv[optind];
    options->case_count = (size_t)(argc - optind);
    return BL_OK;
}

enum bl_status bl_options_parse(int argc, char *argv[], struct bl_options *options,
                                struct bl_error *error)
{
    *options = (struct bl_options){.tolerance = 0.10};
    struct option long_options[OPTION_COUNT + 3] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
    };
    for (size_t i = 0; i < OPTION_COUNT; i++)
        long_options[i + 2] = (struct option){
            table[i].name, table[i].value ? required_argument : no_argument, NULL,
            (int)table[i].key};

    bool used[OPTION_COUNT] = {false};
    optind = 0; /* starts anew: tests parse more than once */
    opterr = 0;
    int key;
    while ((key = getopt_long(argc, argv, ":hV", long_options, NULL)) != -1) {
        if (key == 'h' || key == 'V') {
            options->command = key == 'h' ? BL_COMMAND_HELP : BL_COMMAND_VERSION;
            return BL_OK;
        }
        if (key == '?')
            return bl_fail(error, BL_USAGE, "no option is called '%s'; 'bankline --help' shows them",
                           argv[optind - 1]);
        if (key == ':')
            return bl_fail(error, BL_USAGE, "%s needs a value", argv[optind - 1]);
        for (size_t i = 0; i < OPTION_COUNT; i++) {
            if ((int)table[i].key != key)
                continue;
            used[i] = true;
            const enum bl_status status = take_option(i, optarg, options, error);
            if (status != BL_OK)
                return status;
        }
    }
    return take_rest(argc, argv, options, used, error);
}

void bl_options_help(FILE *file)
{
    fputs("bankline measures what memory access patterns cost on an OpenCL device and holds every\n"
          "measurement against the rule that predicts it.\n\nusage: bankline COMMAND [OPTIONS] "
          "[CASE...]\n\ncommands:\n", file);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(file, "  %-8s %-9s %s\n", commands[i].name,
                commands[i].takes_cases ? "[CASE...]" : "", commands[i].help);
    fputs("\nCASE is an id or a glob: bankline run 'local/*'. Without one, all cases.\n\noptions:\n",
          file);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char head[40];
        snprintf(head, sizeof head, "--%s%s%s", table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(file, "  %-17s %s\n", head, table[i].help);
    }
    fputs("  --help            this text\n"
          "  --version         the version\n\n"
          "Results go to standard output, everything else to standard error. NO_COLOR is obeyed.\n"
          "1 GB = 1e9 bytes. Exit status: 0 done; 1 bad news under --strict; 2 usage; 3 no device,\n"
          "or a device failed; 4 a file could not be read or written.\n", file);
}
