#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_values.h"

enum { MAX_SHAPE = 65536, MAX_GROUPS = 1 << 24 };

/* Bits of the commands that take an option. */
enum {
    DEVICES = 1 << BL_COMMAND_DEVICES,
    LIST = 1 << BL_COMMAND_LIST,
    MODEL = 1 << BL_COMMAND_MODEL,
    RUN = 1 << BL_COMMAND_RUN,
    TRY = 1 << BL_COMMAND_TRY,
    COMPARE = 1 << BL_COMMAND_COMPARE,
    HISTORY = 1 << BL_COMMAND_HISTORY,
};

static const struct {
    const char *name;
    enum bl_command command;
    const char *takes; /* arguments, or "" */
    const char *help;
} commands[] = {
    {"devices", BL_COMMAND_DEVICES, "", "platforms, devices, and the machine chosen for each"},
    {"list", BL_COMMAND_LIST, "[CASE...]", "every case, its document, claim and prediction"},
    {"model", BL_COMMAND_MODEL, "[CASE...]", "predictions only; opens no device"},
    {"run", BL_COMMAND_RUN, "[CASE...]", "measure, and hold each ratio against its prediction"},
    {"try", BL_COMMAND_TRY, "EXPR...", "the same for an index of your own"},
    {"compare", BL_COMMAND_COMPARE, "OLD NEW",
     "what got slower between two runs' CSV files (CASE... may follow)"},
    {"history", BL_COMMAND_HISTORY, "ACTION",
     "runs over time: add RUN.csv..., list, show CASE, "
     "compare RUN.csv,\n                     since CASE, export"},
};

static enum bl_status take_text(const char *text, const char **value, struct bl_error *error)
{
    *value = text;
    return *text ? BL_OK : bl_fail(error, BL_USAGE, "an option's value is empty");
}

enum option_key {
    DEVICE = 256,
    MACHINE,
    PRECISION,
    SECONDS,
    DEADLINE,
    SHOW_MACHINE,
    CSV,
    RESULTS,
    KERNEL_DIR,
    SHAPE,
    TOLERANCE,
    QUICK,
    QUIET,
    STRICT,
    MEMORY,
    TYPE,
    GROUPS,
    ARRAY_ELEMENTS,
    WRITE,
    MODEL_ONLY,
    PATTERN_FILE,
    THRESHOLD,
    ABSOLUTE,
    ANY_DEVICE,
    DATABASE,
    RUNS,
    DOCUMENT /* and as many keys as there are documents */
};

