/* `bankline trace`: traces a program or a single kernel under Oclgrind, and adds results from other
 * compilers and from a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/trace_device.h"
#include "cli/trace_gate.h"
#include "cli/trace_view.h"
#include "cli/trace_watch.h"
#include "measure/sampler.h"
#include "model/machine_file.h"
#include "report/json_values.h"
#include "trace/documents.h"
#include "trace/predicted.h"
#include "trace/program.h"
#include "trace/reader.h"
#include "trace/times.h"
#include "version.h"

struct trace_settings {
    const char *machine; /* name or file */
    const char *sim;     /* .sim file for oclgrind-kernel, or NULL */
    const char *sample, *optimization;
    unsigned limit;      /* max accesses to trace per group */
    double budget;       /* in seconds; 0 for no limit */
    const char *kernel;  /* kernel whose lines are printed; NULL for any kernel */
    unsigned top;        /* number of kernels whose lines are printed */
    unsigned local_size; /* max size of a group if the program sets none; 0: as a driver would */
    unsigned registers;  /* registers per work-item, for predicted times; 0 if unknown */
    bool quick;
    const char *csv, *json, *markdown; /* files, or NULL */
    const char *device;                /* device to replay on, or NULL */
    const char *ocloc;                 /* Intel device to compile for, or NULL */
    bool annotate, replay, time, predict;
    struct bl_trace_gate_settings gate;
};

enum { CSV, JSON, MARKDOWN, SAVE, JUNIT, BENCHER, FILES };
enum { SETTINGS_WORDS = 160 };

struct tracing {
    const struct trace_settings *settings;
    char **environment;              /* for the program (bl_environment_copy) */
    char between[BL_TRACED_BETWEEN]; /* how many groups to trace between the first and the last, or
                                        "all" */
    const char *build_options;       /* options for Oclgrind's compiler, or NULL */
    struct bl_machine own_machine;   /* the trace's machine, if read from a file */
    struct bl_trace trace, unoptimized;
    struct bl_predicting predicting; /* predicted times of `trace`, with --predict */
    struct bl_suggestions suggestions;
    struct bl_trace_origin origin;
    struct bl_file *files[FILES];
    struct bl_saved_trace before; /* the saved trace that --against names */
    int exit_status;              /* exit status of the program; 0 if a signal ended it */
    struct bl_trace_intel intel;
};

static enum bl_status open_files(struct tracing *tracing, struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    const struct bl_named_path paths[] = {
        [CSV] = {"--csv", settings->csv, true},
        [JSON] = {"--json", settings->json, true},
        [MARKDOWN] = {"--markdown", settings->markdown, true},
        [SAVE] = {"--save", settings->gate.save, true},
        [JUNIT] = {"--junit", settings->gate.junit, true},
        [BENCHER] = {"--bencher", settings->gate.bencher, true},
        {"--against", settings->gate.against, false},
        {"--sim", settings->sim, false},
        {"--machine", settings->machine, false},
    };
    if (settings->json && bl_json_is_built(error) != BL_OK)
        return BL_USAGE;
    return bl_whole_files_open(paths, sizeof paths / sizeof *paths, FILES, tracing->files, error);
}

/* The max group size if a program leaves the size to OpenCL; 0 if no layer can set the size. */
static unsigned chosen_local_size(const struct trace_settings *settings)
{
    char layer[4096];
    struct bl_error error = {0};
    const bool can_choose =
        bl_trace_find_plugin(BL_TRACE_LOCAL_LAYER, layer, &error) == BL_OK && bl_can_preload(layer);
    return !can_choose ? 0 : settings->local_size ? settings->local_size : BL_DRIVER_LOCAL_SIZE;
}

static const char *sample_of(const struct trace_settings *settings)
{
    return settings->sample    ? settings->sample
           : !settings->quick  ? "first,last,14"
           : settings->predict ? "first,last,2"
                               : "first,last";
}

/* Lists the options that affect the counts or the predicted times; traces with different lists are
 * not comparable. */
