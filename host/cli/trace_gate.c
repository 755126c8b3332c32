/* Saves and compares traces (trace_gate.h).
 *
 * Comparisons that would be meaningless are rejected. Two things are rejected before the program
 * runs: a budget, because the traced groups would depend on the time that the program takes; and a
 * machine other than the saved trace's, because all numbers depend on the machine's rules. Other
 * options that differ are rejected when the traces are compared. */
#include "cli/trace_gate.h"

#include <string.h>

#include "report/json_values.h"
#include "report/layout.h"
#include "trace/gate.h"

const struct bl_option bl_trace_gate_options[] = {
    {"save", "FILE", "save the trace to FILE, for --against with later versions of the program",
     BL_TEXT(struct bl_trace_gate_settings, save), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"against", "FILE",
     "report only what changed since FILE was saved, on the terminal and in the other files. Exits "
     "with 1 if a kernel costs more by the model, a kernel is missing or an access has lost its "
     "rule; with 3 if the program or a launch failed",
     BL_TEXT(struct bl_trace_gate_settings, against), .completes = BL_COMPLETE_FILES},
    {"threshold", "PCT", "with --against: allowed growth of costs (default 2%)",
     BL_PERCENT(struct bl_trace_gate_settings, threshold)},
    {"junit", "FILE", "with --against: write JUnit XML, a test case for each kernel",
     BL_TEXT(struct bl_trace_gate_settings, junit), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"bencher", "FILE", "write each kernel's clocks and requests in Bencher's metric format",
     BL_TEXT(struct bl_trace_gate_settings, bencher), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {0},
};

enum bl_status bl_trace_gate_check(const struct bl_trace_gate_settings *settings, bool has_budget,
                                   struct bl_error *error)
{
    if (settings->junit && !settings->against)
        return bl_fail(error, BL_USAGE,
                       "--junit needs --against, because it writes the results of a comparison");
    if (settings->threshold >= 0 && !settings->against)
        return bl_fail(error, BL_USAGE,
                       "--threshold limits the growth since a saved trace, but --against is "
                       "missing");
    if ((settings->save || settings->against) && has_budget)
        return bl_fail(error, BL_USAGE,
                       "--budget chooses the traced groups by time, so the trace cannot be "
                       "compared: with %s, use --sample or --quick instead",
                       settings->save ? "--save" : "--against");
    if (settings->bencher && bl_json_is_built(error) != BL_OK)
        return BL_USAGE;
    return BL_OK;
}

enum bl_status bl_trace_gate_machine(const struct bl_saved_trace *saved, const char *path,
                                     const struct bl_machine **machine, struct bl_error *error)
{
    if (!*machine && bl_machine_find(saved->machine, machine, error) != BL_OK)
        return bl_fail(
            error, BL_USAGE,
            "%s is for machine '%s', which was read from a file; name that file with --machine",
            path, saved->machine);
    return bl_gate_check_machine(saved, (*machine)->name, bl_saved_machine_hash(*machine), error);
}

/* The allowed growth of costs, a fraction, unless --threshold sets another. */
static const double default_threshold = 0.02;

static FILE *stream_of(struct bl_file *file) { return file ? bl_file_stream(file) : NULL; }

/* Writes the documents of a comparison; returns the first failure. */
static enum bl_status write_changes(const struct bl_gate *gate,
                                    const struct bl_trace_gate_files *files, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    if (files->csv)
        bl_gate_csv(stream_of(files->csv), gate);
    if (files->markdown)
        bl_gate_markdown(stream_of(files->markdown), gate);
    if (files->json)
        status = bl_gate_json(stream_of(files->json), gate, error);
    if (files->junit && status == BL_OK)
        status = bl_gate_junit(stream_of(files->junit), gate, error);
    return status;
}

enum bl_status bl_trace_gate_write(const struct bl_trace_gate_settings *settings,
                                   const struct bl_saved_trace *before,
                                   const struct bl_saved_trace *now, FILE *table,
                                   const struct bl_trace_gate_files *files, struct bl_error *error)
{
    struct bl_gate gate = {.before = before};
    enum bl_status status = BL_OK;
    if (files->save)
        status = bl_saved_write(stream_of(files->save), now, error);
    if (files->bencher && status == BL_OK)
        status = bl_saved_bencher(stream_of(files->bencher), now, error);
    if (!before || status != BL_OK)
        return status;
    if (strcmp(before->tool, now->tool) != 0)
        bl_print(
            stderr,
            "note: %s was saved by bankline %s; this is %s, so predicted times are not compared\n",
            settings->against, before->tool, now->tool);
    status = bl_gate_compare(before, now,
                             settings->threshold < 0 ? default_threshold : settings->threshold,
                             &gate, error);
    if (status == BL_OK) {
        bl_gate_table(table, &gate, settings->against);
        status = write_changes(&gate, files, error);
    }
    if (status == BL_OK && bl_gate_bad(&gate) > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu dearer, %zu missing%s",
                         gate.counts[BL_GATE_DEARER], gate.counts[BL_GATE_MISSING],
                         gate.lost_rules ? "; some accesses have lost their rule" : "");
    bl_gate_free(&gate);
    return status;
}
