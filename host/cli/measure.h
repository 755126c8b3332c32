/* What measuring commands share: the device and the machine, then a plan's items one by one into
 * the table and the files. */
#ifndef BANKLINE_CLI_MEASURE_H
#define BANKLINE_CLI_MEASURE_H

#include "cli/output.h"
#include "run/measure_case.h"

struct bl_measure_settings {
    const char *device;     /* selector, or NULL */
    const char *machine;    /* name or file, or NULL: the device decides */
    const char *kernel_dir; /* folder, or NULL: the embedded kernels */
    struct bl_plan_settings plan;
    double tolerance; /* a fraction */
    double precision; /* a fraction, at which sampling ends; 0: the default */
    double seconds;   /* of sampling a case; 0: the default */
    double deadline;  /* s, of a launch; 0: the default */
    bool strict, quiet;
    struct bl_output_settings output;
};

#define BL_MEASURE_DEFAULTS \
    {                       \
        .tolerance = 0.05   \
    }

/* The table is in measure.c, beside what uses it. */
extern const struct bl_option bl_measure_options[];

/* The parts of a command whose settings have a struct bl_measure_settings at this offset. */
#define BL_MEASURE_PARTS(at)                                                                     \
    {.options = bl_measure_options, .offset = at},                                               \
        {.options = bl_plan_options, .offset = at + offsetof(struct bl_measure_settings, plan)}, \
        {.options = bl_results_options,                                                          \
         .offset = at + offsetof(struct bl_measure_settings, output)},                           \
    {                                                                                            \
        .option = bl_run_format_option,                                                          \
        .offset = at + offsetof(struct bl_measure_settings, output)                              \
    }

struct bl_try_levels;

struct bl_run {
    const struct bl_measure_settings *settings;
    struct bl_bench bench;
    struct bl_device *devices;
    struct bl_machine own_machine; /* of a machine that was read from a file */
    struct bl_plan_item *items;
    size_t count;
    /* Called before an item is measured, where what comes before it must be; or NULL. Other than
     * BL_OK ends the run. */
    enum bl_status (*prepare)(struct bl_run *run, size_t i, struct bl_error *error);
    struct bl_try_levels *levels; /* its own, borrowed */
    struct bl_output output;
    char lost_in[512]; /* the case in which the device was lost, or empty */
    bool progress;     /* on a terminal, a line that the next row overwrites */
    uint64_t began_ns; /* when measuring began, on the host's clock */
    size_t measured;   /* items so far */
    char last_log[sizeof((struct bl_error *)0)->log]; /* a log is shown once */
    enum bl_status worst; /* of the rows: what the exit status is made from */
};

/* Finds the device and the machine that the settings name and opens a session. bl_run_close frees
 * everything, the items too, whatever is returned. */
enum bl_status bl_run_open(const struct bl_measure_settings *settings, struct bl_run *run,
                           struct bl_error *error);
void bl_run_close(struct bl_run *run);

/* Whether a run's device hung: then the process must not end through the driver's own end. */
bool bl_run_lost_a_device(void);

/* Measures run->items and writes their rows, items that cannot run included; with is_predicted
 * nothing is measured, and the rows say so. Returns the first failure of a file, else the worst of
 * the rows. */
enum bl_status bl_run_items(struct bl_run *run, struct bl_error *error);

/* Tells a failure about `subject` on standard error, with its log when it is a new one. */
void bl_run_tell(struct bl_run *run, const char *subject, const struct bl_error *error);

#endif
