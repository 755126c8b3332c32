#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cl/device.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/trace_replay.h"
#include "cli/trace_time.h"
#include "cli/trace_view.h"
#include "cli/tracing.h"
#include "measure/clock.h"
#include "model/machine_file.h"
#include "report/json_values.h"
#include "report/layout.h"
#include "trace/bounds.h"
#include "trace/documents.h"
#include "trace/intel.h"
#include "trace/program.h"
#include "trace/sources.h"
#include "trace/trace.h"
#include "version.h"

struct trace_settings {
    const char *machine; /* name or file */
    struct bl_tracing_settings tracing;
    const char *csv, *json, *markdown; /* files, or NULL */
    const char *device;                /* to replay on; or NULL */
    const char *ocloc;                 /* Intel's device to compile for; or NULL */
    bool annotate, replay, time;
};

enum { CSV, JSON, MARKDOWN, FILES };

struct tracing {
    const struct trace_settings *settings;
    struct bl_tracing_settings how;
    struct bl_machine capacity;
    struct bl_trace trace, unoptimized;
    struct bl_suggestions suggestions;
    struct bl_trace_origin origin;
    struct bl_file *files[FILES];
};

static enum bl_status open_files(struct tracing *tracing, struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    const struct bl_named_path paths[] = {
        [CSV] = {"--csv", settings->csv, true},
        [JSON] = {"--json", settings->json, true},
        [MARKDOWN] = {"--markdown", settings->markdown, true},
        {"--sim", settings->tracing.sim, false},
        {"--machine", settings->machine, false},
    };
    const enum bl_status status = settings->json ? bl_json_is_built(error) : BL_OK;
    return status == BL_OK ? bl_whole_files_open(paths, sizeof paths / sizeof *paths, FILES,
                                                 tracing->files, error)
                           : status;
}

static enum bl_status write_files(struct tracing *tracing, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    const bool any = tracing->trace.kernel_count > 0;
    if (tracing->files[CSV])
        bl_trace_csv(bl_file_stream(tracing->files[CSV]), &tracing->trace, &tracing->origin);
    if (tracing->files[MARKDOWN])
        bl_trace_markdown(bl_file_stream(tracing->files[MARKDOWN]), &tracing->trace,
                          &tracing->suggestions);
    if (tracing->files[JSON])
        status = bl_trace_json(bl_file_stream(tracing->files[JSON]), &tracing->trace,
                               &tracing->suggestions, &tracing->origin, error);
    const bool is_complete[FILES] = {
        [CSV] = any, [JSON] = any && status == BL_OK, [MARKDOWN] = any};
    const enum bl_status closed = bl_whole_files_close(tracing->files, is_complete, FILES, error);
    return closed == BL_OK ? status : closed;
}

static void print_notes(FILE *file, const struct tracing *tracing)
{
    const struct bl_machine *machine = tracing->trace.machine;
    const unsigned width = bl_line_width(file);
    char text[900];
    snprintf(text, sizeof text,
             "Means over requests of %u lanes, by the model of machine %s, everything in the cache "
             "of the compute unit; tags, banks: passes of the busiest tag bank and bank; clocks: "
             "the larger of these and, for writes, of what their sectors take; ideal: clocks were "
             "the lanes contiguous; share, lost: of the kernel's clocks. Traced as compiled with "
             "-O%s: a GPU's compiler may merge, hoist or split accesses otherwise.",
             machine->lanes, machine->name,
             strcmp(tracing->how.optimization, "both") == 0 ? "z" : tracing->how.optimization);
    if (!machine->has_rule)
        snprintf(text, sizeof text,
                 "No costs: machine %s has no rule (%s); --machine names another.", machine->name,
                 machine->why_no_rule);
    fputc('\n', file);
    bl_put_wrapped(file, text, 0, 0, width);
    fputc('\n', file);
}