static void describe_settings(const struct tracing *tracing, char text[SETTINGS_WORDS])
{
    const struct trace_settings *settings = tracing->settings;
    char registers[24] = "";
    if (settings->registers)
        snprintf(registers, sizeof registers, ";registers=%u", settings->registers);
    snprintf(text, SETTINGS_WORDS, "sample=%.40s;optimization=%s;limit=%u;local-size=%u%s%s",
             sample_of(settings), tracing->build_options ? "0" : "z", settings->limit,
             chosen_local_size(settings), registers, settings->quick ? ";quick" : "");
}

/* Saves the trace, writes its metrics, or compares it with a saved trace, as options request. */
static enum bl_status write_gate(struct tracing *tracing, struct bl_error *error)
{
    const struct bl_trace_gate_settings *gate = &tracing->settings->gate;
    struct bl_file *const *files = tracing->files;
    const struct bl_trace_gate_files open = {files[SAVE], files[JUNIT], files[BENCHER],
                                             files[CSV],  files[JSON],  files[MARKDOWN]};
    char settings[SETTINGS_WORDS];
    struct bl_saved_trace now;
    if (!gate->against && !gate->save && !gate->bencher)
        return BL_OK;
    if (!tracing->origin.is_complete) {
        fputs("note: the trace is incomplete, so it is neither saved nor compared\n", stderr);
        return BL_OK;
    }
    describe_settings(tracing, settings);
    enum bl_status status = bl_saved_of(&tracing->trace, tracing->origin.tool_version, settings,
                                        tracing->exit_status, &now, error);
    if (status == BL_OK)
        status = bl_trace_gate_write(gate, gate->against ? &tracing->before : NULL, &now,
                                     bl_whole_files_words(tracing->files, FILES), &open, error);
    bl_saved_free(&now);
    return status;
}

/* Writes the documents of the trace or, with --against, of the comparison. */
static enum bl_status write_files(struct tracing *tracing, struct bl_error *error)
{
    const bool any = tracing->trace.kernel_count > 0 && !tracing->settings->gate.against;
    enum bl_status status = BL_OK;
    if (tracing->files[CSV] && any)
        bl_trace_csv(bl_file_stream(tracing->files[CSV]), &tracing->trace, &tracing->origin);
    if (tracing->files[MARKDOWN] && any)
        bl_trace_markdown(bl_file_stream(tracing->files[MARKDOWN]), &tracing->trace,
                          &tracing->suggestions);
    if (tracing->files[JSON] && any)
        status = bl_trace_json(bl_file_stream(tracing->files[JSON]), &tracing->trace,
                               &tracing->suggestions, &tracing->origin, error);
    struct bl_error failed = {0};
    const enum bl_status gated = write_gate(tracing, &failed);
    if (status == BL_OK && gated != BL_OK)
        *error = failed;
    const bool is_gated = tracing->origin.is_complete && (gated == BL_OK || gated == BL_BAD_NEWS),
               is_whole = any || (is_gated && tracing->settings->gate.against);
    const bool is_complete[FILES] = {[CSV] = is_whole,      [JSON] = is_whole && status == BL_OK,
                                     [MARKDOWN] = is_whole, [SAVE] = is_gated,
                                     [JUNIT] = is_gated,    [BENCHER] = is_gated};
    status = status == BL_OK ? gated : status;
    const enum bl_status closed =
        bl_whole_files_close(tracing->files, is_complete, FILES,
                             status == BL_OK || status == BL_BAD_NEWS ? error : NULL);
    return closed == BL_OK || (status != BL_OK && status != BL_BAD_NEWS) ? status : closed;
}

static enum bl_status parse_optimization(const char *optimization, const char **options,
                                         struct bl_error *error)
{
    *options = strcmp(optimization, "0") == 0 ? "-O0" : NULL;
    if (*options || strcmp(optimization, "z") == 0 || strcmp(optimization, "both") == 0)
        return BL_OK;
    return bl_fail(
        error, BL_USAGE,
        "invalid --optimization '%s': expected 0, z or both, because Oclgrind has no other "
        "optimization",
        optimization);
}

static bool traces_twice(const struct trace_settings *settings)
{
    return strcmp(settings->optimization, "both") == 0;
}

