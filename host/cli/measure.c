#include "cli/measure.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/source.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "model/machine_file.h"

/* Longer than any launch takes: they are made to take milliseconds, and one round of the largest
 * seconds on a slow CPU. */
static const double DEADLINE_S = 60;

/* PoCL's threads take a processor each. Left to the scheduler, two of them share one for seconds at
 * a time, and launches take twice as long or not. PoCL counts processors from 0, and aborts where
 * it may not have one: then, and where the user has a say already, nothing is changed. It reads
 * this when its devices are first asked for. */
static void place_cpu_threads(void)
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

enum bl_status bl_run_open(const struct bl_measure_settings *settings, struct bl_run *run,
                           struct bl_error *error)
{
    *run = (struct bl_run){
        .settings = settings,
        .bench = {.quick = settings->plan.quick,
                  .tolerance = settings->tolerance,
                  .precision = settings->precision,
                  .seconds = settings->seconds},
    };
    size_t device_count = 0;
    enum bl_status status = BL_OK;
    if (settings->kernel_dir && access(settings->kernel_dir, R_OK | X_OK) != 0)
        status = bl_fail(error, BL_FILE_FAILED, "cannot read --kernel-dir %s: %s",
                         settings->kernel_dir, strerror(errno));
    for (const struct bl_embedded *file = bl_embedded_sources;
         file->name && settings->kernel_dir && status == BL_OK; file++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", settings->kernel_dir, file->name);
        status = bl_output_check(&settings->output, "a kernel of --kernel-dir", path, error);
    }
    if (status == BL_OK)
        status = bl_output_check(&settings->output, "--machine", settings->machine, error);
    if (status == BL_OK && settings->machine)
        status = bl_machine_named(settings->machine, &run->own_machine, &run->bench.machine, error);
    place_cpu_threads();
    if (status == BL_OK)
        status = bl_devices_list(&run->devices, &device_count, error);
    if (status == BL_OK)
        status = bl_device_select(run->devices, device_count, settings->device, &run->bench.device,
                                  error);
    if (status != BL_OK)
        return status;
    const struct bl_device *device = run->bench.device;
    if (!run->bench.machine)
        run->bench.machine = bl_device_machine(device);
    const struct bl_wait_limits limits = {
        .deadline_s = settings->deadline > 0 ? settings->deadline : DEADLINE_S,
        .interrupted = bl_interrupt(),
    };
    return bl_session_open(device, settings->kernel_dir, &limits, &run->bench.session, error);
}

static bool lost_a_device;

bool bl_run_lost_a_device(void) { return lost_a_device; }

void bl_run_close(struct bl_run *run)
{
    lost_a_device |= bl_session_is_lost(run->bench.session);
    bl_session_close(run->bench.session);
    free(run->items);
    free(run->devices);
}

const struct bl_option bl_measure_options[] = {
    {"device", "SEL",
     "an index such as 0:0 (or 1: the first device of platform 1), or a part of the device's or "
     "platform's name (default: the first GPU, else the first device)",
     BL_TEXT(struct bl_measure_settings, device), .completes = BL_COMPLETE_DEVICES},
    {"machine", "NAME", "hold against this machine, a name or a file (default: the device's)",
     BL_TEXT(struct bl_measure_settings, machine), .completes = BL_COMPLETE_MACHINES},
    {"tolerance", "PCT", "confirm within this of the prediction (default 5%)",
     BL_PERCENT(struct bl_measure_settings, tolerance)},
    {"precision", "PCT",
     "sample until noise can change the ratio by no more than this (default 0.5%)",
     BL_PERCENT(struct bl_measure_settings, precision)},
    {"seconds", "S", "sample a case about this long (default 0.2, on CPUs 0.6, with --quick 0.15)",
     BL_SECONDS(struct bl_measure_settings, seconds)},
    {"deadline", "S", "give up a kernel that has not ended after this time (default 60)",
     BL_SECONDS(struct bl_measure_settings, deadline)},
    {"kernel-dir", "DIR", "build the kernels in DIR (default: those built in)",
     BL_TEXT(struct bl_measure_settings, kernel_dir), .completes = BL_COMPLETE_FOLDERS},
    {"strict", NULL, "exit with 1 if a row is refuted or has no number",
     BL_FLAG(struct bl_measure_settings, strict)},
    {"quiet", NULL, "print the last lines only", BL_FLAG(struct bl_measure_settings, quiet)},
    {0},
};
