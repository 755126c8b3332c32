/* Saves a trace, and compares a trace with a saved trace: the options, the checks before the
 * program runs, and the output after it has ended. */
#ifndef BANKLINE_CLI_TRACE_GATE_H
#define BANKLINE_CLI_TRACE_GATE_H

#include "base/file.h"
#include "cli/command.h"
#include "trace/gate.h"

struct bl_trace_gate_settings {
    const char *save, *against, *junit, *bencher; /* files, or NULL */
    double threshold;                             /* a fraction; below 0: not given */
};

#define BL_TRACE_GATE_DEFAULTS \
    {                          \
        .threshold = -1        \
    }

extern const struct bl_option bl_trace_gate_options[];

/* Fails with BL_USAGE if an option requires another option that is not given, if --save or
 * --against is combined with --budget (has_budget), or if --bencher is given but bankline was built
 * without JSON. */
enum bl_status bl_trace_gate_check(const struct bl_trace_gate_settings *settings, bool has_budget,
                                   struct bl_error *error);

/* Checks that *machine is the machine of the saved trace, whose file is `path`. If *machine is
 * NULL, finds the machine. Fails with BL_USAGE if *machine is another machine or has another
 * description, or if the machine to find is not built in. */
enum bl_status bl_trace_gate_machine(const struct bl_saved_trace *saved, const char *path,
                                     const struct bl_machine **machine, struct bl_error *error);

/* Open files; each may be NULL. */
struct bl_trace_gate_files {
    struct bl_file *save, *junit, *bencher;
    struct bl_file *csv, *json, *markdown; /* receive the comparison, if there is one */
};

/* Writes the trace `now` to the files `save` and `bencher`. If `before` is not NULL, also compares
 * the two traces, prints what changed to `table`, and writes the comparison to the other files.
 * Fails with BL_BAD_NEWS if bl_gate_bad is above 0; otherwise fails as bl_gate_compare and the
 * functions that write the formats do. */
enum bl_status bl_trace_gate_write(const struct bl_trace_gate_settings *settings,
                                   const struct bl_saved_trace *before,
                                   const struct bl_saved_trace *now, FILE *table,
                                   const struct bl_trace_gate_files *files, struct bl_error *error);

#endif
