/* Tests the plugin's end of the pipe, which lies in the traced program, and how tracing records
 * less as a time budget runs out. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/trace_watch.h"
#include "trace/pace.h"
#include "trace/pipe_end.h"

static int ends[2];
static char description[BL_PIPE_DESCRIPTION], got[16];
static struct bl_pipe_end end;

static void open_pipe(void)
{
    cr_assert_eq(pipe(ends), 0);
    bl_pipe_describe(ends[1], ends[0], description);
    cr_assert(bl_pipe_end_open(&end, description));
}

/* Reads this many bytes from the pipe. */
static const char *read_some(size_t bytes)
{
    memset(got, 0, sizeof got);
    cr_assert_eq(read(ends[0], got, bytes), (ssize_t)bytes);
    return got;
}

Test(pipe_end, the_pipe_has_a_high_descriptor_that_child_processes_do_not_inherit)
{
    open_pipe();
    cr_assert_geq(end.descriptor, BL_PIPE_MIN_DESCRIPTOR);
    cr_assert_eq(fcntl(end.descriptor, F_GETFD), FD_CLOEXEC);
    close(ends[1]);
    cr_assert(bl_pipe_end_write(&end, "one", 3), "the original descriptor is not needed");
    cr_assert_str_eq(read_some(3), "one");
    bl_pipe_end_close(&end);
    cr_assert_not(bl_pipe_end_write(&end, "two", 3));
    cr_assert_eq(read(ends[0], got, 1), 0, "the pipe has no writer left");
}

Test(pipe_end, the_pipe_is_opened_again_if_a_file_has_taken_its_descriptor)
{
    open_pipe();
    FILE *file = tmpfile();
    const int before = end.descriptor;
    close(ends[1]);
    cr_assert_eq(dup2(fileno(file), before), before);
    cr_assert(bl_pipe_end_write(&end, "one", 3));
    cr_assert_str_eq(read_some(3), "one");
    cr_assert_neq(end.descriptor, before);
    close(end.descriptor);
    cr_assert(bl_pipe_end_write(&end, "two", 3),
              "the pipe is opened again without the original descriptor");
    cr_assert_str_eq(read_some(3), "two");
    cr_assert_eq(lseek(fileno(file), 0, SEEK_END), 0, "nothing was written to the file");
    fclose(file);
}

Test(pipe_end, the_inherited_pipe_is_used_if_the_reader_is_unknown)
{
    open_pipe();
    bl_pipe_end_close(&end);
    *strchr(strchr(strchr(description, ':') + 1, ':') + 1, ':') = '\0';
    cr_assert(bl_pipe_end_open(&end, description), "%s", description);
    cr_assert(bl_pipe_end_write(&end, "one", 3));
    cr_assert_str_eq(read_some(3), "one");
    close(end.descriptor);
    close(ends[1]);
    cr_assert_not(bl_pipe_end_write(&end, "two", 3), "the pipe cannot be opened again");
}

Test(pipe_end, another_pipe_or_a_file_is_not_mistaken_for_the_pipe)
{
    int others[2];
    char wrong[BL_PIPE_DESCRIPTION];
    open_pipe();
    cr_assert_eq(pipe(others), 0);
    /* The descriptors of the pipe now refer to another pipe. */
    cr_assert_eq(dup2(others[1], ends[1]), ends[1]);
    cr_assert_eq(dup2(others[0], ends[0]), ends[0]);
    close(end.descriptor);
    cr_assert_not(bl_pipe_end_write(&end, "one", 3));
    cr_assert_not(bl_pipe_end_open(&end, description));
    bl_pipe_describe(STDIN_FILENO, STDIN_FILENO, wrong);
    FILE *file = tmpfile();
    bl_pipe_describe(fileno(file), fileno(file), wrong);
    cr_assert_not(bl_pipe_end_open(&end, wrong), "a regular file is refused");
    fclose(file);
    cr_assert_not(bl_pipe_end_open(&end, NULL));
    cr_assert_not(bl_pipe_end_open(&end, ""));
    cr_assert_not(bl_pipe_end_open(&end, "3"));
    cr_assert_not(bl_pipe_end_open(&end, "3:1:1:1"));
}

