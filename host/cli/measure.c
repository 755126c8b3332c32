#include "cli/measure.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/source.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "model/machine_file.h"
#include "report/layout.h"
#include "run/plan.h"

/* "1:05" for 65 s. */
static void format_time(double seconds, char text[24])
{
    const long whole = lround(seconds);
    snprintf(text, 24, "%ld:%02ld", whole / 60, whole % 60);
}

static void show_progress(const struct bl_run *run, size_t i)
{
    if (!run->progress)
        return;
    const struct bl_launch *launch = &run->items[i].own.launch;
    const double elapsed_s = (double)(bl_host_now_ns() - run->began_ns) * 1e-9;
    char elapsed[24], left[24] = "", line[640];
    format_time(elapsed_s, elapsed);
    if (run->measured > 1)
        format_time(elapsed_s / (double)run->measured * (double)(run->count - i), left);
    snprintf(line, sizeof line, "[%zu/%zu] %s elapsed%s%s%s: %s %ux%u", i + 1, run->count, elapsed,
             left[0] ? ", about " : "", left, left[0] ? " left" : "", run->items[i].test_case->id,
             launch->shape.x, launch->shape.y);
    const unsigned width = bl_line_width(stderr);
    fprintf(stderr, "\r\x1b[K%.*s", (int)width - 1, line);
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
    else if (run->settings->strict && run->worst == BL_OK &&
             (row->status > BL_ROW_ERROR || row->verdict == BL_REFUTED))
        run->worst = BL_BAD_NEWS;
}

static enum bl_status run_item(struct bl_run *run, size_t i, struct bl_error *error)
{
    if (run->prepare && !run->lost_in[0] && run->items[i].status == BL_ROW_OK) {
        show_progress(run, i);
        const enum bl_status status = run->prepare(run, i, error);
        clear_progress(run);
        if (status != BL_OK)
            return status;
    }
    struct bl_row row = bl_planned_row(&run->items[i], run->bench.machine);
    if (row.status == BL_ROW_OK && run->lost_in[0]) {
        row.status = BL_ROW_SKIPPED;
        snprintf(row.reason, sizeof row.reason, "the device has not finished %s", run->lost_in);
    }
    if (row.status == BL_ROW_OK) {
        struct bl_error failure = {0};
        show_progress(run, i);
        const enum bl_status status = bl_measure_case(&run->bench, &run->items[i], &row, &failure);
        run->measured++;
        clear_progress(run);
        if (*bl_interrupt()) { /* what it stopped is no row */
            free(row.sample_ratios);
            return bl_fail(error, BL_INTERRUPTED, "interrupted");
        }
        char subject[sizeof row.key.case_id + sizeof row.key.shape];
        snprintf(subject, sizeof subject, "%s %s", row.key.case_id, row.key.shape);
        if (status == BL_HANGS)
            strcpy(run->lost_in, subject);
        /* The table has the others in their row. */
        if (row.status == BL_ROW_ERROR || (status != BL_OK && run->settings->quiet))
            bl_run_tell(run, subject, &failure);
        judge(run, &row, status);
    }
    const enum bl_status status = bl_sinks_row(run->output.sinks, &row, error);
    free(row.sample_ratios);
    return status;
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
    run->progress = isatty(STDERR_FILENO) && !run->settings->quiet;
    run->began_ns = bl_host_now_ns();
    bl_build_ahead(&run->bench, run->items, run->count);
    warm_up(run);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count; i++) {
        /* A file that fails must not cost the rows that are still to come. */
        struct bl_error *first = status == BL_OK ? error : NULL;
        const enum bl_status written = run_item(run, i, first);
        if (status == BL_OK)
            status = written;
        if (bl_sinks_are_lost(run->output.sinks)) /* nobody is left to measure for */
            return status;
        if (*bl_interrupt())
            return bl_fail(error, BL_INTERRUPTED, "interrupted after %zu of %zu rows", i,
                           run->count);
    }
    return status;
}

/* The exit status says what the rows say; the sentences were printed as they came. */
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
    run->output.view = bl_view_of_terminal(run->settings->quiet);
    run->output.view.machine = run->bench.machine;
    run->output.view.tolerance = run->bench.tolerance;
    run->output.view.by_level = run->levels != NULL;
    enum bl_status status =
        bl_output_open_run(&run->settings->output, run->bench.device, true, &run->output, error);
    if (status != BL_OK)
        return status;
    status = run_all(run, error);
    struct bl_error closing = {0};
    const enum bl_status closed = bl_output_close(&run->output, status != BL_INTERRUPTED, &closing);
    if (closed != BL_OK && status == BL_OK)
        *error = closing;
    else if (closed != BL_OK) /* where the rows so far are, besides what ended the run */
        fprintf(stderr, "bankline: %s\n", closing.sentence);
    status = status == BL_OK ? closed : status;
    if (status == BL_OK && run->output.results_path[0])
        fprintf(stderr, "rows written to %s\n", run->output.results_path);
    return status == BL_OK ? verdict_of_rows(run, error) : status;
}

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
