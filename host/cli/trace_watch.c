/* Reports on a traced program (trace_watch.h).
 *
 * A program under Oclgrind may run for minutes without printing anything. So a line shows the
 * progress, and a note says how to make the trace faster. The program prints to the same terminal,
 * so the line is removed before the program's output. */
#include "cli/trace_watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/interrupt.h"

static const uint64_t show_every_ns = 200000000, second_ns = 1000000000;

/* The fraction of a budget that the program may use. The rest is for the work after the program,
 * which is mainly the search for fixes. */
static const double part_of_program = 0.9;

struct bl_trace_watch bl_trace_watch_begin(double budget_s)
{
    const uint64_t now_ns = bl_pace_now_ns();
    struct bl_trace_watch watch = {
        .budget = {now_ns, (uint64_t)(budget_s * part_of_program * (double)second_ns)},
        .progress = bl_progress_begin(false),
        .last_ns = now_ns,
        .output = -1,
    };
    bl_interrupt_guard(true);
    int ends[2];
    if (watch.progress.is_on && pipe2(ends, O_CLOEXEC) == 0) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        watch.output = ends[0];
        watch.output_end = ends[1];
    }
    return watch;
}

static void close_output(struct bl_trace_watch *watch)
{
    if (watch->output >= 0)
        close(watch->output);
    watch->output = -1;
}

void bl_trace_watch_started(struct bl_trace_watch *watch, bool is_running)
{
    if (watch->output_end > 0)
        close(watch->output_end);
    watch->output_end = 0;
    if (is_running)
        return;
    close_output(watch);
    bl_interrupt_guard(false);
}

static void pass_output_on(struct bl_trace_watch *watch)
{
    char text[4096];
    ssize_t got;
    while (watch->output >= 0 && (got = read(watch->output, text, sizeof text)) > 0) {
        bl_progress_clear(&watch->progress);
        fwrite(text, 1, (size_t)got, stderr);
        watch->has_open_line = text[got - 1] != '\n';
    }
}

int bl_trace_watch_end(struct bl_trace_watch *watch, bool has_to_stop)
{
    enum { PAUSE_MS = 5 };
    struct pollfd printed = {.fd = watch->output, .events = POLLIN};
    /* The pipe must be read while the program runs, because a program that fills the pipe waits
     * until it is read. */
    while (!has_to_stop && !bl_traced_has_ended(&watch->program)) {
        poll(&printed, 1, PAUSE_MS);
        pass_output_on(watch);
        has_to_stop = *bl_interrupt() != 0;
    }
    const int status = bl_traced_end(&watch->program, has_to_stop);
    pass_output_on(watch);
    close_output(watch);
    bl_progress_clear(&watch->progress);
    bl_interrupt_guard(false);
    return status;
}

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
    watch->trace = trace;
    watch->last_ns = now_ns;
    look_at_clock(watch, now_ns);
    pass_output_on(watch);
    if (now_ns - watch->shown_ns < show_every_ns || watch->has_open_line)
        return;
    watch->shown_ns = now_ns;
    bl_progress_show(&watch->progress, "kernel %.40s: %" PRIu64 " group%s traced",
                     trace->kernels[trace->kernel_count - 1].name, watch->groups,
                     bl_plural(watch->groups));
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
    pass_output_on(watch);
    look_at_clock(watch, now_ns);
}

/* Whether a launch has groups that run but are not traced. */
static bool has_untraced_groups(const struct bl_trace_watch *watch)
{
    const bool is_sampled = watch->sampled > 0 && !watch->is_quick && watch->trace;
    for (size_t k = 0; is_sampled && k < watch->trace->kernel_count; k++) {
        const uint64_t *groups = watch->trace->kernels[k].last.groups;
        if (groups[0] * groups[1] * groups[2] > watch->sampled)
            return true;
    }
    return false;
}

bool bl_trace_watch_hints(struct bl_trace_watch *watch, uint64_t now_ns, char text[BL_SLOW_WORDS])
{
    enum { MIN_SAMPLED = 2 }; /* --sample first,last */
    const uint64_t passed_ns = now_ns - watch->budget.began_ns;
    if (watch->has_hinted || watch->budget.length_ns > 0 || passed_ns < BL_SLOW_S * second_ns)
        return false;
    watch->has_hinted = true;
    const char *why, *what;
    if (watch->groups == 0) {
        why = "no work-group has been traced yet";
        what = "a smaller problem";
    } else if (watch->idle_ns > passed_ns / 2 && has_untraced_groups(watch)) {
        why = "most of the time goes into groups that are simulated but not traced";
        what = "a smaller problem, or --quick, which runs only some groups of each launch";
    } else if (watch->idle_ns > passed_ns / 2) {
        why = "most of the time goes into the program itself and its instructions that access no "
              "memory";
        what = "a smaller problem";
    } else {
        why = "most of the time goes into the accesses of traced groups";
        what = watch->sampled == MIN_SAMPLED ? "a smaller problem, or a smaller --limit"
                                             : "--sample first,last, which traces two groups of "
                                               "each launch, or a smaller --limit";
    }
    snprintf(text, BL_SLOW_WORDS,
             "the program is still running after %d s: %s. To make it faster, use %s. --budget 60s "
             "traces less and less, and ends within a minute; Ctrl-C ends the program now, and "
             "what was traced is shown",
             BL_SLOW_S, why, what);
    return true;
}

