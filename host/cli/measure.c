/* Runs a measuring command from its options to its exit status: opens a run, sends rows to the
 * table and the files, shows progress, and remembers the worst failure. */
#include "cli/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/session.h"
#include "cli/interrupt.h"
#include "report/layout.h"
#include "report/row.h"
#include "report/run.h"

/* Writes "1:05" for 65 s. */
static void format_time(double seconds, char text[24])
{
    const long whole = lround(seconds);
    snprintf(text, 24, "%ld:%02ld", whole / 60, whole % 60);
}

static void show_progress(void *context, size_t i)
{
    struct bl_measuring *measuring = context;
    const struct bl_run *run = &measuring->run;
    const struct bl_launch *launch = &run->items[i].own.launch;
    const double elapsed_s = (double)(bl_host_now_ns() - measuring->began_ns) * 1e-9;
    char elapsed[24], left[24] = "";
    format_time(elapsed_s, elapsed);
    if (measuring->measured > 1)
        format_time(elapsed_s / (double)measuring->measured * (double)(run->count - i), left);
    bl_progress_show(&measuring->progress, "[%zu/%zu] %s elapsed%s%s%s: %s %ux%u", i + 1,
                     run->count, elapsed, left[0] ? ", about " : "", left, left[0] ? " left" : "",
                     run->items[i].test_case->id, launch->shape.x, launch->shape.y);
}

void bl_measuring_tell(struct bl_measuring *measuring, const char *subject,
                       const struct bl_error *failure)
{
    const char *log = failure->log;
    bl_print(stderr, "bankline: %s on %s: %s\n", subject, measuring->run.bench.device->name,
             failure->sentence);
    if (log[0] && strcmp(log, measuring->last_log) != 0) {
        bl_put_lines(stderr, log, strlen(log));
        fputs(log[strlen(log) - 1] == '\n' ? "" : "\n", stderr);
        memcpy(measuring->last_log, log, sizeof measuring->last_log);
    }
}

static void take_failure(void *context, const char *subject, const struct bl_error *failure)
{
    struct bl_measuring *measuring = context;
    bl_measuring_tell(measuring, subject, failure);
    measuring->worst = failure->status;
}

/* Updates the status from which the exit status follows. A failure of the device (exit status 3)
 * outweighs bad news. With --strict, refuted rows and invalid measurements (wrong result, bad
 * clock, impossible throughput) are bad news. */
static void note_worst(struct bl_measuring *measuring, const struct bl_row *row,
                       enum bl_status status)
{
    if (row->status == BL_ROW_ERROR)
        measuring->worst = status;
    else if (measuring->settings->strict && measuring->worst == BL_OK &&
             (row->status > BL_ROW_ERROR || row->verdict == BL_REFUTED))
        measuring->worst = BL_BAD_NEWS;
}

static enum bl_status take_row(void *context, const struct bl_row *row,
                               const struct bl_error *failure, struct bl_error *error)
{
    struct bl_measuring *measuring = context;
    bl_progress_clear(&measuring->progress);
    if (failure) {
        char subject[sizeof row->key.case_id + sizeof row->key.shape];
        snprintf(subject, sizeof subject, "%s %s", row->key.case_id, row->key.shape);
        /* a row with BL_ROW_ERROR is reported here, too, even if the table shows it; other failures
         * are reported here only if --quiet hides the table */
        if (row->status == BL_ROW_ERROR || (failure->status != BL_OK && measuring->settings->quiet))
            bl_measuring_tell(measuring, subject, failure);
        note_worst(measuring, row, failure->status);
        measuring->measured++;
    }
    enum bl_status status = bl_sinks_row(measuring->output.sinks, row, error);
    if (measuring->keeps && status == BL_OK)
        status = bl_run_add(&measuring->kept, row, error);
    measuring->run.is_over = bl_sinks_are_lost(measuring->output.sinks);
    return status;
}

