/* What measuring commands share: the device and the machine, then a plan's items one by one into
 * the table and the files. */
#ifndef BANKLINE_CLI_MEASURE_H
#define BANKLINE_CLI_MEASURE_H

#include "cli/options.h"
#include "cli/output.h"
#include "report/table.h"
#include "run/measure_case.h"

struct bl_run {
    const struct bl_options *options;
    struct bl_bench bench;
    struct bl_device *devices;
    struct bl_machine own_machine; /* of a machine that was read from a file */
    struct bl_plan_item *items;
    size_t count;
    struct bl_output output;
    char lost_in[512]; /* the case in which the device was lost, or empty */
    struct bl_table table;
    bool progress; /* on a terminal, a line that the next row overwrites */
    char last_log[sizeof((struct bl_error *)0)->log]; /* a log is shown once */
    enum bl_status worst; /* of the rows: what the exit status is made from */
};

/* Finds the device and the machine that the options name and opens a session. bl_run_close frees
 * everything, the items too, whatever is returned. */
enum bl_status bl_run_open(const struct bl_options *options, struct bl_run *run,
                           struct bl_error *error);
void bl_run_close(struct bl_run *run);

/* Whether a run's device hung: then the process must not end through the driver's own end. */
bool bl_run_lost_a_device(void);

/* Measures run->items and writes their rows, items that cannot run included. Returns the first
 * failure of a file, else the worst of the rows. */
enum bl_status bl_run_items(struct bl_run *run, struct bl_error *error);

/* Tells a failure about `subject` on standard error, with its log when it is a new one. */
void bl_run_tell(struct bl_run *run, const char *subject, const struct bl_error *error);

#endif
