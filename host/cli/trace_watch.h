/* The reporting around a traced program: while it runs, and about how it ended. */
#ifndef BANKLINE_CLI_TRACE_WATCH_H
#define BANKLINE_CLI_TRACE_WATCH_H

#include "cli/output.h"
#include "trace/program.h"
#include "trace/reader.h"

struct bl_trace_watch {
    struct bl_traced_program program;
    struct bl_budget budget; /* began_ns is set even without a budget */
    struct bl_progress progress;
    uint64_t groups, shown_ns, idle_ns; /* idle: nothing was reported */
    uint64_t last_ns; /* time of the last bl_trace_watch_idle, or of the last group */
    bool is_over;     /* whether the budget is used up */
    bool has_hinted;
    /* On a terminal, where progress must make way for it, what the program prints goes through this
     * pipe; output is -1 elsewhere. */
    int output, output_end;
    bool has_open_line; /* the program has printed a line without its end */
};

/* budget_s: 0 for none. A tenth of it is kept for the work after the program. Each begin requires a
 * bl_trace_watch_end. */
struct bl_trace_watch bl_trace_watch_begin(double budget_s);

/* Once the program has been started. */
void bl_trace_watch_started(struct bl_trace_watch *watch);

/* Waits for the program, or stops it, and passes on its remaining output. Returns the status
 * of bl_traced_end. */
int bl_trace_watch_end(struct bl_trace_watch *watch, bool has_to_stop);

/* Callbacks for struct bl_trace_progress, whose context is the watch. is_interrupted: by a signal,
 * or because the budget is used up. */
void bl_trace_watch_group(void *watch, const struct bl_trace *trace);
bool bl_trace_watch_is_interrupted(void *watch);
void bl_trace_watch_idle(void *watch);

/* True once the program has run for 20 s without a budget: then text explains how to make it
 * faster, depending on what takes the time. */
enum { BL_SLOW_S = 20, BL_SLOW_WORDS = 400 };
bool bl_trace_watch_hints(struct bl_trace_watch *watch, uint64_t now_ns, char text[BL_SLOW_WORDS]);

/* How the traced process ended. */
struct bl_trace_end {
    int status;         /* of waitpid */
    bool is_simulation; /* it was oclgrind-kernel */
    bool is_over;       /* the budget ended it */
    double budget_s;
};

/* Whether the trace is complete, which a comparison requires: BL_OPENCL_FAILED if the program ended
 * with another exit status than when it was saved (`before`, NULL for 0), or Oclgrind aborted a
 * launch. What bl_trace_check reports is BL_OK here. */
enum bl_status bl_trace_check_comparable(const struct bl_trace *trace,
                                         const struct bl_trace_end *end, const char *before,
                                         struct bl_error *error);

/* BL_OPENCL_FAILED if no kernel ran or the trace was cut short, unless by the budget. A program
 * that failed otherwise gets a note. */
enum bl_status bl_trace_check(const struct bl_trace *trace, const struct bl_trace_end *end,
                              struct bl_error *error);

#endif
