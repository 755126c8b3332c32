/* A run: a device in use with the machine that it is held against, and the items of a plan,
 * measured one by one.
 *
 * It knows of no options, files or terminals: what happens is reported to callbacks, and the caller
 * decides where rows go and what they mean for the exit status.
 */
#ifndef BANKLINE_RUN_RUN_H
#define BANKLINE_RUN_RUN_H

#include <signal.h>

#include "run/measure_case.h"

struct bl_run_settings {
    const char *device;     /* selector (bl_device_select), or NULL */
    const char *machine;    /* name or file, or NULL: the device decides */
    const char *kernel_dir; /* folder, or NULL: the embedded kernels */
    bool quick;             /* less time for each case */
    double tolerance;       /* a fraction, of the verdict */
    double precision;       /* a fraction, at which sampling ends; 0: the default */
    double seconds;         /* of sampling a case; 0: the default */
    double deadline;        /* s, of a launch; 0: the default */
    const volatile sig_atomic_t *interrupted; /* not 0: stop; or NULL */
};

struct bl_trying;

struct bl_run {
    struct bl_bench bench;
    struct bl_device *devices;
    struct bl_machine own_machine; /* one that was read from a file */
    const volatile sig_atomic_t *interrupted;
    struct bl_plan_item *items;
    size_t count;
    /* Prepares item i, whose levels need measurements of their own first; or NULL. Other than BL_OK
     * ends the run. */
    enum bl_status (*prepare)(struct bl_run *run, size_t i, struct bl_error *error);
    struct bl_trying *trying; /* what prepare works with, borrowed */
    char lost_in[512];        /* the case in which the device hung, or empty */
    bool is_over;             /* set by a callback to end the run early, with BL_OK */
};

/* What a run reports to its caller. The texts and structs are valid during the call alone. */
struct bl_run_callbacks {
    void *context;
    /* Item i is prepared, or measured, now. */
    void (*begins)(void *context, size_t i);
    /* A row is complete. failure: NULL where the row was not measured, else its measurement's
     * status and, unless that is BL_OK, its sentence. Returns the failure to write the row, if any.
     */
    enum bl_status (*row)(void *context, const struct bl_row *row, const struct bl_error *failure,
                          struct bl_error *error);
    /* Something other than a measurement failed; no row is lost. */
    void (*failed)(void *context, const char *subject, const struct bl_error *failure);
};

/* Finds the device and the machine that the settings name and opens a session; items are the
 * caller's to plan, with calloc or bl_plan. Close the run whatever is returned. As
 * bl_devices_choose, bl_machine_named and bl_session_open; BL_FILE_FAILED for kernel_dir. */
enum bl_status bl_run_open(const struct bl_run_settings *settings, struct bl_run *run,
                           struct bl_error *error);

/* Frees everything, the items too. Returns whether the device hung: then the process must end by
 * _exit, without the driver's exit handlers. */
bool bl_run_close(struct bl_run *run) __attribute__((warn_unused_result));

/* Whether run->interrupted says to stop. */
bool bl_run_is_interrupted(const struct bl_run *run);

/* Measures the items in order and reports a row for each, also for those that cannot run. If a row
 * cannot be written, the others are measured all the same, and the first such failure is returned
 * at the end. BL_INTERRUPTED is returned at once. */
enum bl_status bl_run_measure(struct bl_run *run, const struct bl_run_callbacks *callbacks,
                              struct bl_error *error);

#endif
