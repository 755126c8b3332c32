#include "cli/measure.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
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

enum bl_status bl_run_open(const struct bl_options *options, struct bl_run *run,
                           struct bl_error *error)
{
    *run = (struct bl_run){
        .options = options,
        .bench = {.quick = options->quick,
                  .tolerance = options->tolerance,
                  .precision = options->precision,
                  .seconds = options->seconds},
    };
    size_t device_count = 0;
    enum bl_status status = BL_OK;
    if (options->kernel_dir && access(options->kernel_dir, R_OK | X_OK) != 0)
        status = bl_fail(error, BL_FILE_FAILED, "cannot read --kernel-dir %s: %s",
                         options->kernel_dir, strerror(errno));
    if (status == BL_OK && options->machine)
        status = bl_machine_named(options->machine, &run->own_machine, &run->bench.machine, error);
    place_cpu_threads();
    if (status == BL_OK)
        status = bl_devices_list(&run->devices, &device_count, error);
    if (status == BL_OK)
        status = bl_device_select(run->devices, device_count, options->device, &run->bench.device,
                                  error);
    if (status != BL_OK)
        return status;
    const struct bl_device *device = run->bench.device;
    if (!run->bench.machine)
        run->bench.machine = bl_machine_for(device->vendor_id, device->type);
    const struct bl_wait_limits limits = {
        .deadline_s = options->deadline > 0 ? options->deadline : DEADLINE_S,
        .interrupted = bl_interrupt(),
    };
    return bl_session_open(device, options->kernel_dir, &limits, &run->bench.session, error);
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

static void show_progress(const struct bl_run *run, size_t i)
{
    if (!run->progress)
        return;
    const struct bl_launch *launch = &run->items[i].own.launch;
    fprintf(stderr, "\r\x1b[K[%zu/%zu] %s %ux%u", i + 1, run->count, run->items[i].test_case->id,
            launch->shape.x, launch->shape.y);
}

static void clear_progress(const struct bl_run *run)
{
    if (run->progress)
        fputs("\r\x1b[K", stderr);
}

void bl_run_tell(struct bl_run *run, const char *subject, const struct bl_error *error)
{
    fprintf(stderr, "bankline: %s on %s: %s\n", subject, run->bench.device->name, error->sentence);
    if (error->log[0] && strcmp(error->log, run->last_log) != 0) {
        fprintf(stderr, "%s%s", error->log, error->log[strlen(error->log) - 1] == '\n' ? "" : "\n");
        memcpy(run->last_log, error->log, sizeof run->last_log);
    }
}

/* The worse of what was seen so far and of this row. A device that fails (3) outweighs bad news,
 * and numbers that are refused or refuted are bad news under --strict only. */
static void judge(struct bl_run *run, const struct bl_row *row, enum bl_status status)
{
    if (row->status == BL_ROW_ERROR)
        run->worst = status;
    else if (run->options->strict && run->worst == BL_OK &&
             (row->status > BL_ROW_ERROR || row->verdict == BL_REFUTED))
        run->worst = BL_BAD_NEWS;
}

static enum bl_status run_item(struct bl_run *run, size_t i, struct bl_error *error)
{
    struct bl_row row = bl_planned_row(&run->items[i], run->bench.machine);
    if (row.status == BL_ROW_OK && run->lost_in[0]) {
        row.status = BL_ROW_SKIPPED;
        snprintf(row.reason, sizeof row.reason, "the device has not finished %s", run->lost_in);
    }
    if (row.status == BL_ROW_OK) {
        struct bl_error failure = {0};
        show_progress(run, i);
        const enum bl_status status = bl_measure_case(&run->bench, &run->items[i], &row, &failure);
        clear_progress(run);
        if (*bl_interrupt()) /* what it stopped is no row */
            return bl_fail(error, BL_INTERRUPTED, "interrupted");
        char subject[sizeof row.case_id + sizeof row.shape];
        snprintf(subject, sizeof subject, "%s %s", row.case_id, row.shape);
        if (status == BL_HANGS)
            strcpy(run->lost_in, subject);
        /* The table tells the others in their row. */
        if (row.status == BL_ROW_ERROR || (status != BL_OK && run->options->quiet))
            bl_run_tell(run, subject, &failure);
        judge(run, &row, status);
    }
    bl_table_row(&run->table, &row);
    fflush(stdout);
    return bl_output_row(&run->output, &row, error);
}

/* A GPU's clocks rise when it works; a CPU needs none of this. */
static void warm_up(struct bl_run *run)
{
    if (run->bench.device->type != BL_DEVICE_GPU)
        return;
    size_t i = 0;
    while (i < run->count && run->items[i].status != BL_ROW_OK)
        i++;
    if (i == run->count)
        return;
    struct bl_error failure = {0};
    const enum bl_status status = bl_warm_up(&run->bench, &run->items[i], &failure);
    /* What goes wrong each time, as a build or a clock, is the rows' to tell. */
    if (bl_row_status_of(status) != BL_ROW_ERROR || status == BL_BUILD_FAILED || *bl_interrupt())
        return;
    char subject[512];
    snprintf(subject, sizeof subject, "warming up with the baseline of %s",
             run->items[i].test_case->id);
    bl_run_tell(run, subject, &failure);
    run->worst = status;
}

static enum bl_status run_all(struct bl_run *run, struct bl_error *error)
{
    run->table = (struct bl_table){
        .file = stdout,
        .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
        .quiet = run->options->quiet,
        .tolerance = run->bench.tolerance,
        .machine = run->bench.machine,
    };
    run->progress = isatty(STDERR_FILENO) && !run->options->quiet;
    struct bl_row heading = run->output.run;
    snprintf(heading.machine, sizeof heading.machine, "%s", run->bench.machine->name);
    bl_table_begin(&run->table, &heading);
    fflush(stdout);

    warm_up(run);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count; i++) {
        /* A file that fails must not cost the rows that are still to come. */
        struct bl_error *first = status == BL_OK ? error : NULL;
        const enum bl_status written = run_item(run, i, first);
        if (status == BL_OK)
            status = written;
        if (*bl_interrupt())
            return bl_fail(error, BL_INTERRUPTED, "interrupted after %zu of %zu rows", i,
                           run->count);
    }
    bl_table_end(&run->table);
    fflush(stdout);
    if (status == BL_OK && run->options->results)
        fprintf(stderr, "rows written to %s\n", run->output.files[1].path);
    return status;
}

/* The exit status says what the rows say; the sentences were told as they came. */
static enum bl_status verdict_of_rows(const struct bl_run *run, struct bl_error *error)
{
    if (run->worst == BL_OK)
        return BL_OK;
    return bl_fail(error, run->worst, "%s",
                   run->worst == BL_BAD_NEWS ? bl_status_words(BL_BAD_NEWS)
                                             : "some cases failed; the messages above say why");
}

enum bl_status bl_run_items(struct bl_run *run, struct bl_error *error)
{
    enum bl_status status = bl_output_open(run->options, run->bench.device, &run->output, error);
    if (status != BL_OK)
        return status;
    status = run_all(run, error);
    const bool is_whole = status != BL_INTERRUPTED;
    const enum bl_status closed =
        bl_output_close(&run->output, is_whole, status == BL_OK ? error : NULL);
    if (status == BL_OK)
        status = closed;
    return status == BL_OK ? verdict_of_rows(run, error) : status;
}
