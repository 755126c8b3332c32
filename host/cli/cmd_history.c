#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/series.h"
#include "history/database.h"

static enum bl_status add(struct bl_history *history, const struct bl_options *options,
                          struct bl_error *error)
{
    for (size_t i = 1; i < options->case_count; i++) {
        bool added;
        const enum bl_status status = bl_history_add(history, options->cases[i], &added, error);
        if (status != BL_OK)
            return status;
        if (!options->quiet)
            printf("%s: %s\n", options->cases[i], added ? "added" : "was there already");
    }
    return BL_OK;
}

static void print_run(void *context, const struct bl_history_run *run)
{
    size_t *count = context;
    if ((*count)++ == 0)
        printf("%-20s %-28s %5s %9s  %-24s %-16s %s\n", "time", "run", "rows", "no number",
               "device", "driver", "bankline");
    printf("%-20s %-28s %5u %9u  %-24.24s %-16.16s %s\n", run->time_utc, run->run_id, run->rows,
           run->without_number, run->device, run->driver, run->tool_version);
}

static enum bl_status list(struct bl_history *history, const struct bl_options *options,
                           struct bl_error *error)
{
    (void)options;
    size_t count = 0;
    const enum bl_status status = bl_history_runs(history, print_run, &count, error);
    if (status == BL_OK)
        printf("%zu run%s\n", count, count == 1 ? "" : "s");
    return status;
}

static enum bl_status with_series(struct bl_history *history, const struct bl_options *options,
                                  void (*print)(const struct bl_series *series,
                                                const struct bl_options *options),
                                  struct bl_error *error)
{
    struct bl_series *series;
    size_t count;
    const enum bl_status status =
        bl_series_read(history, options->cases[1], options->device, &series, &count, error);
    for (size_t i = 0; i < count && status == BL_OK; i++)
        print(&series[i], options);
    bl_series_free(series, count);
    if (status != BL_OK || count > 0)
        return status;
    return bl_fail(error, BL_UNKNOWN_CASE, "the history has no case '%s'%s%s", options->cases[1],
                   options->device ? " of device " : "", options->device ? options->device : "");
}

static enum bl_status show(struct bl_history *history, const struct bl_options *options,
                           struct bl_error *error)
{
    return with_series(history, options, bl_series_show, error);
}

static enum bl_status since(struct bl_history *history, const struct bl_options *options,
                            struct bl_error *error)
{
    return with_series(history, options, bl_series_since, error);
}

static enum bl_status compare(struct bl_history *history, const struct bl_options *options,
                              struct bl_error *error)
{
    struct bl_run_file now = {0}, typical = {0};
    unsigned runs = 0;
    enum bl_status status = bl_run_file_read(options->cases[1], &now, error);
    if (status == BL_OK)
        status = bl_history_typical(history, &now.about, (unsigned)options->runs, &typical, &runs,
                                    error);
    if (status == BL_OK && runs == 0) {
        printf("the history has no other run of %s: nothing to compare with\n", now.about.device);
    } else if (status == BL_OK) {
        if (!options->quiet)
            printf("against the median of the last %u run%s of %s\n", runs, runs == 1 ? "" : "s",
                   now.about.device);
        const char *const names[] = {"the history", options->cases[1]};
        status = bl_comparison_select(options->cases + 2, options->case_count - 2, &typical, &now,
                                      error);
        if (status == BL_OK)
            status = bl_comparison_report(options, &typical, &now, names, error);
    }
    bl_run_file_free(&typical);
    bl_run_file_free(&now);
    return status;
}

static enum bl_status export(struct bl_history *history, const struct bl_options *options,
                             struct bl_error *error) {
    return bl_series_export(history, options->csv, error);
}

static const struct {
    const char *name;
    enum bl_status (*act)(struct bl_history *history, const struct bl_options *options,
                          struct bl_error *error);
    size_t min, max; /* arguments */
    const char *wants;
} actions[] = {
    {"add", add, 1, SIZE_MAX, "RUN.csv..."},
    {"list", list, 0, 0, "nothing more"},
    {"show", show, 1, 1, "a CASE, an id or a glob"},
    {"compare", compare, 1, SIZE_MAX, "a RUN.csv, and CASEs if not all"},
    {"export", export, 0, 0, "nothing more, or --csv FILE"},
    {"since", since, 1, 1, "a CASE, an id or a glob"},
};

enum bl_status bl_command_history(const struct bl_options *options, struct bl_error *error)
{
    const char *name = options->case_count ? options->cases[0] : "";
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(name, actions[i].name) != 0)
            continue;
        const size_t arguments = options->case_count - 1;
        if (arguments < actions[i].min || arguments > actions[i].max)
            return bl_fail(error, BL_USAGE, "'history %s' wants %s", name, actions[i].wants);
        const bool takes_documents = actions[i].act == compare;
        for (unsigned d = 0; d < BL_DOCUMENT_COUNT && !takes_documents; d++)
            if (options->documents[d])
                return bl_fail(error, BL_USAGE,
                               "'history %s' writes no such document as %s; "
                               "'history compare' does",
                               name, options->documents[d]);
        if (options->csv && !takes_documents && actions[i].act != export)
            return bl_fail(error, BL_USAGE, "'history %s' takes no --csv; export and compare do",
                           name);
        struct bl_history *history;
        enum bl_status status =
            bl_history_open(options->db, actions[i].act != add, &history, error);
        if (status == BL_OK)
            status = actions[i].act(history, options, error);
        bl_history_close(history);
        return status;
    }
    return bl_fail(error, BL_USAGE,
                   "'history %s': add RUN.csv..., list, show CASE, compare RUN.csv, since CASE and "
                   "export are right",
                   name);
}
