/* The common part of all commands that measure: options, and a run (run/run.h) whose rows go to the
 * table and the files and determine the exit status. */
#ifndef BANKLINE_CLI_MEASURE_H
#define BANKLINE_CLI_MEASURE_H

#include "cli/output.h"
#include "run/plan.h"
#include "run/run.h"

struct bl_measure_settings {
    struct bl_run_settings run; /* without `quick`, which is in plan, and `interrupted` */
    struct bl_plan_filter plan; /* without selectors */
    bool strict, quiet;
    struct bl_output_settings output;
};

#define BL_MEASURE_DEFAULTS   \
    {                         \
        .run.tolerance = 0.05 \
    }

extern const struct bl_option bl_measure_options[];

/* The option parts of a command whose settings have a struct bl_measure_settings at this offset. */
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
    const struct bl_plan_filter *asked; /* what was asked for, borrowed; NULL for `try` */
    struct bl_run run;
    struct bl_output output;
    struct bl_progress progress;
    uint64_t began_ns;       /* start, by the host's clock */
    size_t measured;         /* number of items measured so far */
    enum bl_status worst;    /* the rows' worst status, for the exit status */
    bool keeps;              /* set before measuring: whether rows are kept for the caller */
    struct bl_run_rows kept; /* in the order of measuring; freed by bl_measuring_close */
    char last_log[sizeof((struct bl_error *)0)->log]; /* the last log printed, so no log is repeated
                                                       */
};

/* Checks that the files of the settings differ, and opens the run. Close it whatever is returned.
 * Fails with BL_USAGE, or as bl_run_open does. */
enum bl_status bl_measuring_open(const struct bl_measure_settings *settings,
                                 struct bl_measuring *measuring, struct bl_error *error);
void bl_measuring_close(struct bl_measuring *measuring);

/* Measures the run's items and writes their rows, also for items that cannot run. Returns the first
 * failure of a file, or else the worst status of the rows. */
enum bl_status bl_measuring_rows(struct bl_measuring *measuring, struct bl_error *error);

/* Prints a failure about `subject` on standard error, with its log unless that was just printed. */
void bl_measuring_tell(struct bl_measuring *measuring, const char *subject,
                       const struct bl_error *failure);

/* Closes a run that a command opened itself. */
void bl_end_run(struct bl_run *run);

/* Whether the device of a run hung; the process must then end by _exit. */
bool bl_lost_a_device(void);

#endif
