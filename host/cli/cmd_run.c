#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "measure_case.h"
#include "report/table.h"

struct run {
    const struct bl_options *options;
    struct bl_bench bench;
    struct bl_plan_item *items;
    size_t count;
    struct bl_output output;
    struct bl_table table;
    bool progress;           /* on a terminal, a line that the next row overwrites */
    char last_log[sizeof((struct bl_error *)0)->log]; /* a log is shown once */
    enum bl_status worst;    /* of the rows: what the exit status is made from */
};

static void show_progress(const struct run *run, size_t i)
{
    if (!run->progress)
        return;
    const struct bl_launch *launch = &run->items[i].own.launch;
    fprintf(stderr, "\r\x1b[K[%zu/%zu] %s %ux%u", i + 1, run->count, run->items[i].test_case->id,
            launch->shape.x, launch->shape.y);
}

static void clear_progress(const struct run *run)
{
    if (run->progress)
        fputs("\r\x1b[K", stderr);
}

/* Tells a failed row on standard error, with a build log when there is a new one. */
static void tell_failure(struct run *run, const struct bl_row *row, const struct bl_error *error)
{
    fprintf(stderr, "bankline: %s %s: %s\n", row->case_id, row->shape, error->sentence);
    if (error->log[0] && strcmp(error->log, run->last_log) != 0) {
        fprintf(stderr, "%s%s", error->log,
                error->log[strlen(error->log) - 1] == '\n' ? "" : "\n");
        memcpy(run->last_log, error->log, sizeof run->last_log);
    }
}

/* The worse of what was seen so far and of this row. A device that fails (3) outweighs bad news,
 * and numbers that are refused or refuted are bad news under --strict only. */
static void judge(struct run *run, const struct bl_row *row, enum bl_status status)
{
    if (row->status == BL_ROW_ERROR)
        run->worst = status;
    else if (run->options->strict && run->worst == BL_OK &&
             (row->status > BL_ROW_ERROR || row->verdict == BL_REFUTED))
        run->worst = BL_BAD_NEWS;
}

static enum bl_status run_item(struct run *run, size_t i, struct bl_error *error)
{
    struct bl_row row = bl_planned_row(&run->items[i], run->bench.machine);
    if (row.status == BL_ROW_OK) {
        struct bl_error failure = {0};
        show_progress(run, i);
        const enum bl_status status =
            bl_measure_case(&run->bench, &run->items[i], &row, &failure);
        clear_progress(run);
        /* The table tells the others in their row. */
        if (row.status == BL_ROW_ERROR || (status != BL_OK && run->options->quiet))
            tell_failure(run, &row, &failure);
        judge(run, &row, status);
    }
    bl_table_row(&run->table, &row);
    fflush(stdout);
    return bl_output_row(&run->output, &row, error);
}

/* A GPU's clocks rise when it works; a CPU needs none of this. */
static void warm_up(const struct run *run)
{
    for (size_t i = 0; i < run->count && run->bench.device->type == BL_DEVICE_GPU; i++)
        if (run->items[i].status == BL_ROW_OK) {
            /* What fails here fails again in the case's own row, and is told there. */
            bl_warm_up(&run->bench, &run->items[i], NULL);
            return;
        }
}

static enum bl_status run_all(struct run *run, struct bl_error *error)
{
    const struct bl_device *device = run->bench.device;
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

    enum bl_status status =
        bl_session_open(device, run->options->kernel_dir, &run->bench.session, error);
    if (status != BL_OK)
        return status;
    warm_up(run);
    for (size_t i = 0; i < run->count; i++) {
        /* A file that fails must not cost the rows that are still to come. */
        struct bl_error *first = status == BL_OK ? error : NULL;
        const enum bl_status written = run_item(run, i, first);
        if (status == BL_OK)
            status = written;
    }
    bl_session_close(run->bench.session);
    bl_table_end(&run->table);
    fflush(stdout);
    if (status == BL_OK && run->options->results)
        fprintf(stderr, "rows written to %s\n", run->output.paths[1]);
    return status;
}

/* The exit status says what the rows say; the sentences were told as they came. */
static enum bl_status verdict_of_rows(const struct run *run, struct bl_error *error)
{
    if (run->worst == BL_OK)
        return BL_OK;
    return bl_fail(error, run->worst, "%s",
                   run->worst == BL_BAD_NEWS ? bl_status_words(BL_BAD_NEWS)
                                             : "some cases failed; the messages above say why");
}

enum bl_status bl_command_run(const struct bl_options *options, struct bl_error *error)
{
    struct run *run = calloc(1, sizeof *run);
    struct bl_device *devices = NULL;
    size_t device_count = 0;
    if (!run)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a run");
    run->options = options;
    run->bench.quick = options->quick;
    run->bench.tolerance = options->tolerance;

    enum bl_status status = BL_OK;
    if (options->kernel_dir && access(options->kernel_dir, R_OK | X_OK) != 0)
        status = bl_fail(error, BL_FILE_FAILED, "cannot read --kernel-dir %s: %s",
                         options->kernel_dir, strerror(errno));
    if (status == BL_OK && options->machine)
        status = bl_machine_find(options->machine, &run->bench.machine, error);
    if (status == BL_OK)
        status = bl_devices_list(&devices, &device_count, error);
    if (status == BL_OK)
        status = bl_device_select(devices, device_count, options->device, &run->bench.device,
                                  error);
    if (status != BL_OK)
        goto out;
    const struct bl_device *device = run->bench.device;
    if (!run->bench.machine)
        run->bench.machine = bl_machine_for(device->vendor_id, device->type);
    const struct bl_plan_wish wish = {.selectors = options->cases,
                                      .selector_count = options->case_count,
                                      .quick = options->quick,
                                      .shape = options->shape};
    status = bl_plan(&wish, run->bench.machine, device, &run->items, &run->count, error);
    if (status == BL_OK)
        status = bl_output_open(options, device, &run->output, error);
    if (status != BL_OK)
        goto out;
    status = run_all(run, error);
    const enum bl_status closed = bl_output_close(&run->output, status == BL_OK ? error : NULL);
    if (status == BL_OK)
        status = closed;
    if (status == BL_OK)
        status = verdict_of_rows(run, error);
out:
    free(run->items);
    free(devices);
    free(run);
    return status;
}
