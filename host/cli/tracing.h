/* A program, or a kernel alone, under Oclgrind: from the options of `trace` to a trace. */
#ifndef BANKLINE_CLI_TRACING_H
#define BANKLINE_CLI_TRACING_H

#include "trace/trace.h"

struct bl_tracing_settings {
    const char *sim; /* a file of oclgrind-kernel, or NULL */
    const char *sample, *optimization;
    unsigned limit; /* accesses of a group */
    bool quick;
    char **environment; /* as bl_environment_copy gives it */
};

/* BL_USAGE for a sample or an optimisation that is none. */
enum bl_status bl_tracing_check_settings(const struct bl_tracing_settings *settings,
                                         struct bl_error *error);

/* Traces the program of `words`, ended by NULL, compiled with this optimisation, into a trace that
 * is empty but for its machine. *ended is as waitpid has it. As bl_traced_start and bl_trace_read.
 */
enum bl_status bl_tracing_run(const struct bl_tracing_settings *settings, const char *const words[],
                              const char *optimization, struct bl_trace *trace, int *ended,
                              struct bl_error *error);

/* BL_OPENCL_FAILED where no kernel ran or the trace was cut short; how the program ended otherwise
 * is told in a note. */
enum bl_status bl_tracing_check(const struct bl_tracing_settings *settings,
                                const struct bl_trace *trace, int status, struct bl_error *error);

#endif