/* Traces the program that `words` names. The caller sets trace->machine before. Returns BL_OK even
 * if the program was stopped because its budget was used up. */
static enum bl_status trace_under_oclgrind(const struct tracing *tracing, const char *const words[],
                                           const char *build_options, struct bl_trace *trace,
                                           struct bl_trace_end *end, struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    char limit[24], plugin[4096], layer[4096];
    enum bl_status status = bl_trace_find_plugin(BL_TRACE_PLUGIN, plugin, error);
    if (status == BL_OK)
        status = bl_trace_find_plugin(BL_TRACE_LOCAL_LAYER, layer, error);
    if (status != BL_OK)
        return status;
    if (!bl_can_preload(layer) && !settings->sim)
        fprintf(stderr,
                "note: bankline is in a folder with a blank or colon in its name, %s: the program "
                "gets Oclgrind's group sizes, not the machine's\n",
                layer);
    snprintf(limit, sizeof limit, "%u", settings->limit);
    *end =
        (struct bl_trace_end){.is_simulation = settings->sim != NULL, .budget_s = settings->budget};
    struct bl_trace_watch watch =
        bl_trace_watch_begin(traces_twice(settings) ? settings->budget / 2 : settings->budget);
    watch.is_quick = settings->quick;
    watch.sampled = strcmp(tracing->between, "all") == 0 ? 0 : 2 + (unsigned)atoi(tracing->between);
    const struct bl_traced_settings traced = {
        .words = words,
        .is_simulation = settings->sim != NULL,
        .between = tracing->between,
        .limit = limit,
        .build_options = build_options,
        .plugin = plugin,
        .local_layer = bl_can_preload(layer) ? layer : NULL,
        .local_size = settings->local_size,
        .machine = trace->machine,
        .is_quick = settings->quick,
        .native = settings->quick ? "/proc/self/exe" : NULL,
        .reports_work = trace->predicting != NULL,
        .budget = watch.budget,
        .environment = tracing->environment,
        .output = watch.output_end,
    };
    status = bl_traced_start(&traced, &watch.program, error);
    bl_trace_watch_started(&watch, status == BL_OK);
    if (status != BL_OK)
        return status;
    const struct bl_trace_progress progress = {bl_trace_watch_group, bl_trace_watch_is_interrupted,
                                               &watch, bl_trace_watch_idle};
    status = bl_trace_read(watch.program.descriptor, &progress, trace, error);
    end->is_over = watch.is_over && status == BL_INTERRUPTED && !*bl_interrupt();
    end->status = bl_trace_watch_end(&watch, status != BL_OK);
    return end->is_over ? BL_OK : status;
}

/* Runs the program once more, on its real device. */
static enum bl_status time_program(const struct tracing *tracing, const char *const words[],
                                   struct bl_trace *trace, struct bl_error *error)
{
    char note[128];
    bl_interrupt_guard(true);
    const enum bl_status status =
        bl_trace_time(trace, words, tracing->environment, bl_is_interrupted, note, error);
    bl_interrupt_guard(false);
    if (*note)
        fprintf(stderr, "note: %s\n", note);
    return status == BL_OK ? bl_trace_bound_on_device(trace, error) : status;
}

/* Traces the program again, with kernels that are compiled without optimization. */
static enum bl_status trace_unoptimized(struct tracing *tracing, const char *const words[],
                                        struct bl_error *error)
{
    struct bl_trace_end end;
    if (!traces_twice(tracing->settings) || *bl_interrupt())
        return BL_OK;
    tracing->unoptimized.machine = tracing->trace.machine;
    enum bl_status status =
        trace_under_oclgrind(tracing, words, "-O0", &tracing->unoptimized, &end, error);
    if (status == BL_OK)
        status = bl_trace_name_files(&tracing->unoptimized, words, error);
    struct bl_error failure = {0}; /* only a note: the first run's trace is valid */
    if (status == BL_OK && bl_trace_check(&tracing->unoptimized, &end, &failure) != BL_OK)
        fprintf(stderr, "note: the run without optimization: %s\n", failure.sentence);
    if (status == BL_OK)
        bl_trace_note_unoptimized(&tracing->trace, &tracing->unoptimized);
    return status;
}