static const struct {
    int key; /* enum option_key */
    const char *name;
    const char *value; /* NULL: a flag */
    unsigned commands;
    const char *help;
} table[] = {
    {DEVICE, "device", "SEL", RUN | TRY | HISTORY,
     "0:0, or a part of a device's or platform's name (default: the first GPU)"},
    {MACHINE, "machine", "NAME", LIST | MODEL | RUN | TRY,
     "hold against this machine: intel-gen9, nvidia, cpu, or a file"},
    {SHOW_MACHINE, "show-machine", "NAME", MODEL,
     "print a machine as a file, every field explained, and nothing else"},
    {SHAPE, "shape", "WxH", MODEL | RUN | TRY,
     "work-groups of this shape in place of row, square and column"},
    {QUICK, "quick", NULL, MODEL | RUN | TRY, "row shape only, and less time a case"},
    {CSV, "csv", "FILE", MODEL | RUN | TRY | COMPARE | HISTORY, "write the rows as CSV"},
    {DOCUMENT + BL_DOCUMENT_JSON, "json", "FILE", RUN | TRY | COMPARE | HISTORY,
     "write them as JSON, every sample too"},
    {DOCUMENT + BL_DOCUMENT_BENCHMARK_JSON, "benchmark-json", "FILE", RUN | TRY,
     "as Google Benchmark's JSON"},
    {DOCUMENT + BL_DOCUMENT_JUNIT, "junit", "FILE", RUN | TRY | COMPARE | HISTORY, "as JUnit XML"},
    {DOCUMENT + BL_DOCUMENT_PROMETHEUS, "prometheus", "FILE", RUN | TRY | COMPARE | HISTORY,
     "as Prometheus text, for node_exporter"},
    {DOCUMENT + BL_DOCUMENT_MARKDOWN, "markdown", "FILE", RUN | TRY | COMPARE | HISTORY,
     "as a Markdown table"},
    {RESULTS, "results", "DIR", RUN | TRY, "write the rows to DIR/<device>/<utc>.csv"},
    {TOLERANCE, "tolerance", "PCT", RUN | TRY,
     "confirm within this of the prediction (default 10%)"},
    {PRECISION, "precision", "PCT", RUN | TRY,
     "sample until the interval is this close (default 0.5%)"},
    {SECONDS, "seconds", "S", RUN | TRY,
     "or until a case has taken this long (default 0.5; on CPUs 0.6)"},
    {DEADLINE, "deadline", "S", RUN | TRY,
     "give a kernel up that has not ended by then (default 60)"},
    {STRICT, "strict", NULL, RUN | TRY, "exit with 1 if a row is refuted or has no number"},
    {QUIET, "quiet", NULL, RUN | TRY | COMPARE | HISTORY, "print the last lines only"},
    {KERNEL_DIR, "kernel-dir", "DIR", RUN | TRY,
     "build the kernels in DIR instead of the embedded ones"},
    {PATTERN_FILE, "patterns", "FILE", TRY, "try the 'name = expression' lines of FILE"},
    {MEMORY, "memory", "SPACE", TRY,
     "index an array in global (default), local or constant memory"},
    {TYPE, "type", "TYPE", TRY, "of its elements: uchar to double, and vectors (default int)"},
    {ARRAY_ELEMENTS, "array-elements", "N", TRY,
     "indices must be below N (default: what has room)"},
    {GROUPS, "groups", "N", TRY, "ids range over N or NxM work-groups (default 8; local memory 1)"},
    {WRITE, "write", NULL, TRY, "write to the array instead of reading it"},
    {DATABASE, "db", "FILE", HISTORY, "the history's file (default: under XDG_DATA_HOME)"},
    {RUNS, "runs", "N", HISTORY, "compare with the median of the last N runs (default 10)"},
    {THRESHOLD, "threshold", "PCT", COMPARE | HISTORY,
     "the change that must be found (default 2%)"},
    {ABSOLUTE, "absolute", NULL, COMPARE | HISTORY,
     "also in clocks, not only against each case's baseline"},
    {ANY_DEVICE, "any-device", NULL, COMPARE, "runs of different devices too"},
    {MODEL_ONLY, "model-only", NULL, TRY, "predict only: find the indices, access nothing"},
};

enum { OPTION_COUNT = sizeof table / sizeof table[0] };

static enum bl_status take_option(size_t i, const char *value, struct bl_options *options,
                                  struct bl_error *error)
{
    if (table[i].key >= DOCUMENT)
        return take_text(value, &options->documents[table[i].key - DOCUMENT], error);
    switch ((enum option_key)table[i].key) {
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
        return bl_option_shape("shape", value, MAX_SHAPE, false, &options->shape, error);
    case TOLERANCE:
        return bl_option_percent("tolerance", value, &options->tolerance, error);
    case PRECISION:
        return bl_option_percent("precision", value, &options->precision, error);
    case SECONDS:
        return bl_option_seconds("seconds", value, &options->seconds, error);
    case DEADLINE:
        return bl_option_seconds("deadline", value, &options->deadline, error);
    case SHOW_MACHINE:
        return take_text(value, &options->show_machine, error);
    case PATTERN_FILE:
        return take_text(value, &options->patterns, error);
    case MEMORY:
        return bl_option_memory(value, &options->memory, error);
    case TYPE:
        return bl_type_named(value, &options->type, error);
    case GROUPS:
        return bl_option_shape("groups", value, MAX_GROUPS, true, &options->groups, error);
    case ARRAY_ELEMENTS:
        return bl_option_count("array-elements", value, INT32_MAX, &options->array_elements, error);
    case WRITE:
        options->write = true;
        return BL_OK;
    case DATABASE:
        return take_text(value, &options->db, error);
    case RUNS:
        return bl_option_count("runs", value, 100, &options->runs, error);
    case THRESHOLD:
        return bl_option_percent("threshold", value, &options->threshold, error);
    case ABSOLUTE:
        options->absolute = true;
        return BL_OK;
    case ANY_DEVICE:
        options->any_device = true;
        return BL_OK;
    case MODEL_ONLY:
        options->model_only = true;
        return BL_OK;
    case QUICK:
        options->quick = true;
        return BL_OK;
    case QUIET:
        options->quiet = true;
        return BL_OK;
    case STRICT:
        options->strict = true;
        return BL_OK;
    case DOCUMENT:
        break;
    }
    return BL_USAGE;
}

