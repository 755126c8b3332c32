#include "cli/tracing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "measure/clock.h"
#include "trace/program.h"
#include "trace/reader.h"

struct watching {
    uint64_t groups, shown_ns;
    struct bl_progress progress;
};

static void show_progress(void *context, const struct bl_trace *trace)
{
    struct watching *watching = context;
    watching->groups++;
    const uint64_t now_ns = bl_host_now_ns();
    if (now_ns - watching->shown_ns < 200000000)
        return;
    watching->shown_ns = now_ns;
    bl_progress_show(&watching->progress, "kernel %.40s: %" PRIu64 " groups traced",
                     trace->kernels[trace->kernel_count - 1].name, watching->groups);
}

/* "first,last,14": how many between these two; or "all". */
static enum bl_status between_of(const char *sample, char between[24], struct bl_error *error)
{
    unsigned count = 0;
    int used = 0;
    const bool is_all = strcmp(sample, "all") == 0, is_ends = strcmp(sample, "first,last") == 0;
    if (!is_all && !is_ends &&
        (sscanf(sample, "first,last,%9u%n", &count, &used) != 1 || sample[used] ||
         sample[11] == '+' || sample[11] == '-' || sample[11] == ' '))
        return bl_fail(error, BL_USAGE,
                       "invalid --sample '%s': expected 'all', 'first,last' or 'first,last,N', N "
                       "groups between them",
                       sample);
    snprintf(between, 24, is_all ? "all" : "%u", count);
    return BL_OK;
}

static enum bl_status build_options_of(const char *optimization, const char **options,
                                       struct bl_error *error)
{
    static const char *const levels[][2] = {{"z", NULL}, {"both", NULL}, {"0", "-O0"}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(optimization, levels[i][0]) == 0) {
            *options = levels[i][1];
            return BL_OK;
        }
    return bl_fail(
        error, BL_USAGE,
        "invalid --optimization '%s': expected 0, z or both, which is all that Oclgrind knows",
        optimization);
}

enum bl_status bl_tracing_check_settings(const struct bl_tracing_settings *settings,
                                         struct bl_error *error)
{
    char between[24];
    const char *build_options;
    const enum bl_status status = between_of(settings->sample, between, error);
    return status == BL_OK ? build_options_of(settings->optimization, &build_options, error)
                           : status;
}

enum bl_status bl_tracing_run(const struct bl_tracing_settings *settings, const char *const words[],
                              const char *optimization, struct bl_trace *trace, int *ended,
                              struct bl_error *error)
{
    char between[24], limit[24], plugin[4096];
    const char *build_options = NULL;
    enum bl_status status = between_of(settings->sample, between, error);
    if (status == BL_OK)
        status = build_options_of(optimization, &build_options, error);
    if (status == BL_OK)
        status = bl_trace_find_plugin(BL_TRACE_PLUGIN, plugin, error);
    if (status != BL_OK)
        return status;
    snprintf(limit, sizeof limit, "%u", settings->limit);
    const struct bl_traced_settings traced = {
        .words = words,
        .is_simulation = settings->sim != NULL,
        .between = between,
        .limit = limit,
        .build_options = build_options,
        .plugin = plugin,
        .is_quick = settings->quick,
        .environment = settings->environment,
    };
    struct bl_traced_program program;
    status = bl_traced_start(&traced, &program, error);
    if (status != BL_OK)
        return status;
    struct watching watching = {.progress = bl_progress_begin(false)};
    const struct bl_trace_progress progress = {show_progress, bl_is_interrupted, &watching};
    status = bl_trace_read(program.descriptor, &progress, trace, error);
    *ended = bl_traced_end(&program, status != BL_OK);
    bl_progress_clear(&watching.progress);
    return status;
}

/* How the program ended, where that is worth a word. */
static void say_how_it_ended(const struct bl_trace *trace, int ended, char text[160])
{
    *text = '\0';
    if (WIFSIGNALED(ended))
        snprintf(text, 160, "the program was ended by signal %d (%s)", WTERMSIG(ended),
                 strsignal(WTERMSIG(ended)));
    else if (WEXITSTATUS(ended))
        snprintf(text, 160, "the program ended with status %d", WEXITSTATUS(ended));
    else if (!trace->is_whole && trace->kernel_count)
        snprintf(text, 160, "the program ended while a kernel ran");
}

enum bl_status bl_tracing_check(const struct bl_tracing_settings *settings,
                                const struct bl_trace *trace, int status, struct bl_error *error)
{
    char ended[160];
    say_how_it_ended(trace, status, ended);
    if (trace->kernel_count == 0 && settings->sim)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no kernel ran: oclgrind-kernel's messages above say why%s%s",
                       *ended ? "; " : "", ended);
    if (trace->kernel_count == 0)
        return bl_fail(
            error, BL_OPENCL_FAILED,
            "the program ran no kernel under Oclgrind%s%s. Oclgrind is an OpenCL 1.2 device that "
            "builds from source: a program that asks for a GPU's platform, for sub-groups or for "
            "OpenCL 2, or that loads binaries, does not run there, nor does one whose kernels do "
            "not build: the messages above would say so",
            *ended ? "; " : "", ended);
    const bool is_cut = !trace->is_whole || WIFSIGNALED(status);
    if (!is_cut && *ended) /* its own affair, but worth a word */
        fprintf(stderr, "note: %s\n", ended);
    if (is_cut)
        return bl_fail(error, BL_OPENCL_FAILED, "the trace was cut short: %s", ended);
    return BL_OK;
}