/* Adds the results of other compilers, and of a real device. */
static enum bl_status ask_others(struct tracing *tracing, const char *const words[],
                                 struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    if (*bl_interrupt())
        return BL_OK;
    enum bl_status status = trace_unoptimized(tracing, words, error);
    if (status == BL_OK)
        status = bl_trace_intel_compile(&tracing->intel, &tracing->trace, error);
    if (status == BL_OK && settings->time) {
        if (bl_progress_begin(false).is_on) /* a whole line, because the program's output follows */
            fputs("timing the program on its device\n", stderr);
        status = time_program(tracing, words, &tracing->trace, error);
    }
    return status == BL_OK && settings->replay
               ? bl_trace_replay_on_device(&tracing->trace, settings->device, error)
               : status;
}

static enum bl_status report(struct tracing *tracing, const char *const words[],
                             struct bl_error *error)
{
    struct bl_progress progress = bl_progress_begin(false);
    const size_t programs = tracing->trace.program_count;
    if (programs > 0)
        bl_progress_show(&progress, "looking for the files of %zu source%s", programs,
                         bl_plural(programs));
    enum bl_status status = bl_trace_name_files(&tracing->trace, words, error);
    if (status == BL_OK)
        status = bl_trace_bound(&tracing->trace, error);
    if (status == BL_OK)
        bl_predict_finish(&tracing->trace);
    if (tracing->settings->gate.against) { /* --against prints only what changed */
        bl_progress_clear(&progress);
        return status == BL_OK ? write_files(tracing, error) : status;
    }
    if (tracing->trace.row_count > 0)
        bl_progress_show(&progress, "looking for what would make the worst lines faster");
    if (status == BL_OK)
        status = bl_trace_bank_ranges(&tracing->trace, error);
    if (status == BL_OK)
        status = bl_trace_suggest(&tracing->trace, &tracing->suggestions, error);
    if (status == BL_OK)
        status = bl_predict_fixes(&tracing->trace, &tracing->suggestions, error);
    bl_progress_clear(&progress);
    if (status != BL_OK || tracing->trace.kernel_count == 0)
        return status;
    struct bl_error failed = {0}; /* returned at the end, because the trace is shown anyway */
    const enum bl_status asked = ask_others(tracing, words, &failed);
    bl_trace_suggest_on_device(&tracing->trace, &tracing->suggestions);
    FILE *file = bl_whole_files_words(tracing->files, FILES);
    const struct trace_settings *settings = tracing->settings;
    if (settings->annotate)
        bl_print_annotated(file, &tracing->trace);
    const struct bl_kernel_choice choice = {tracing->settings->kernel, tracing->settings->top};
    const enum bl_status chosen = bl_print_trace(file, &tracing->trace, &choice, error);
    size_t *numbers = bl_number_suggestions(&tracing->trace, &tracing->suggestions, &choice);
    bl_print_suggestions(file, &tracing->trace, &tracing->suggestions, numbers);
    if (tracing->trace.row_count > 0)
        bl_print_trace_notes(file, &tracing->trace, tracing->settings->optimization);
    if (tracing->unoptimized.row_count)
        bl_print_unoptimized(file, &tracing->trace, &tracing->unoptimized);
    bl_print_intel(file, &tracing->trace);
    if (tracing->trace.machine->has_rule || *tracing->trace.timed_on.name)
        bl_print_bounds(file, &tracing->trace);
    if (settings->predict)
        bl_print_predicted(file, &tracing->trace, &tracing->suggestions, numbers);
    free(numbers);
    if (*tracing->trace.replayed_on)
        bl_print_replayed(file, &tracing->trace);
    struct bl_error unwritten = {0};
    status = write_files(tracing, &unwritten);
    if (status != BL_OK)
        *error = unwritten;
    else
        status = chosen;
    if (status == BL_OK && asked != BL_OK)
        *error = failed;
    return status == BL_OK ? asked : status;
}

