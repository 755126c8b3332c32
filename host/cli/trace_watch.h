/* Reports on a traced program: its progress while it runs, and how it ended. */
#ifndef BANKLINE_CLI_TRACE_WATCH_H
#define BANKLINE_CLI_TRACE_WATCH_H

#include "cli/output.h"
#include "trace/program.h"
#include "trace/reader.h"

struct bl_trace_watch {
    struct bl_traced_program program;
    struct bl_budget budget; /* length_ns is 0 without a budget; began_ns is always set */
    struct bl_progress progress;
    uint64_t groups, shown_ns, idle_ns; /* groups traced so far; when the progress line was last
                                           updated; total time of waiting for the program */
    uint64_t last_ns; /* time of the last call of bl_trace_watch_idle, or of the last group */
    bool is_over;     /* whether the budget is used up */
    bool has_hinted;
    /* For the hint; set by the caller: */
    unsigned sampled; /* max number of groups that are traced of each launch; 0 for all */
    bool is_quick;    /* only groups that are traced run (--quick) */
    const struct bl_trace *trace; /* the trace that is read; NULL before its first group */
    /* On a terminal, the program's output goes through this pipe, so that the progress line can be
     * removed before the program prints. Without a terminal, `output` is -1. */
    int output, output_end;
    bool has_open_line; /* whether the program's last line is incomplete; then no progress line is
                           shown */
};

/* Begins watching. budget_s: budget in seconds; 0 for no limit. The program may use nine tenths of
 * it; the rest is for the work after the program. Until the watch ends, a repeated signal does not
 * end bankline, which first has to stop the program (bl_interrupt_guard). */
struct bl_trace_watch bl_trace_watch_begin(double budget_s);

/* Call this function after bl_traced_start. If the program runs, call bl_trace_watch_end later; if
 * it could not be started (is_running is false), this function ends the watch. */
void bl_trace_watch_started(struct bl_trace_watch *watch, bool is_running);

/* Waits for the program to end (or stops it, if has_to_stop is set or a signal arrives), and prints
 * the rest of its output. Returns what bl_traced_end returns. */
int bl_trace_watch_end(struct bl_trace_watch *watch, bool has_to_stop);

/* Callbacks for struct bl_trace_progress; their context is the watch. is_interrupted is true after
 * a signal, or once the budget is used up. */
void bl_trace_watch_group(void *watch, const struct bl_trace *trace);
bool bl_trace_watch_is_interrupted(void *watch);
void bl_trace_watch_idle(void *watch);

/* Returns true once, after a program without a budget has run for BL_SLOW_S seconds. `text` then
 * says what takes the time, and how to trace the program faster. */
enum { BL_SLOW_S = 20, BL_SLOW_WORDS = 400 };
bool bl_trace_watch_hints(struct bl_trace_watch *watch, uint64_t now_ns, char text[BL_SLOW_WORDS]);

/* How the traced process ended. */
struct bl_trace_end {
    int status;         /* status of the process, from waitpid */
    bool is_simulation; /* whether the process was oclgrind-kernel, which runs a single kernel */
    bool is_over;       /* whether the process was stopped because the budget was used up */
    double budget_s;
};

/* Checks that the trace can be compared with a saved trace, whose program's exit status was
 * `before` (NULL: 0). Fails with BL_OPENCL_FAILED if Oclgrind aborted a launch, or if the program's
 * exit status is neither 0 nor `before`. Returns BL_OK for failures that bl_trace_check reports. */
enum bl_status bl_trace_check_comparable(const struct bl_trace *trace,
                                         const struct bl_trace_end *end, const char *before,
                                         struct bl_error *error);

/* Fails with BL_OPENCL_FAILED if no kernel ran; also if a signal ended the program or the trace was
 * cut short, unless the budget was used up. Prints a note if the program failed in another way. */
enum bl_status bl_trace_check(const struct bl_trace *trace, const struct bl_trace_end *end,
                              struct bl_error *error);

#endif