static volatile sig_atomic_t signals;
static void count(int number) { signals += number == SIGPIPE; }

Test(pipe_end, a_pipe_without_a_reader_raises_no_signal)
{
    sigset_t blocked;
    signal(SIGPIPE, count);
    open_pipe();
    close(ends[0]);
    cr_assert_not(bl_pipe_end_write(&end, "one", 3));
    cr_assert_eq(signals, 0);
    cr_assert_eq(sigprocmask(SIG_SETMASK, NULL, &blocked), 0);
    cr_assert_not(sigismember(&blocked, SIGPIPE));
    raise(SIGPIPE);
    cr_assert_eq(signals, 1, "the program's own signals still arrive");
}

Test(pipe_end, a_fork_of_the_process_writes_nothing)
{
    open_pipe();
    const pid_t child = fork();
    if (child == 0)
        _exit(bl_pipe_end_write(&end, "one", 3));
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert(bl_pipe_end_write(&end, "two", 3));
    cr_assert_str_eq(read_some(3), "two");
}

Test(pipe_end, the_pipe_has_a_low_descriptor_if_no_high_one_is_free)
{
    const struct rlimit few = {64, 64};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    open_pipe();
    cr_assert_lt(end.descriptor, 64);
    cr_assert(bl_pipe_end_write(&end, "one", 3));
    cr_assert_str_eq(read_some(3), "one");
}

Test(pace, less_is_traced_after_each_quarter_of_a_budget)
{
    const struct bl_budget budget = {1000, 400}, none = {1000, 0};
    cr_assert_eq(bl_pace_at(&budget, 0), BL_PACE_WHOLE);
    cr_assert_eq(bl_pace_at(&budget, 1099), BL_PACE_WHOLE);
    cr_assert_eq(bl_pace_at(&budget, 1100), BL_PACE_FEWER_GROUPS);
    cr_assert_eq(bl_pace_at(&budget, 1200), BL_PACE_ENDS);
    cr_assert_eq(bl_pace_at(&budget, 1300), BL_PACE_FEWER_LAUNCHES);
    cr_assert_eq(bl_pace_at(&budget, UINT64_MAX), BL_PACE_FEWER_LAUNCHES);
    cr_assert_eq(bl_pace_at(&none, UINT64_MAX), BL_PACE_WHOLE);
}

Test(pace, a_budget_is_passed_through_the_environment)
{
    char text[BL_PACE_DESCRIPTION];
    const struct bl_budget budget = {UINT64_MAX, UINT64_MAX - 1};
    bl_budget_describe(&budget, text);
    const struct bl_budget back = bl_budget_of(text);
    cr_assert_eq(back.began_ns, budget.began_ns);
    cr_assert_eq(back.length_ns, budget.length_ns);
    cr_assert_eq(bl_budget_of(NULL).length_ns, 0);
    cr_assert_eq(bl_budget_of("12").length_ns, 0);
    cr_assert_eq(bl_budget_of("").length_ns, 0);
}

static const uint64_t second_ns = 1000000000;

/* LLVM, which OpenCL drivers contain, installs handlers like this one. */
static void handle_once(int number) { raise(number); }