static enum bl_status trace_program(struct tracing *tracing, const char *const words[],
                                    struct bl_error *error)
{
    struct bl_trace_end end = {0};
    const struct trace_settings *settings = tracing->settings;
    enum bl_status status = bl_traced_between(sample_of(settings), tracing->between, error);
    if (status == BL_OK)
        status = parse_optimization(settings->optimization, &tracing->build_options, error);
    if (status == BL_OK && settings->replay)
        status = bl_trace_device_check(settings->device, error);
    if (status == BL_OK)
        status = bl_trace_intel_check(&tracing->intel, error);
    if (status == BL_OK)
        status = open_files(tracing, error);
    if (status != BL_OK)
        return status;
    bl_interrupt_hold(); /* results that took minutes must be written even after a signal */
    status =
        trace_under_oclgrind(tracing, words, tracing->build_options, &tracing->trace, &end, error);
    if (status == BL_OK && settings->gate.against)
        status = bl_trace_check_comparable(&tracing->trace, &end, tracing->before.status, error);
    tracing->exit_status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 0;
    tracing->origin.is_complete =
        status == BL_OK && !*bl_interrupt() && tracing->trace.is_whole && !WIFSIGNALED(end.status);
    struct bl_error reported = {0};
    const enum bl_status printed = report(tracing, words, &reported);
    if (status == BL_OK && *bl_interrupt())
        status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    if (status == BL_OK && (printed == BL_OK || printed == BL_BAD_NEWS))
        status = bl_trace_check(&tracing->trace, &end, error);
    if (status == BL_OK && printed != BL_OK) {
        *error = reported;
        return printed;
    }
    return status;
}

static const struct trace_settings defaults = {
    .optimization = "z",
    .limit = 1000000,
    .gate = BL_TRACE_GATE_DEFAULTS,
    .top = 5,
};

/* Rejects options that exclude each other, and options that need an option that is not given. */
static enum bl_status check_settings(const struct trace_settings *settings,
                                     const struct bl_arguments *arguments, struct bl_error *error)
{
    if ((arguments->count == 0) == !settings->sim)
        return bl_fail(error, BL_USAGE,
                       settings->sim ? "--sim traces a single kernel, so no program can be given"
                                     : "usage: bankline trace -- PROGRAM [ARG...], or bankline "
                                       "trace --sim KERNEL.sim");
    if (settings->device && !settings->replay)
        return bl_fail(error, BL_USAGE,
                       "--device names the device for --replay, but --replay is missing");
    if (settings->quick && settings->sample && strcmp(settings->sample, "all") == 0)
        return bl_fail(error, BL_USAGE,
                       "--quick runs only some groups, so --sample all cannot be given");
    if (settings->predict && strcmp(settings->optimization, "0") == 0)
        return bl_fail(error, BL_USAGE,
                       "--predict needs optimized kernels, so --optimization 0 cannot be given");
    if (settings->registers && !settings->predict)
        return bl_fail(error, BL_USAGE,
                       "--registers limits predicted times, but --predict is missing");
    if (settings->sim && settings->time)
        return bl_fail(error, BL_USAGE, "--time needs a program, but --sim runs a single kernel");
    if (settings->gate.against &&
        (settings->replay || settings->time || settings->annotate || settings->ocloc))
        return bl_fail(
            error, BL_USAGE,
            "--against prints only what changed, so --replay, --time, --annotate and --ocloc "
            "cannot be given");
    return bl_trace_gate_check(&settings->gate, settings->budget > 0, error);
}

