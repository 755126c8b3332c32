/* What all measuring commands have in common: options, and a run (run/run.h) whose rows go to the
 * table and the files and determine the exit status. */
#ifndef BANKLINE_CLI_MEASURE_H
#define BANKLINE_CLI_MEASURE_H

#include "cli/output.h"
#include "report/run.h"
#include "run/plan.h"
#include "run/run.h"

struct bl_measure_settings {
    struct bl_run_settings run; /* settings of the run; bl_measuring_open sets `quick` (to
                                   plan.quick) and all members from `interrupted` on */
    struct bl_plan_filter plan; /* the settings of the plan, except selectors */
    bool strict, quiet;
    struct bl_output_settings output;
};

#define BL_MEASURE_DEFAULTS   \
    {                         \
        .run.tolerance = 0.05 \
    }

extern const struct bl_option bl_measure_options[];

/* The option parts of a command. `at` is the offset of the struct bl_measure_settings in the
 * command's settings. */
#define BL_MEASURE_PARTS(at)                                                                     \
    {.options = bl_measure_options, .offset = at},                                               \
        {.options = bl_plan_options, .offset = at + offsetof(struct bl_measure_settings, plan)}, \
        {.options = bl_results_options,                                                          \
         .offset = at + offsetof(struct bl_measure_settings, output)},                           \
    {                                                                                            \
        .option = bl_run_format_option,                                                          \
        .offset = at + offsetof(struct bl_measure_settings, output)                              \
    }

struct bl_measuring {
    const struct bl_measure_settings *settings;
    const struct bl_plan_filter *asked; /* the cases asked for, borrowed; NULL for `try` */
    struct bl_run run;
    struct bl_output output;
    struct bl_progress progress;
    uint64_t began_ns;       /* time at which measuring began, by the host's clock, in ns */
    size_t measured;         /* number of items measured so far */
    enum bl_status worst;    /* the worst status of the rows so far; determines the exit status */
    bool keeps;              /* whether to copy the rows to `kept`; set before measuring */
    struct bl_run_rows kept; /* the description of the run, and the kept rows in the order of
                                measuring; freed by bl_measuring_close */
    char last_log[sizeof((struct bl_error *)0)->log]; /* the log printed last; the same log is not
                                                         printed twice in a row */
};

/* Checks that the output files differ from each other and from the inputs (a machine file, kernel
 * sources), and opens the run. Close the run even after a failure. Fails with BL_USAGE, or as
 * bl_run_open does. */
enum bl_status bl_measuring_open(const struct bl_measure_settings *settings,
                                 struct bl_measuring *measuring, struct bl_error *error);
void bl_measuring_close(struct bl_measuring *measuring);

/* Measures the run's items and writes a row for each, also for items that cannot run. Returns
 * BL_INTERRUPTED, else the first failure to prepare an item or to write a file, else the worst
 * status of the rows. */
enum bl_status bl_measuring_rows(struct bl_measuring *measuring, struct bl_error *error);

/* Prints a failure, with its subject, on standard error. The failure's log is printed unless the
 * previous log was the same. */
void bl_measuring_tell(struct bl_measuring *measuring, const char *subject,
                       const struct bl_error *failure);

#endif