/* What Intel's compiler makes of the kernels: if it is asked for, or there, for Intel's machine. */
static enum bl_status compile_for_intel(struct tracing *tracing, struct bl_error *error)
{
    const char *device = tracing->settings->ocloc;
    if (device)
        return bl_trace_compile_for_intel(&tracing->trace, device, error);
    if (strcmp(tracing->trace.machine->name, "intel-gen9") != 0)
        return BL_OK;
    struct bl_error failure;
    const enum bl_status status = bl_trace_compile_for_intel(&tracing->trace, "skl", &failure);
    if (status != BL_OK && status != BL_NO_DEVICE)
        fprintf(stderr, "note: %s\n", failure.sentence);
    return BL_OK;
}

/* The same program again, as no compiler optimised it. */
static enum bl_status trace_unoptimized(struct tracing *tracing, const char *const words[],
                                        struct bl_error *error)
{
    int ended;
    if (strcmp(tracing->how.optimization, "both") != 0 || *bl_interrupt())
        return BL_OK;
    tracing->unoptimized.machine = tracing->trace.machine;
    enum bl_status status =
        bl_tracing_run(&tracing->how, words, "0", &tracing->unoptimized, &ended, error);
    if (status == BL_OK)
        status = bl_trace_name_files(&tracing->unoptimized, words, error);
    struct bl_error failure = {0}; /* of the second run alone */
    if (status == BL_OK && bl_tracing_check(&tracing->how, &tracing->unoptimized, ended, &failure))
        fprintf(stderr, "note: the run without optimization: %s\n", failure.sentence);
    if (status == BL_OK)
        bl_trace_note_unoptimized(&tracing->trace, &tracing->unoptimized);
    return status;
}

/* What other compilers, and a real device, say of the trace. */
static enum bl_status ask_others(struct tracing *tracing, const char *const words[],
                                 struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    if (*bl_interrupt())
        return BL_OK;
    enum bl_status status = bl_trace_bound(&tracing->trace, error);
    if (status == BL_OK)
        status = trace_unoptimized(tracing, words, error);
    if (status == BL_OK)
        status = compile_for_intel(tracing, error);
    if (status == BL_OK && settings->time)
        status = bl_trace_time(&tracing->trace, words, tracing->how.environment, error);
    if (status != BL_OK || !settings->replay)
        return status;
    return bl_trace_replay(&tracing->trace, settings->device, error);
}

static enum bl_status report(struct tracing *tracing, const char *const words[],
                             struct bl_error *error)
{
    enum bl_status status = bl_trace_name_files(&tracing->trace, words, error);
    if (status == BL_OK)
        status = bl_trace_suggest(&tracing->trace, &tracing->suggestions, error);
    if (status != BL_OK || tracing->trace.kernel_count == 0)
        return status;
    struct bl_error failed = {0}; /* what was traced is shown all the same */
    const enum bl_status asked = ask_others(tracing, words, &failed);
    bl_trace_suggest_on_device(&tracing->trace, &tracing->suggestions);
    FILE *file = bl_whole_files_words(tracing->files, FILES);
    if (tracing->settings->annotate)
        bl_print_annotated(file, &tracing->trace);
    bl_print_trace(file, &tracing->trace);
    if (tracing->suggestions.count) {
        fputc('\n', file);
        bl_print_suggestions(file, &tracing->suggestions);
    }
    print_notes(file, tracing);
    if (tracing->unoptimized.row_count)
        bl_print_unoptimized(file, &tracing->trace, &tracing->unoptimized);
    bl_print_intel(file, &tracing->trace);
    if (tracing->trace.machine->has_rule || *tracing->trace.timed_on.name)
        bl_print_bounds(file, &tracing->trace);
    if (*tracing->trace.replayed_on)
        bl_print_replayed(file, &tracing->trace);
    status = write_files(tracing, error);
    if (status == BL_OK && asked != BL_OK)
        *error = failed;
    return status == BL_OK ? asked : status;
}