/* Reads the saved trace that --against names, if any, and chooses the machine. */
static enum bl_status choose_machine(struct tracing *tracing, struct bl_error *error)
{
    const struct trace_settings *settings = tracing->settings;
    const struct bl_machine **machine = &tracing->trace.machine;
    enum bl_status status = BL_OK;
    if (settings->gate.against)
        status = bl_saved_read(settings->gate.against, &tracing->before, error);
    if (status == BL_OK && settings->machine)
        status = bl_machine_named(settings->machine, &tracing->own_machine, machine, error);
    if (status == BL_OK && settings->gate.against)
        return bl_trace_gate_machine(&tracing->before, settings->gate.against, machine, error);
    return status == BL_OK && !settings->machine ? bl_trace_default_machine(machine, error)
                                                 : status;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct trace_settings *settings = settings_;
    enum bl_status status = check_settings(settings, arguments, error);
    if (status != BL_OK)
        return status;
    struct tracing tracing = {
        .settings = settings,
        .environment = bl_environment_copy(),
        .origin.tool_version = BL_VERSION,
        .intel = {.device = settings->ocloc},
        .trace.local_size = settings->local_size,
    };
    const char **words = calloc(arguments->count + 2, sizeof *words);
    bl_time_utc(tracing.origin.time_utc);
    for (size_t i = 0; words && i < arguments->count; i++)
        words[i] = arguments->words[i];
    if (words && settings->sim)
        words[0] = settings->sim;
    if (settings->predict)
        tracing.trace.predicting = &tracing.predicting;
    tracing.predicting.registers = settings->registers;
    if (!words || !tracing.environment)
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while starting a trace");
    else
        status = choose_machine(&tracing, error);
    if (status == BL_OK)
        status = trace_program(&tracing, words, error);
    bl_whole_files_close(tracing.files, (const bool[FILES]){false}, FILES, NULL);
    bl_suggestions_free(&tracing.suggestions);
    bl_trace_free(&tracing.trace);
    bl_predicting_free(&tracing.predicting);
    bl_trace_free(&tracing.unoptimized);
    bl_saved_free(&tracing.before);
    bl_environment_free(tracing.environment);
    free(words);
    return status;
}

/* Offered by shell completion. --sample and --ocloc also take other values. */
static const char *const samples[] = {"all", "first,last", NULL};
static const char *const levels[] = {"0", "z", "both", NULL};
static const char *const products[] = {"skl", "tgllp", "dg2", "pvc", "mtl", "lnl", "bmg", NULL};