enum bl_status bl_measuring_rows(struct bl_measuring *measuring, struct bl_error *error)
{
    struct bl_run *run = &measuring->run;
    struct bl_output *output = &measuring->output;
    const bool quiet = measuring->settings->quiet;
    output->run = &measuring->kept.info;
    output->view = bl_view_of_terminal(quiet);
    output->view.machine = run->bench.machine;
    output->view.arrays_per_unit = bl_device_arrays_per_unit(run->bench.device, run->bench.machine);
    output->view.tolerance = run->bench.tolerance;
    output->view.by_level = run->trying != NULL;
    for (size_t i = 0; i < run->count; i++) {
        const unsigned width = bl_text_width(run->items[i].test_case->id);
        output->view.case_width = width > output->view.case_width ? width : output->view.case_width;
    }
    enum bl_status status = bl_output_open_run(&measuring->settings->output, run->bench.device,
                                               measuring->asked, true, output, error);
    if (status != BL_OK)
        return status;
    const struct bl_run_callbacks callbacks = {measuring, show_progress, take_row, take_failure};
    measuring->progress = bl_progress_begin(quiet);
    measuring->began_ns = bl_host_now_ns();
    status = bl_run_measure(run, &callbacks, error);
    bl_progress_clear(&measuring->progress);
    struct bl_error closing = {0};
    const enum bl_status closed = bl_output_close(output, status != BL_INTERRUPTED, &closing);
    if (closed != BL_OK && status == BL_OK)
        *error = closing;
    else if (closed != BL_OK) /* `closing` says where the rows are, `error` why the run ended */
        fprintf(stderr, "bankline: %s\n", closing.sentence);
    status = status == BL_OK ? closed : status;
    if (status == BL_OK && output->results_path[0])
        bl_print(stderr, "rows written to %s\n", output->results_path);
    /* The worst row determines the exit status. Each row's message was printed when the row failed.
     */
    const enum bl_status worst = measuring->worst;
    return status != BL_OK || worst == BL_OK
               ? status
               : bl_fail(error, worst, "%s",
                         worst == BL_BAD_NEWS ? bl_status_words(BL_BAD_NEWS)
                                              : "some cases failed; the messages above say why");
}

enum bl_status bl_measuring_open(const struct bl_measure_settings *settings,
                                 struct bl_measuring *measuring, struct bl_error *error)
{
    *measuring = (struct bl_measuring){.settings = settings};
    struct bl_run_settings run = settings->run;
    run.quick = settings->plan.quick;
    run.interrupted = bl_interrupt();
    run.building = bl_progress_make_way;
    run.context = &measuring->progress;
    enum bl_status status = BL_OK;
    for (const struct bl_embedded *file = bl_embedded_sources;
         file->name && run.kernel_dir && status == BL_OK; file++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", run.kernel_dir, file->name);
        status = bl_output_check(&settings->output, "a kernel of --kernel-dir", path, error);
    }
    if (status == BL_OK)
        status = bl_output_check(&settings->output, "--machine", run.machine, error);
    return status == BL_OK ? bl_run_open(&run, &measuring->run, error) : status;
}

void bl_measuring_close(struct bl_measuring *measuring)
{
    bl_run_free(&measuring->kept);
    bl_end_run(&measuring->run);
}

const struct bl_option bl_measure_options[] = {
    {"device", "SEL",
     "an index such as 0:0 (or 1: the first device of platform 1), or a part of the device's or "
     "platform's name (default: the first GPU, else the first device)",
     BL_TEXT(struct bl_measure_settings, run.device), .completes = BL_COMPLETE_DEVICES,
     .group = BL_GROUP_MACHINE},
    {"machine", "NAME", "predict with this machine, a name or a file (default: the device's)",
     BL_TEXT(struct bl_measure_settings, run.machine), .completes = BL_COMPLETE_MACHINES,
     .group = BL_GROUP_MACHINE},
    {"tolerance", "PCT", "confirm predictions that are at most this far off (default 5%)",
     BL_PERCENT(struct bl_measure_settings, run.tolerance)},
    {"precision", "PCT", "sample until noise moves the ratio by at most this much (default 0.5%)",
     BL_PERCENT(struct bl_measure_settings, run.precision), .group = BL_GROUP_TIME},
    {"seconds", "S",
     "sample each case for at most about S seconds (default 0.2; CPUs 0.6; --quick 0.15)",
     BL_SECONDS(struct bl_measure_settings, run.seconds), .group = BL_GROUP_TIME},
    {"deadline", "S", "give up on a kernel that runs longer than S seconds (default 60)",
     BL_SECONDS(struct bl_measure_settings, run.deadline), .group = BL_GROUP_TIME},
    {"kernel-dir", "DIR", "compile the kernel sources found in DIR instead of the built-in ones",
     BL_TEXT(struct bl_measure_settings, run.kernel_dir), .completes = BL_COMPLETE_FOLDERS,
     .group = BL_GROUP_MACHINE},
    {"strict", NULL, "exit with 1 if a row is refuted or its measurement is invalid",
     BL_FLAG(struct bl_measure_settings, strict)},
    {"quiet", NULL, "print only the last lines", BL_FLAG(struct bl_measure_settings, quiet),
     .group = BL_GROUP_OUTPUT},
    {0},
};
