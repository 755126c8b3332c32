#include "cli/trace_watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/interrupt.h"

static const uint64_t show_every_ns = 200000000, second_ns = 1000000000;

/* Of a budget: what follows the program, which is the search for fixes above all, takes less. */
static const double part_of_program = 0.9;

struct bl_trace_watch bl_trace_watch_begin(double budget_s)
{
    const uint64_t now_ns = bl_pace_now_ns();
    return (struct bl_trace_watch){
        .budget = {now_ns, (uint64_t)(budget_s * part_of_program * (double)second_ns)},
        .progress = bl_progress_begin(false),
        .last_ns = now_ns,
    };
}

/* What depends on the time alone. */
static void look_at_clock(struct bl_trace_watch *watch, uint64_t now_ns)
{
    char text[BL_SLOW_WORDS];
    const struct bl_budget *budget = &watch->budget;
    watch->is_over = budget->length_ns > 0 && now_ns - budget->began_ns >= budget->length_ns;
    if (bl_trace_watch_hints(watch, now_ns, text)) {
        bl_progress_clear(&watch->progress);
        fprintf(stderr, "note: %s\n", text);
    }
}

void bl_trace_watch_group(void *context, const struct bl_trace *trace)
{
    struct bl_trace_watch *watch = context;
    const uint64_t now_ns = bl_pace_now_ns();
    watch->groups++;
    watch->last_ns = now_ns;
    look_at_clock(watch, now_ns);
    if (now_ns - watch->shown_ns < show_every_ns)
        return;
    watch->shown_ns = now_ns;
    bl_progress_show(&watch->progress, "kernel %.40s: %" PRIu64 " groups traced",
                     trace->kernels[trace->kernel_count - 1].name, watch->groups);
}

bool bl_trace_watch_is_interrupted(void *context)
{
    const struct bl_trace_watch *watch = context;
    return watch->is_over || *bl_interrupt() != 0;
}

void bl_trace_watch_idle(void *context)
{
    struct bl_trace_watch *watch = context;
    const uint64_t now_ns = bl_pace_now_ns(), passed_ns = now_ns - watch->last_ns;
    watch->idle_ns += passed_ns < 2 * show_every_ns ? passed_ns : 0;
    watch->last_ns = now_ns;
    bl_traced_watch(&watch->program);
    look_at_clock(watch, now_ns);
}

bool bl_trace_watch_hints(struct bl_trace_watch *watch, uint64_t now_ns, char text[BL_SLOW_WORDS])
{
    const uint64_t passed_ns = now_ns - watch->budget.began_ns;
    if (watch->has_hinted || watch->budget.length_ns > 0 || passed_ns < BL_SLOW_S * second_ns)
        return false;
    watch->has_hinted = true;
    const char *why, *what;
    if (watch->groups == 0) {
        why = "no work-group has been traced yet";
        what = "a smaller problem";
    } else if (watch->idle_ns > passed_ns / 2) {
        why = "most of the time goes into groups that are simulated and not traced";
        what = "a smaller problem, or --quick, which runs only the first and the last group of "
               "each launch";
    } else {
        why = "most of the time goes into the accesses of traced groups";
        what = "--sample first,last, which traces two groups of each launch, or a smaller --limit";
    }
    snprintf(text, BL_SLOW_WORDS,
             "after %d s the program still runs: %s. Faster: %s; --budget 60s traces less and less "
             "and ends within a minute; Ctrl-C ends it now, with what was traced",
             BL_SLOW_S, why, what);
    return true;
}

/* Oclgrind's compiler and its objects bear no threads; only launches take turns (the plugin sees to
 * that). Empty where that is not the likely cause. */
static const char *why_it_crashed(const struct bl_trace *trace, int status, char text[160])
{
    const bool is_crash =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT ||
                                WTERMSIG(status) == SIGBUS || WTERMSIG(status) == SIGILL);
    *text = '\0';
    if (is_crash && trace->host_threads > 1)
        snprintf(text, 160,
                 ". The likely cause: its %u host threads use OpenCL at once, and Oclgrind is not "
                 "thread-safe; let it use one thread",
                 trace->host_threads);
    return text;
}

static enum bl_status fail_without_kernel(const struct bl_trace *trace,
                                          const struct bl_trace_end *end, const char *ended,
                                          struct bl_error *error)
{
    char likely[160];
    if (end->is_over)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no kernel ran within the budget of %g s, so the program was ended",
                       end->budget_s);
    if (end->is_simulation)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no kernel ran: oclgrind-kernel's messages above say why%s%s",
                       *ended ? "; " : "", ended);
    return bl_fail(
        error, BL_OPENCL_FAILED,
        "the program ran no kernel under Oclgrind%s%s. Oclgrind is an OpenCL 1.2 device that "
        "builds from source: a program that asks for a GPU's platform, for sub-groups or for "
        "OpenCL 2, or that loads binaries, does not run there, nor does one whose kernels do "
        "not build: the messages above would say so%s",
        *ended ? "; " : "", ended, why_it_crashed(trace, end->status, likely));
}

enum bl_status bl_trace_check_comparable(const struct bl_trace *trace,
                                         const struct bl_trace_end *end, struct bl_error *error)
{
    if (!trace->is_whole || trace->kernel_count == 0)
        return BL_OK;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        if (kernel->aborted)
            return bl_fail(error, BL_OPENCL_FAILED,
                           "Oclgrind aborted %u of %u launches of %.100s, and its messages say "
                           "why: what was not run cannot be compared",
                           kernel->aborted, kernel->launches, kernel->name);
    }
    if (WIFEXITED(end->status) && WEXITSTATUS(end->status))
        return bl_fail(error, BL_OPENCL_FAILED,
                       "the program ended with status %d: what was not run cannot be compared",
                       WEXITSTATUS(end->status));
    return BL_OK;
}

enum bl_status bl_trace_check(const struct bl_trace *trace, const struct bl_trace_end *end,
                              struct bl_error *error)
{
    char ended[160] = "", likely[160];
    if (WIFSIGNALED(end->status))
        snprintf(ended, sizeof ended, "the program was ended by signal %d (%s)",
                 WTERMSIG(end->status), strsignal(WTERMSIG(end->status)));
    else if (WEXITSTATUS(end->status))
        snprintf(ended, sizeof ended, "the program ended with status %d", WEXITSTATUS(end->status));
    else if (!trace->is_whole && trace->kernel_count)
        snprintf(ended, sizeof ended, "the program ended while a kernel ran");
    if (trace->kernel_count == 0)
        return fail_without_kernel(trace, end, ended, error);
    if (end->is_over) {
        fprintf(stderr,
                "note: the budget of %g s was over, so the program was ended; what it did until "
                "then was traced\n",
                end->budget_s);
        return BL_OK;
    }
    if (!trace->is_whole || WIFSIGNALED(end->status))
        return bl_fail(error, BL_OPENCL_FAILED, "the trace was cut short: %s%s", ended,
                       why_it_crashed(trace, end->status, likely));
    if (*ended) /* its own affair, but worth a word */
        fprintf(stderr, "note: %s\n", ended);
    return BL_OK;
}