static enum bl_status take_command(const char *word, struct bl_options *options, const char **takes,
                                   struct bl_error *error)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0) {
            options->command = commands[i].command;
            *takes = commands[i].takes;
            return BL_OK;
        }
    return bl_fail(error, BL_USAGE,
                   "no command is called '%s'; there are devices, list, model, run, try, "
                   "compare and history",
                   word);
}

static enum bl_status take_rest(int argc, char *argv[], struct bl_options *options,
                                const bool used[], struct bl_error *error)
{
    const char *takes = "";
    if (optind >= argc)
        return bl_fail(error, BL_USAGE,
                       "no command; 'bankline run' measures, "
                       "'bankline --help' shows the others");
    const enum bl_status status = take_command(argv[optind++], options, &takes, error);
    if (status != BL_OK)
        return status;
    if (optind < argc && !*takes)
        return bl_fail(error, BL_USAGE, "'%s' takes no argument '%s'", argv[optind - 1],
                       argv[optind]);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (used[i] && !(table[i].commands & 1u << options->command))
            return bl_fail(error, BL_USAGE, "'%s' takes no --%s", argv[optind - 1], table[i].name);
    if (options->command == BL_COMMAND_TRY && optind == argc && !options->patterns)
        return bl_fail(error, BL_USAGE,
                       "'try' wants an index expression, such as "
                       "'get_global_id(0) * 3 + 5', or --patterns FILE");
    if (options->command == BL_COMMAND_COMPARE && argc - optind < 2)
        return bl_fail(error, BL_USAGE, "'compare' wants two files, OLD.csv and NEW.csv");
    options->cases = (const char *const *)&argv[optind];
    options->case_count = (size_t)(argc - optind);
    return BL_OK;
}

enum bl_status bl_options_parse(int argc, char *argv[], struct bl_options *options,
                                struct bl_error *error)
{
    *options =
        (struct bl_options){.tolerance = 0.10, .threshold = 0.02, .runs = 10, .type = bl_type_int};
    struct option long_options[OPTION_COUNT + 3] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
    };
    for (size_t i = 0; i < OPTION_COUNT; i++)
        long_options[i + 2] = (struct option){
            table[i].name, table[i].value ? required_argument : no_argument, NULL, table[i].key};

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
            return bl_fail(error, BL_USAGE,
                           "no option is called '%s'; 'bankline --help' shows them",
                           argv[optind - 1]);
        if (key == ':')
            return bl_fail(error, BL_USAGE, "%s needs a value", argv[optind - 1]);
        for (size_t i = 0; i < OPTION_COUNT; i++) {
            if (table[i].key != key)
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
          "[ARGUMENT...]\n\ncommands:\n",
          file);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(file, "  %-8s %-9s %s\n", commands[i].name, commands[i].takes, commands[i].help);
    fputs("\nCASE is an id or a glob: bankline run 'local/*'. Without one, all cases.\n"
          "EXPR is OpenCL C over a work-item's ids: bankline try 'get_global_id(0) * 3 + 5'.\n\n"
          "options:\n",
          file);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char head[40];
        snprintf(head, sizeof head, "--%s%s%s", table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(file, "  %-19s %s\n", head, table[i].help);
    }
    fputs(
        "  --help              this text\n"
        "  --version           the version\n\n"
        "Results go to standard output, everything else to standard error. NO_COLOR is obeyed.\n"
        "1 GB = 1e9 bytes. Exit status: 0 done; 1 bad news: a row got slower, is missing or broken\n"
        "(compare), or is refuted or has no number (--strict); 2 usage; 3 no device, or a device\n"
        "failed; 4 a file could not be read or written.\n",
        file);
}