Test(interrupt, signals_are_taken_back_from_handlers_of_drivers_before_a_program_starts)
{
    struct sigaction own, now,
        drivers = {.sa_handler = handle_once, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    signal(SIGHUP, SIG_IGN);
    bl_interrupt_catch();
    sigaction(SIGTERM, NULL, &own);
    sigaction(SIGTERM, &drivers, NULL);
    bl_interrupt_guard(true);
    sigaction(SIGTERM, NULL, &now);
    cr_assert_eq(now.sa_handler, own.sa_handler);
    cr_assert_eq(now.sa_flags & (int)SA_RESETHAND, 0);
    sigaction(SIGHUP, NULL, &now);
    cr_assert_eq(now.sa_handler, SIG_IGN, "an ignored signal stays ignored");
}

Test(trace_watch, after_twenty_seconds_a_hint_is_printed_once)
{
    char text[BL_SLOW_WORDS];
    struct bl_trace_watch watch = bl_trace_watch_begin(0);
    const uint64_t began_ns = watch.budget.began_ns;
    struct bl_trace_kernel kernel = {.last.groups = {17, 1, 1}};
    const struct bl_trace read_so_far = {.kernels = &kernel, .kernel_count = 1};
    watch.trace = &read_so_far;
    watch.sampled = 16;
    watch.groups = 5;
    watch.idle_ns = 15 * second_ns;
    cr_assert_not(bl_trace_watch_hints(&watch, began_ns + 20 * second_ns - 1, text));
    cr_assert(bl_trace_watch_hints(&watch, began_ns + 20 * second_ns, text));
    cr_assert(strstr(text, "--quick") && strstr(text, "--budget 60s"), "%s", text);
    cr_assert_not(bl_trace_watch_hints(&watch, began_ns + 90 * second_ns, text));

    watch.has_hinted = false;
    watch.idle_ns = 5 * second_ns;
    cr_assert(bl_trace_watch_hints(&watch, began_ns + 20 * second_ns, text));
    cr_assert(strstr(text, "--sample first,last"), "%s", text);

    watch.has_hinted = false;
    watch.sampled = 2;
    cr_assert(bl_trace_watch_hints(&watch, began_ns + 20 * second_ns, text));
    cr_assert(!strstr(text, "--sample") && strstr(text, "--limit"), "%s", text);

    watch.has_hinted = false;
    watch.groups = 0;
    cr_assert(bl_trace_watch_hints(&watch, began_ns + 20 * second_ns, text));
    cr_assert(strstr(text, "no work-group has been traced yet"), "%s", text);
}

/* The hint after 20 seconds in which the program hardly ever reported accesses; its launch has
 * `groups` groups. */
static void hint_if_idle(unsigned groups, unsigned sampled, bool is_quick, char text[BL_SLOW_WORDS])
{
    struct bl_trace_kernel kernel = {.last.groups = {groups, 1, 1}};
    const struct bl_trace read_so_far = {.kernels = &kernel, .kernel_count = 1};
    struct bl_trace_watch watch = bl_trace_watch_begin(0);
    watch.groups = 5;
    watch.idle_ns = 19 * second_ns;
    watch.trace = &read_so_far;
    watch.sampled = sampled;
    watch.is_quick = is_quick;
    cr_assert(bl_trace_watch_hints(&watch, watch.budget.began_ns + 20 * second_ns, text));
}

Test(trace_watch, the_hint_blames_untraced_groups_only_if_there_are_any)
{
    static const char blame[] = "simulated but not traced", quick[] = "--quick";
    char text[BL_SLOW_WORDS];
    hint_if_idle(17, 16, false, text);
    cr_expect(strstr(text, blame) && strstr(text, quick), "%s", text);
    hint_if_idle(16, 16, false, text);
    cr_expect(!strstr(text, blame) && !strstr(text, quick), "all are traced: %s", text);
    hint_if_idle(1000, 0, false, text);
    cr_expect(!strstr(text, blame) && !strstr(text, quick), "--sample all: %s", text);
    hint_if_idle(1000, 2, true, text);
    cr_expect(!strstr(text, blame) && !strstr(text, quick), "--quick: %s", text);
}

Test(trace_watch, with_a_budget_a_tenth_is_reserved_and_no_hint_is_printed)
{
    char text[BL_SLOW_WORDS];
    struct bl_trace_watch watch = bl_trace_watch_begin(60);
    cr_assert_eq(watch.budget.length_ns, 54 * second_ns);
    cr_assert_not(bl_trace_watch_hints(&watch, watch.budget.began_ns + 50 * second_ns, text));
}

Test(trace_watch, if_the_program_cannot_be_started_the_pipe_of_its_output_is_closed)
{
    struct bl_trace_watch watch = bl_trace_watch_begin(0);
    cr_assert_eq(pipe(ends), 0);
    watch.output = ends[0];
    watch.output_end = ends[1];
    bl_trace_watch_started(&watch, false);
    cr_assert_eq(fcntl(ends[0], F_GETFD), -1);
    cr_assert_eq(fcntl(ends[1], F_GETFD), -1);
    cr_assert_eq(watch.output, -1);
}