/* Before the program runs for a minute. */
static enum bl_status check_device(const char *selector, struct bl_error *error)
{
    struct bl_device *devices;
    const struct bl_device *chosen;
    size_t count;
    const enum bl_status status = bl_devices_choose(selector, &devices, &count, &chosen, error);
    free(devices);
    return status;
}

static enum bl_status trace_program(struct tracing *tracing, const char *const words[],
                                    struct bl_error *error)
{
    int ended = 0;
    enum bl_status status = bl_tracing_check_settings(&tracing->how, error);
    if (status == BL_OK && tracing->settings->replay)
        status = check_device(tracing->settings->device, error);
    if (status == BL_OK && tracing->settings->ocloc)
        status = bl_intel_check(tracing->settings->ocloc, error);
    if (status == BL_OK)
        status = open_files(tracing, error);
    if (status == BL_OK)
        status = bl_tracing_run(&tracing->how, words, tracing->how.optimization, &tracing->trace,
                                &ended, error);
    struct bl_error reported = {0};
    const enum bl_status printed = report(tracing, words, &reported);
    if (status == BL_OK && *bl_interrupt())
        status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    if (status == BL_OK && printed != BL_OK) {
        *error = reported;
        return printed;
    }
    return status == BL_OK ? bl_tracing_check(&tracing->how, &tracing->trace, ended, error)
                           : status;
}

/* The machine of the first GPU that has a rule; Hopper's where there is none. */
static enum bl_status default_machine(const struct bl_machine **machine, struct bl_error *error)
{
    struct bl_device *devices;
    size_t count;
    *machine = NULL;
    if (bl_devices_list(&devices, &count, NULL) == BL_OK) {
        for (size_t i = 0; i < count && !*machine; i++)
            if (devices[i].type == BL_DEVICE_GPU && bl_device_machine(&devices[i])->has_rule)
                *machine = bl_device_machine(&devices[i]);
        free(devices);
    }
    return *machine ? BL_OK : bl_machine_find("nvidia-hopper", machine, error);
}

static const struct trace_settings defaults = {
    .tracing = {.sample = "first,last,14", .optimization = "z", .limit = 1000000},
};

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct trace_settings *settings = settings_;
    if ((arguments->count == 0) == !settings->tracing.sim)
        return bl_fail(error, BL_USAGE,
                       settings->tracing.sim
                           ? "--sim traces one kernel alone: no program beside it"
                           : "usage: bankline trace -- PROGRAM [ARG...], or bankline "
                             "trace --sim KERNEL.sim");
    if (settings->device && !settings->replay)
        return bl_fail(error, BL_USAGE, "--device is the one to replay on: --replay is missing");
    if (settings->tracing.quick && settings->tracing.sample != defaults.tracing.sample)
        return bl_fail(error, BL_USAGE,
                       "--quick runs the first and the last group alone: no --sample beside it");
    if (settings->tracing.sim && settings->time)
        return bl_fail(error, BL_USAGE, "--time needs a program: --sim has a kernel alone");
    struct tracing *tracing = calloc(1, sizeof *tracing);
    const char **words = calloc(arguments->count + 2, sizeof *words);
    enum bl_status status = BL_OK;
    if (!tracing || !words) {
        free(tracing);
        free(words);
        return bl_fail(error, BL_NO_MEMORY, "no memory for a trace");
    }
    tracing->settings = settings;
    tracing->how = settings->tracing;
    tracing->origin.tool_version = BL_VERSION;
    bl_time_utc(tracing->origin.time_utc);
    for (size_t i = 0; i < arguments->count; i++)
        words[i] = arguments->words[i];
    if (settings->tracing.sim)
        words[0] = settings->tracing.sim;
    tracing->how.environment = bl_environment_copy();
    if (!tracing->how.environment)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for a trace");
    else
        status = settings->machine ? bl_machine_named(settings->machine, &tracing->capacity,
                                                      &tracing->trace.machine, error)
                                   : default_machine(&tracing->trace.machine, error);
    if (status == BL_OK)
        status = trace_program(tracing, words, error);
    bl_whole_files_close(tracing->files, (const bool[FILES]){false}, FILES, NULL);
    bl_trace_free(&tracing->trace);
    bl_trace_free(&tracing->unoptimized);
    bl_environment_free(tracing->how.environment);
    free(words);
    free(tracing);
    return status;
}