static const struct bl_option options[] = {
    {"machine", "NAME",
     "predict for this machine, a name or a file (default: with --against the saved trace's; "
     "otherwise that of the first GPU whose machine has a rule, else nvidia-hopper)",
     BL_TEXT(struct trace_settings, machine), .completes = BL_COMPLETE_MACHINES,
     .group = BL_GROUP_MACHINE},
    {"annotate", NULL, "print the source too, with the costs of each line to its left",
     BL_FLAG(struct trace_settings, annotate), .group = BL_GROUP_OUTPUT},
    {"kernel", "NAME", "print the lines of only this kernel; NAME may be a shell glob",
     BL_TEXT(struct trace_settings, kernel), .group = BL_GROUP_OUTPUT},
    {"top", "N", "print the lines of the N kernels that lose the most clocks (default: 5)",
     BL_COUNT(struct trace_settings, top, 1000000), .group = BL_GROUP_OUTPUT},
    {"replay", NULL,
     "also measure the worst five lines on a real device, by replaying requests that were traced",
     BL_FLAG(struct trace_settings, replay)},
    {"time", NULL,
     "also run the program on its real device, and print each kernel's time and the minimum time "
     "that the model computes",
     BL_FLAG(struct trace_settings, time)},
    {"predict", NULL,
     "predict each kernel's time, and what limits it, by simulating a compute unit of the "
     "machine",
     BL_FLAG(struct trace_settings, predict)},
    {"registers", "N",
     "with --predict: each work-item uses N registers of 4 bytes (the device's compiler reports "
     "N), which may limit how many groups a compute unit runs at once (default: no limit)",
     BL_COUNT(struct trace_settings, registers, 1024), .group = BL_GROUP_MACHINE},
    {"device", "SEL",
     "replay on this device: an index such as 0:0, or a part of its name (default: the first GPU, "
     "else the first device)",
     BL_TEXT(struct trace_settings, device), .completes = BL_COMPLETE_DEVICES,
     .group = BL_GROUP_MACHINE},
    {"sim", "FILE",
     "trace a single kernel, launched as FILE (oclgrind-kernel's .sim format) describes",
     BL_TEXT(struct trace_settings, sim), .completes = BL_COMPLETE_FILES},
    {"sample", "WHICH",
     "which groups of each launch to trace: all; first,last; or first,last,N for N more groups "
     "between these two (default: first,last,14; with --quick: first,last; with --quick and "
     "--predict: first,last,2); requests and means are of these groups only",
     BL_TEXT_SUCH_AS(struct trace_settings, sample, samples), .group = BL_GROUP_TIME},
    {"quick", NULL,
     "have Oclgrind run only the groups that --sample names and some beside them, which takes "
     "seconds; PoCL, if installed, then runs the whole launch for the kernels that follow",
     BL_FLAG(struct trace_settings, quick), .group = BL_GROUP_TIME},
    {"budget", "S",
     "limit the time to S (30s, 2m, 1h; default: no limit): trace ever fewer groups, then ever "
     "fewer launches; in the last quarter of the time, run only the first and the last group of "
     "each launch; at the end, stop the program and all that it started. Launches left out "
     "count like those traced",
     BL_SECONDS(struct trace_settings, budget), .group = BL_GROUP_TIME},
    {"local-size", "N",
     "if a program leaves the size of its groups to OpenCL, run groups of at most N work-items "
     "(default: the size that the machine's driver would choose, usually at most 256)",
     BL_COUNT(struct trace_settings, local_size, 1024), .group = BL_GROUP_MACHINE},
    {"limit", "N",
     "trace at most about N accesses per group; if a group makes more, the same number of each "
     "work-item counts; --predict needs 64 per work-item or half of all (default: 1000000)",
     BL_COUNT(struct trace_settings, limit, 100000000), .group = BL_GROUP_TIME},
    {"optimization", "LEVEL",
     "compile the traced kernels with -O0 (0) or -Oz (z, the default); 'both' traces with -Oz, and "
     "lists the lines whose requests differ with -O0. With -Oz, an access that the compiler "
     "moved or merged may be shown at the line of a neighbouring expression",
     BL_TEXT_SUCH_AS(struct trace_settings, optimization, levels), .group = BL_GROUP_MACHINE},
    {"ocloc", "DEVICE",
     "count the instructions that Intel's offline compiler generates for this device, such as skl "
     "or dg2 (default: skl for machine intel-gen9, if ocloc is installed)",
     BL_TEXT_SUCH_AS(struct trace_settings, ocloc, products), .group = BL_GROUP_MACHINE},
    {"csv", "FILE", "write a CSV file with a row for each source line and kind of access",
     BL_TEXT(struct trace_settings, csv), .completes = BL_COMPLETE_FILES, .group = BL_GROUP_OUTPUT},
    {"json", "FILE", "write the trace as JSON, with the sources and suggestions",
     BL_TEXT(struct trace_settings, json), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"markdown", "FILE", "write the trace as a Markdown table",
     BL_TEXT(struct trace_settings, markdown), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {0},
};

const struct bl_command bl_command_trace = {
    .name = "trace",
    .arguments = "-- PROGRAM [ARG...]",
    .summary = "show what every load and store of your own kernels costs, line by line",
    .description =
        "Runs an unmodified OpenCL program under Oclgrind, a simulator of OpenCL devices, "
        "reconstructs the memory requests of its kernels' sub-groups from the addresses, and "
        "prints a table of the kernels. Then it prints the model's costs of each source line: "
        "lines, sectors, passes through tag banks and banks, clocks, and the clocks if the lanes "
        "were contiguous. For each kernel's worst arrays, a sentence says what is wrong and gives "
        "the smallest fix, if there is a fix that makes all accesses to the array cheaper, the "
        "kernel at least 3 % faster and no other kernel slower. The program's output goes to "
        "standard error.",
    .examples = {"bankline trace --annotate -- ./transpose 512",
                 "bankline trace --sim kernel.sim --machine intel-gen9"},
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_FILES,
    .options = {{.options = options},
                {.options = bl_trace_gate_options,
                 .offset = offsetof(struct trace_settings, gate)}},
    .settings_bytes = sizeof(struct trace_settings),
    .defaults = &defaults,
    .run = run,
};