enum { REASON = 200 };

/* Names the likely cause of a crash: several threads, because Oclgrind's compiler and objects are
 * not thread-safe (the plugin serializes only launches); else a kernel that cannot be created
 * although its program was built, which few programs handle. The text is empty if the program did
 * not crash. */
static const char *why_it_crashed(const struct bl_trace *trace, int status, char text[REASON])
{
    const bool is_crash =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT ||
                                WTERMSIG(status) == SIGBUS || WTERMSIG(status) == SIGILL);
    *text = '\0';
    if (is_crash && trace->host_threads > 1)
        snprintf(text, REASON,
                 ". The likely cause: its %u host threads use OpenCL simultaneously, but Oclgrind "
                 "is not thread-safe; let the program use one thread",
                 trace->host_threads);
    else if (is_crash)
        snprintf(text, REASON,
                 ". If a message above names an undefined external function, Oclgrind lacks an "
                 "instruction that its optimizer inserts; --optimization 0 may avoid it");
    return text;
}

/* If some groups did not run, returns a hint that the program may have failed because it checked
 * the results of these groups. */
static const char *why_it_failed(const struct bl_trace *trace)
{
    for (size_t k = 0; k < trace->kernel_count; k++)
        if (trace->kernels[k].shortened_launches)
            return "; it may have checked results of groups that did not run (--budget)";
        else if (trace->kernels[k].partial_launches)
            return "; it may have checked results of groups that did not run (--quick)";
    return "";
}

static enum bl_status fail_without_kernel(const struct bl_trace *trace,
                                          const struct bl_trace_end *end, const char *ended,
                                          struct bl_error *error)
{
    char likely[REASON];
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
        "builds from source: it cannot run a program that needs a GPU's platform, sub-groups or "
        "OpenCL 2, that loads binaries, or whose kernels do not build; in these cases, the "
        "messages above give the reason%s",
        *ended ? "; " : "", ended, why_it_crashed(trace, end->status, likely));
}

enum bl_status bl_trace_check_comparable(const struct bl_trace *trace,
                                         const struct bl_trace_end *end, const char *before,
                                         struct bl_error *error)
{
    char now[16];
    snprintf(now, sizeof now, "%d", WEXITSTATUS(end->status));
    if (!trace->is_whole || trace->kernel_count == 0)
        return BL_OK;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        if (kernel->aborted)
            return bl_fail(error, BL_OPENCL_FAILED,
                           "Oclgrind aborted %u of %u launches of %.100s, as its messages explain; "
                           "a launch that did not complete cannot be compared",
                           kernel->aborted, kernel->launches, kernel->name);
    }
    if (WIFEXITED(end->status) && WEXITSTATUS(end->status) &&
        strcmp(now, before ? before : "0") != 0)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "the program ended with status %s, and with %s in the saved trace; kernels "
                       "that did not run cannot be compared",
                       now, before ? before : "0");
    return BL_OK;
}

enum bl_status bl_trace_check(const struct bl_trace *trace, const struct bl_trace_end *end,
                              struct bl_error *error)
{
    bl_file_flush_stdout(); /* print the tables before the notes about the program */
    char ended[160] = "", likely[REASON];
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
                "note: the budget of %g s was used up, so the program was ended; its accesses "
                "until then were traced\n",
                end->budget_s);
        return BL_OK;
    }
    if (!trace->is_whole || WIFSIGNALED(end->status))
        return bl_fail(error, BL_OPENCL_FAILED, "%s: %s%s",
                       trace->is_whole ? "the traced launches are whole, but the program may not "
                                         "have made all its launches"
                                       : "the trace was cut short",
                       ended, why_it_crashed(trace, end->status, likely));
    if (*ended) /* the trace succeeded, but the user should know how the program ended */
        fprintf(stderr, "note: %s%s\n", ended, why_it_failed(trace));
    return BL_OK;
}
