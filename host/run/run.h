/* A run: an open device, the machine it is compared with, and the items of a plan, measured one by
 * one.
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
    const char *machine;    /* name or file; NULL: the device decides */
    const char *kernel_dir; /* folder; NULL: the embedded kernels */
    bool quick;             /* less time per case */
    double tolerance;       /* tolerance of the verdict, a fraction */
    double precision;       /* noise at which sampling ends, a fraction; 0: the default */
    double seconds;         /* max time to sample a case; 0: the default */
    double deadline;        /* max time of a launch, in s; 0: the default */
    const volatile sig_atomic_t *interrupted; /* stops the run when it is not 0; or NULL */
};

struct bl_trying;

struct bl_run {
    struct bl_bench bench;
    struct bl_device *devices;
    struct bl_machine own_machine; /* a machine read from a file */
    const volatile sig_atomic_t *interrupted;
    struct bl_plan_item *items;
    size_t count;
    /* Prepares item i if its levels need measurements of their own first; or NULL. Any status but
     * BL_OK ends the run. */
    enum bl_status (*prepare)(struct bl_run *run, size_t i, struct bl_error *error);
    struct bl_trying *trying; /* the context of prepare, borrowed */
    char lost_in[512];        /* the case in which the device hung; else empty */
    bool is_over;             /* set by a callback to end the run early, with BL_OK */
};

/* What a run reports to its caller. The texts and structs are valid only during the call. */
struct bl_run_callbacks {
    void *context;
    /* Item i is about to be prepared or measured. */
    void (*begins)(void *context, size_t i);
    /* A row is complete. failure: NULL if the row was not measured, else the measurement's status
     * and, unless that is BL_OK, its sentence. Returns the failure to write the row, if any. */
    enum bl_status (*row)(void *context, const struct bl_row *row, const struct bl_error *failure,
                          struct bl_error *error);
    /* Something other than a measurement failed; no row is lost. */
    void (*failed)(void *context, const char *subject, const struct bl_error *failure);
};

/* Finds the device and the machine that the settings name and opens a session. The caller plans the
 * items, with calloc or bl_plan, and closes the run whatever is returned. Errors as of
 * bl_devices_choose, bl_machine_named and bl_session_open; BL_FILE_FAILED for kernel_dir. */
enum bl_status bl_run_open(const struct bl_run_settings *settings, struct bl_run *run,
                           struct bl_error *error);

/* Frees everything, the items too. Returns whether the device hung: the process must then end by
 * _exit, without the driver's exit handlers. */
bool bl_run_close(struct bl_run *run) __attribute__((warn_unused_result));

/* Whether *run->interrupted is set. */
bool bl_run_is_interrupted(const struct bl_run *run);

/* Measures the items in order and reports a row for each, even for items that cannot run. If a row
 * cannot be written, the others are still measured, and the first such failure is returned at the
 * end. BL_INTERRUPTED is returned at once. */
enum bl_status bl_run_measure(struct bl_run *run, const struct bl_run_callbacks *callbacks,
                              struct bl_error *error);

#endif
