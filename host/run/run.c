/* A run: opens the device, warms it up, and measures one item after another. */
#include "run/run.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/machine_file.h"
#include "report/row.h"

/* The default deadline of a launch, in seconds. Launches are calibrated to take milliseconds, but
 * on a slow CPU a single round of the largest case takes seconds. */
static const double DEADLINE_S = 60;

/* Makes PoCL pin its threads, one per processor. Without this, the OS may run two threads on one
 * processor for seconds, and launches take twice as long. Changes nothing if the user has set
 * POCL_AFFINITY, or if the process is not allowed to use all processors: PoCL numbers processors
 * from 0 and would then abort. Must be called before the first OpenCL call. */
static void pin_cpu_threads(void)
{
    cpu_set_t allowed;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (long i = 0; i < processors; i++)
        if (i >= CPU_SETSIZE || !CPU_ISSET((size_t)i, &allowed))
            return;
    setenv("POCL_AFFINITY", "1", 0);
}

enum bl_status bl_run_open(const struct bl_run_settings *settings, struct bl_run *run,
                           struct bl_error *error)
{
    *run = (struct bl_run){
        .interrupted = settings->interrupted,
        .bench = {.quick = settings->quick,
                  .tolerance = settings->tolerance,
                  .precision = settings->precision,
                  .seconds = settings->seconds},
    };
    size_t device_count;
    enum bl_status status = BL_OK;
    if (settings->kernel_dir && access(settings->kernel_dir, R_OK | X_OK) != 0)
        status = bl_fail(error, BL_FILE_FAILED, "cannot read --kernel-dir %s: %s",
                         settings->kernel_dir, strerror(errno));
    if (status == BL_OK && settings->machine)
        status = bl_machine_named(settings->machine, &run->own_machine, &run->bench.machine, error);
    pin_cpu_threads();
    if (status == BL_OK)
        status = bl_devices_choose(settings->device, &run->devices, &device_count,
                                   &run->bench.device, error);
    if (status != BL_OK)
        return status;
    const struct bl_device *device = run->bench.device;
    if (!run->bench.machine)
        run->bench.machine = bl_device_machine(device);
    if (device->type == BL_DEVICE_GPU)
        bl_gpu_open(&run->bench.gpu, "", device->vendor_id, device->card);
    const struct bl_wait_limits limits = {
        .deadline_s = settings->deadline > 0 ? settings->deadline : DEADLINE_S,
        .interrupted = settings->interrupted,
        .building = settings->building,
        .context = settings->context,
    };
    return bl_session_open(device, settings->kernel_dir, &limits, &run->bench.session, error);
}

bool bl_run_close(struct bl_run *run)
{
    const bool is_lost = bl_session_is_lost(run->bench.session);
    bl_session_close(run->bench.session);
    bl_gpu_close(&run->bench.gpu);
    free(run->bench.measured.all);
    free(run->items);
    free(run->devices);
    return is_lost;
}

bool bl_run_is_interrupted(const struct bl_run *run)
{
    return run->interrupted && *run->interrupted;
}

/* Warms up a GPU with the first item that can run, because a GPU's clock rises only under load. A
 * CPU needs no warm-up. */
static void warm_up(struct bl_run *run, const struct bl_run_callbacks *callbacks)
{
    size_t i = 0;
    while (i < run->count && run->items[i].status != BL_ROW_OK)
        i++;
    if (i == run->count || run->bench.device->type != BL_DEVICE_GPU)
        return;
    struct bl_error failure = {0};
    const enum bl_status status = bl_warm_up(&run->bench, &run->items[i], &failure);
    /* Failures that every row will repeat, such as a failed build, are reported with the rows. */
    if (bl_row_status_of(status) != BL_ROW_ERROR || status == BL_BUILD_FAILED ||
        bl_run_is_interrupted(run) || !callbacks->failed)
        return;
    char subject[512];
    snprintf(subject, sizeof subject, "warming up with the baseline of %s",
             run->items[i].test_case->id);
    failure.status = status;
    callbacks->failed(callbacks->context, subject, &failure);
}

static enum bl_status run_item(struct bl_run *run, size_t i,
                               const struct bl_run_callbacks *callbacks, struct bl_error *error)
{
    if (run->prepare && !run->lost_in[0] && run->items[i].status == BL_ROW_OK) {
        if (callbacks->begins)
            callbacks->begins(callbacks->context, i);
        const enum bl_status status = run->prepare(run, i, error);
        if (status == BL_HANGS)
            snprintf(run->lost_in, sizeof run->lost_in, "the preparation of %s",
                     run->items[i].test_case->id);
        if (status != BL_OK)
            return status;
    }
    struct bl_row row = bl_planned_row(&run->items[i], run->bench.machine);
    if (row.status == BL_ROW_OK && run->lost_in[0]) {
        row.status = BL_ROW_SKIPPED;
        snprintf(row.reason, sizeof row.reason, "the device has not finished %s", run->lost_in);
    }
    struct bl_error failure = {0};
    const bool is_measured = row.status == BL_ROW_OK;
    if (is_measured) {
        if (callbacks->begins)
            callbacks->begins(callbacks->context, i);
        failure.status = bl_measure_case(&run->bench, &run->items[i], &row, &failure);
        if (bl_run_is_interrupted(run)) { /* an interrupted case gets no row */
            free(row.sample_ratios);
            return bl_fail(error, BL_INTERRUPTED, "interrupted");
        }
        if (failure.status == BL_HANGS)
            snprintf(run->lost_in, sizeof run->lost_in, "%s %s", row.key.case_id, row.key.shape);
    }
    const enum bl_status status =
        callbacks->row(callbacks->context, &row, is_measured ? &failure : NULL, error);
    free(row.sample_ratios);
    return status;
}

enum bl_status bl_run_measure(struct bl_run *run, const struct bl_run_callbacks *callbacks,
                              struct bl_error *error)
{
    bl_queue_builds(&run->bench, run->items, run->count);
    warm_up(run, callbacks);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count; i++) {
        /* If a row cannot be written, the remaining rows are measured anyway: writing them may
         * succeed. */
        struct bl_error later = {0};
        const enum bl_status written =
            run_item(run, i, callbacks, status == BL_OK ? error : &later);
        if (status == BL_OK)
            status = written;
        if (run->is_over)
            return status;
        if (bl_run_is_interrupted(run))
            return bl_fail(error, BL_INTERRUPTED, "interrupted after %zu of %zu rows", i,
                           run->count);
    }
    return status;
}