static const struct bl_option options[] = {
    {"machine", "NAME",
     "predict for this machine, a name or a file (default: that of the first GPU, or "
     "nvidia-hopper)",
     BL_TEXT(struct trace_settings, machine), .completes = BL_COMPLETE_MACHINES},
    {"annotate", NULL, "print the source too, with what each line costs at its left",
     BL_FLAG(struct trace_settings, annotate)},
    {"replay", NULL,
     "measure the worst five lines too: the starts that they accessed, on a real device",
     BL_FLAG(struct trace_settings, replay)},
    {"time", NULL,
     "run the program on its real device too, and print how long its kernels take beside the least "
     "that they can",
     BL_FLAG(struct trace_settings, time)},
    {"device", "SEL",
     "replay on this device: an index such as 0:0, or a part of its name (default: the first GPU, "
     "else the first device)",
     BL_TEXT(struct trace_settings, device), .completes = BL_COMPLETE_DEVICES},
    {"sim", "FILE", "trace one kernel alone, as oclgrind-kernel's FILE describes it",
     BL_TEXT(struct trace_settings, tracing.sim), .completes = BL_COMPLETE_FILES},
    {"sample", "WHICH",
     "groups of each launch to trace: all, first,last, or first,last,N for N more between them "
     "(default: first,last,14)",
     BL_TEXT(struct trace_settings, tracing.sample)},
    {"quick", NULL,
     "run only the first and the last group of each launch: large launches take seconds, but what "
     "kernels leave for others is not there",
     BL_FLAG(struct trace_settings, tracing.quick)},
    {"limit", "N",
     "trace at most about N accesses of a group, as many of each work-item (default: 1000000)",
     BL_COUNT(struct trace_settings, tracing.limit, 100000000)},
    {"optimization", "LEVEL",
     "compile the kernels for the trace with -OLEVEL, 0 or z (default); both: with z, and say "
     "which lines make other requests with 0",
     BL_TEXT(struct trace_settings, tracing.optimization)},
    {"ocloc", "DEVICE",
     "count the instructions that Intel's offline compiler makes for this device, as skl or dg2 "
     "(default: skl for machine intel-gen9, where there is an ocloc)",
     BL_TEXT(struct trace_settings, ocloc)},
    {"csv", "FILE", "write a line for each source line and kind of access as CSV",
     BL_TEXT(struct trace_settings, csv), .completes = BL_COMPLETE_FILES},
    {"json", "FILE", "... as JSON, with the sources and suggestions",
     BL_TEXT(struct trace_settings, json), .completes = BL_COMPLETE_FILES},
    {"markdown", "FILE", "... as a table of Markdown", BL_TEXT(struct trace_settings, markdown),
     .completes = BL_COMPLETE_FILES},
    {0},
};

const struct bl_command bl_command_trace = {
    .name = "trace",
    .arguments = "-- PROGRAM [ARG...]",
    .summary = "what every load and store of your own kernels costs, line by line",
    .description =
        "Runs an OpenCL program, unmodified, under Oclgrind, a simulator of OpenCL devices, "
        "rebuilds the memory requests of its kernels' sub-groups from the addresses, and "
        "prints for each source line what they cost by the model: lines, sectors, passes "
        "through tag banks and banks, clocks, and what they would cost if the lanes were "
        "contiguous. The worst three lines get a sentence each: what is wrong, and what would "
        "mend it, if that makes the recorded addresses cheaper. What the program prints goes "
        "to standard error.",
    .examples = {"bankline trace --annotate -- ./transpose 512",
                 "bankline trace --sim kernel.sim --machine intel-gen9"},
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_FILES,
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct trace_settings),
    .defaults = &defaults,
    .run = run,
};
