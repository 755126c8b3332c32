/* A run: an open device, the machine whose predictions the run tests, and the items of a plan,
 * measured one after another.
 *
 * A run knows nothing of options, files or terminals. It reports rows and progress through
 * callbacks; the caller decides where rows go and what exit status follows. */
#ifndef BANKLINE_RUN_RUN_H
#define BANKLINE_RUN_RUN_H

#include <signal.h>

#include "run/measure_case.h"

struct bl_run_settings {
    const char *device;     /* selector (bl_device_select), or NULL */
    const char *machine;    /* name or file of a machine; NULL for the machine that describes the
                               device */
    const char *kernel_dir; /* folder of kernel sources; NULL for the embedded sources */
    bool quick;             /* whether to spend less time per case */
    double tolerance; /* max distance from the prediction that the verdict allows, a fraction */
    double precision; /* sampling ends when noise moves the ratio by at most this fraction; 0 for
                         the default */
    double seconds;   /* time for the samples of a case, in s; 0 for the default */
    double deadline;  /* max time of a launch, in s; 0 for the default */
    const volatile sig_atomic_t *interrupted;      /* nonzero stops the run; may be NULL */
    void (*building)(void *context, bool is_over); /* see struct bl_wait_limits */
    void *context;
};

struct bl_trying;

struct bl_run {
    struct bl_bench bench;
    struct bl_device *devices;
    struct bl_machine own_machine; /* the run's machine, if read from a file */
    const volatile sig_atomic_t *interrupted;
    struct bl_plan_item *items;
    size_t count;
    /* Called before item i is measured, to measure the memory levels on which the item's prediction
     * depends; may be NULL. If it fails, item i gets no row, and bl_run_measure returns the first
     * such failure at the end. */
    enum bl_status (*prepare)(struct bl_run *run, size_t i, struct bl_error *error);
    struct bl_trying *trying; /* the trials that `prepare` works on; borrowed */
    char lost_in[512];        /* the case or preparation in which the device hung; else empty */
    bool is_over;             /* set by a callback to end the run early, which is not a failure */
};

/* Callbacks of a run. Their arguments are valid only during the call. */
struct bl_run_callbacks {
    void *context;
    /* Called when item i is about to be prepared or measured; may be NULL. */
    void (*begins)(void *context, size_t i);
    /* Receives a complete row. failure: NULL if the row was not measured; otherwise the
     * measurement's status (BL_OK if it succeeded) and its message. Returns a status other
     * than BL_OK if the row could not be written. */
    enum bl_status (*row)(void *context, const struct bl_row *row, const struct bl_error *failure,
                          struct bl_error *error);
    /* Receives a failure that occurred outside the measurements and does not affect the rows.
     * subject: what failed, such as the warm-up. May be NULL. */
    void (*failed)(void *context, const char *subject, const struct bl_error *failure);
};

/* Finds the device and the machine that the settings name, and opens a session. Afterwards the
 * caller sets `items` (from calloc or bl_plan) and `count`. Close the run even after a failure.
 * Fails as bl_devices_choose, bl_machine_named and bl_session_open do, and with BL_FILE_FAILED if
 * kernel_dir cannot be read. */
enum bl_status bl_run_open(const struct bl_run_settings *settings, struct bl_run *run,
                           struct bl_error *error);

/* Frees everything, including the items. Returns true if a launch did not end
 * (bl_session_is_lost). The process must then end by _exit(), because the driver's exit handlers
 * may hang, too. */
bool bl_run_close(struct bl_run *run) __attribute__((warn_unused_result));

/* Whether *run->interrupted is set. */
bool bl_run_is_interrupted(const struct bl_run *run);

/* Measures the items in order and reports a row for each, also for items that cannot run. If a row
 * cannot be written or `prepare` fails, the remaining items are measured anyway, and the first
 * failure is returned at the end. An interruption ends the run immediately, with BL_INTERRUPTED. */
enum bl_status bl_run_measure(struct bl_run *run, const struct bl_run_callbacks *callbacks,
                              struct bl_error *error);

#endif
