/* `bankline infer`: infers a machine (the description of a device) from measurements, prints it,
 * and writes it to files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/infer_view.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "infer/infer.h"
#include "model/machine_file.h"
#include "report/json_values.h"
#include "report/layout.h"
#include "run/run.h"
#include "suites.h"
#include "version.h"

struct infer_settings {
    const char *device, *kernel_dir, *machine;
    const char *save, *csv, *json; /* files, or NULL */
    unsigned seed;                 /* 0: derived from the time */
    bool quick;
};

enum { SAVE, CSV, JSON, FILES };

struct inferring {
    const struct infer_settings *settings;
    struct bl_machine own_machine;       /* the machine of --machine, if read from a file */
    const struct bl_machine *documented; /* the machine that --machine names, or else the device's;
                                            NULL until it is chosen */
    struct bl_run run;
    struct bl_device_target *opened;
    struct bl_findings findings;
    struct bl_infer_origin origin;
    struct bl_file *files[FILES];
    uint64_t began_ns;
    struct bl_progress progress;
};

static void show_progress(void *context, const char *stage, unsigned number, unsigned stages)
{
    struct inferring *inferring = context;
    const double elapsed_s = (double)(bl_host_now_ns() - inferring->began_ns) * 1e-9;
    bl_progress_show(&inferring->progress, "[%u/%u] %.0f s: %.50s", number + 1, stages, elapsed_s,
                     stage);
}

static void tell_of_company(void *context, const char *sentence)
{
    struct inferring *inferring = context;
    bl_progress_clear(&inferring->progress);
    fprintf(stderr, "bankline: %s\n", sentence);
}

static enum bl_status open_files(struct inferring *inferring, struct bl_error *error)
{
    const struct infer_settings *settings = inferring->settings;
    const struct bl_named_path paths[FILES] = {
        [SAVE] = {"--save", settings->save, true},
        [CSV] = {"--csv", settings->csv, true},
        [JSON] = {"--json", settings->json, true},
    };
    if (settings->json && bl_json_is_built(error) != BL_OK)
        return BL_USAGE;
    return bl_whole_files_open(paths, FILES, FILES, inferring->files, error);
}

/* Makes a machine's name from its file's name up to the first dot. Replaces characters other than
 * letters, digits, _ + and - by '-'. */
static void name_machine(const char *path, char name[32])
{
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    const size_t length = strcspn(begin, ".");
    snprintf(name, 32, "%.*s", (int)(length < 31 ? length : 31), begin);
    for (char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-", *at))
            *at = '-';
    const struct bl_machine *taken;
    if (!*name || strcmp(path, "-") == 0)
        strcpy(name, "inferred");
    else if (!bl_machine_find(name, &taken, NULL)) /* the name would select the built-in machine */
        snprintf(name + (length < 22 ? length : 22), 10, "-inferred");
}

/* Writes a title such as "NVIDIA H200, inferred 2026-11-22". Replaces '#', which would begin a
 * comment, and characters that are not printable ASCII by '?'. */
static void name_device(const struct bl_infer_origin *origin, char *title, size_t size)
{
    snprintf(title, size, "%.60s, inferred %.10s", origin->device, origin->time_utc);
    for (char *at = title; *at; at++)
        if (*at == '#' || *at < ' ' || *at > '~')
            *at = '?';
}

/* Writes text into a comment. Replaces line ends and all else that is not printable ASCII by '?'.
 */
static void put_in_comment(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc(*text < ' ' || *text > '~' ? '?' : *text, file);
}

static void write_machine(FILE *file, const struct inferring *inferring,
                          const struct bl_machine *machine)
{
    fprintf(file, "# Inferred by bankline %s at %s, seed %llu, from measurements of\n# ",
            inferring->origin.tool_version, inferring->origin.time_utc,
            (unsigned long long)inferring->origin.seed);
    put_in_comment(file, inferring->origin.device);
    fputs(", driver ", file);
    put_in_comment(file, inferring->origin.driver);
    fputs(".\n", file);
    if (inferring->findings.failed[0]) {
        fputs("# Measurements that failed: ", file);
        put_in_comment(file, inferring->findings.failed);
        fputc('\n', file);
    }
    for (size_t i = 0; i < inferring->findings.count; i++) {
        const struct bl_finding *finding = &inferring->findings.all[i];
        if (!finding->is_known)
            fprintf(file, "# Not known: %s (%s)\n", finding->key, finding->why);
    }
    fputs("# Not inferred: the cost of lines, blocks and writes beyond the first cache, so nothing "
          "is\n"
          "# predicted there; and the cost of writes to global memory, which is assumed to equal\n"
          "# the cost of reads. Keys listed as not known have their default values.\n"
          "\n",
          file);
    bl_machine_print(file, machine);
}

/* Writes the files. If the inference was stopped early (is_whole is false), writes only the CSV and
 * the JSON, with what was found, because an incomplete machine must not replace an old file. If
 * nothing had been measured by then, writes no file at all. */
static enum bl_status write_files(struct inferring *inferring, const struct bl_machine *machine,
                                  bool is_whole, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    const bool is_any = is_whole || inferring->findings.evidence_count > 0;
    if (inferring->files[SAVE])
        write_machine(bl_file_stream(inferring->files[SAVE]), inferring, machine);
    if (inferring->files[CSV])
        bl_findings_csv(bl_file_stream(inferring->files[CSV]), &inferring->findings,
                        &inferring->origin);
    if (inferring->files[JSON])
        status = bl_findings_json(bl_file_stream(inferring->files[JSON]), &inferring->findings,
                                  &inferring->origin, error);
    const bool is_complete[FILES] = {
        [SAVE] = is_whole, [CSV] = is_any, [JSON] = is_any && status == BL_OK};
    const enum bl_status closed = bl_whole_files_close(inferring->files, is_complete, FILES, error);
    return closed == BL_OK ? status : closed;
}

static enum bl_status infer(struct inferring *inferring, struct bl_error *error)
{
    struct bl_run *run = &inferring->run;
    const struct bl_device *device = run->bench.device;
    const bool is_gpu = device->type == BL_DEVICE_GPU;
    const uint64_t gib = (uint64_t)1 << 30, most = device->memory_bytes / 16 * 15;
    struct bl_target target;
    const struct bl_infer_settings settings = {
        .quick = inferring->settings->quick,
        .seed = inferring->origin.seed,
        .hypotheses = inferring->documented,
        .progress = show_progress,
        .is_busy = tell_of_company,
        .context = inferring,
    };
    enum bl_status status = bl_device_target_open(run->bench.session, device,
                                                  is_gpu && !settings.quick ? most
                                                  : most < gib              ? most
                                                                            : gib,
                                                  &inferring->opened, &target, error);
    if (status == BL_OK)
        status = bl_infer(&target, &settings, &inferring->findings, error);
    bl_device_target_close(inferring->opened);
    inferring->opened = NULL;
    return status;
}

static enum bl_status report(struct inferring *inferring, enum bl_status inferred,
                             struct bl_error *error)
{
    FILE *file = bl_whole_files_words(inferring->files, FILES);
    struct bl_run *run = &inferring->run;
    const struct bl_machine *documented = inferring->documented;
    char name[32] = "inferred";
    if (inferring->settings->save)
        name_machine(inferring->settings->save, name);
    struct bl_machine machine = bl_machine_of(&inferring->findings, name);
    name_device(&inferring->origin, machine.title, sizeof machine.title);
    const bool is_whole = inferred == BL_OK;
    struct bl_infer_distance by_inferred = {0}, by_documented = {0};
    struct bl_error compared = {0};
    if (inferred == BL_OK) {
        show_progress(inferring, "documented cases", 0, 1);
        const struct bl_catalogue catalogue = bl_suites();
        inferred = bl_infer_compare_cases(&catalogue, &run->bench, &machine, documented,
                                          &by_inferred, &by_documented, &compared);
    }
    bl_progress_clear(&inferring->progress);
    if (!is_whole && inferring->findings.evidence_count == 0)
        return write_files(inferring, &machine, false, error);
    bl_print(file, "%s, driver %s; seed %llu\n\n", inferring->origin.device,
             inferring->origin.driver, (unsigned long long)inferring->origin.seed);
    bl_print_hypotheses(file, &inferring->findings);
    bl_print_findings(file, &inferring->findings);
    fputc('\n', file);
    const unsigned differ =
        bl_print_side_by_side(file, &inferring->findings, documented, run->bench.device);
    if (differ)
        fprintf(file, "%u value%s differ%s: if a second run agrees, the description may be wrong\n",
                differ, bl_plural(differ), differ == 1 ? "s" : "");
    if (by_inferred.rows || by_documented.rows) {
        fputc('\n', file);
        bl_print_distances(file, documented, &by_inferred, &by_documented);
    }
    if (is_whole && !machine.has_rule)
        fprintf(file, "\nNo predictions can be made from these values: %s.\n", machine.why_no_rule);
    const enum bl_status written = write_files(inferring, &machine, is_whole, error);
    const char *saved = inferring->settings->save;
    if (is_whole && written == BL_OK && machine.has_rule && saved && strcmp(saved, "-") != 0) {
        fputc('\n', file);
        bl_print(file, "Saved; to use the machine: bankline try EXPR --machine '%s%s'\n",
                 strchr(saved, '/') ? "" : "./", saved);
    }
    if (written == BL_OK && inferred != BL_OK)
        *error = compared;
    return written == BL_OK ? inferred : written;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)arguments;
    struct inferring *inferring = calloc(1, sizeof *inferring);
    if (!inferring)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting an inference");
    inferring->settings = settings_;
    const struct bl_run_settings run = {
        .device = inferring->settings->device,
        .kernel_dir = inferring->settings->kernel_dir,
        .quick = inferring->settings->quick,
        .tolerance = 0.05,
        .seconds = 0.06,
        .interrupted = bl_interrupt(),
        .building = bl_progress_make_way,
        .context = &inferring->progress,
    };
    inferring->progress = bl_progress_begin(false);
    inferring->began_ns = bl_host_now_ns();
    const char *named = inferring->settings->machine;
    enum bl_status status =
        named ? bl_machine_named(named, &inferring->own_machine, &inferring->documented, error)
              : BL_OK;
    if (status == BL_OK)
        status = open_files(inferring, error);
    if (status == BL_OK)
        status = bl_run_open(&run, &inferring->run, error);
    if (status == BL_OK) {
        if (!inferring->documented)
            inferring->documented = bl_device_machine(inferring->run.bench.device);
        inferring->origin = (struct bl_infer_origin){
            .device = inferring->run.bench.device->name,
            .driver = inferring->run.bench.device->driver,
            .tool_version = BL_VERSION,
            .seed = inferring->settings->seed ? inferring->settings->seed
                                              : (uint64_t)time(NULL) % 1000000007,
        };
        bl_time_utc(inferring->origin.time_utc);
        const enum bl_status inferred = infer(inferring, error);
        struct bl_error reported = {0};
        status = report(inferring, inferred, &reported);
        if (inferred == BL_OK && status != BL_OK)
            *error = reported;
        else if (status != inferred && reported.sentence[0]) { /* a file failed, too */
            const struct bl_error first = *error;
            bl_fail(error, inferred, "%s; %s", first.sentence, reported.sentence);
        }
        status = inferred != BL_OK ? inferred : status;
    }
    bl_whole_files_close(inferring->files, (const bool[FILES]){false}, FILES, NULL);
    bl_findings_free(&inferring->findings);
    bl_end_run(&inferring->run);
    free(inferring);
    return status;
}

static const struct bl_option options[] = {
    {"device", "SEL",
     "an index such as 0:0 (or 1: the first device of platform 1), or a part of the device's or "
     "platform's name (default: the first GPU, else the first device)",
     BL_TEXT(struct infer_settings, device), .completes = BL_COMPLETE_DEVICES,
     .group = BL_GROUP_MACHINE},
    {"machine", "NAME",
     "a machine, by name or file: its possible banks are tested first, and its values are compared "
     "with the inferred ones (default: the device's machine)",
     BL_TEXT(struct infer_settings, machine), .completes = BL_COMPLETE_MACHINES,
     .group = BL_GROUP_MACHINE},
    {"save", "FILE", "write the machine to FILE, for --machine",
     BL_TEXT(struct infer_settings, save), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"csv", "FILE", "write all values and the measurements behind them to a CSV file",
     BL_TEXT(struct infer_settings, csv), .completes = BL_COMPLETE_FILES, .group = BL_GROUP_OUTPUT},
    {"json", "FILE", "write all values and the measurements behind them as JSON",
     BL_TEXT(struct infer_settings, json), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"quick", NULL, "use fewer samples and at most 1 GiB of memory; do not infer the page reach",
     BL_FLAG(struct infer_settings, quick), .group = BL_GROUP_TIME},
    {"seed", "N", "seed of the random addresses (default: from the clock; printed)",
     BL_COUNT(struct infer_settings, seed, 1000000007)},
    {"kernel-dir", "DIR", "compile the kernel sources found in DIR instead of the built-in ones",
     BL_TEXT(struct infer_settings, kernel_dir), .completes = BL_COMPLETE_FOLDERS,
     .group = BL_GROUP_MACHINE},
    {0},
};

const struct bl_command bl_command_infer = {
    .name = "infer",
    .arguments = "",
    .summary = "find the machine's parameters by measurement",
    .description =
        "Finds how many lanes a request has, the banks of local memory, the size of a line, tag "
        "banks and the hash that chooses a tag bank, caches, latencies and more. Only measured "
        "times are used: no value depends on what the driver reports. If the machine does not "
        "state the device's banks but lists possible ones, these hypotheses are tested first. The "
        "test starts from a probability of 90 % that one of the hypotheses is right. First, only "
        "the points that distinguish the hypotheses are measured; if doubt remains, more points "
        "are measured. The probability of each hypothesis is printed. Each value is printed with "
        "its certainty and its basis; a value that is less than 90 % certain is reported as not "
        "determined. Then infer prints the inferred, the documented and the driver's values side "
        "by side, and how far each machine's predictions of the documented cases are from "
        "measurements. On a GPU, infer takes half a minute and uses nearly all of the GPU's "
        "memory. On a CPU, infer takes up to three minutes and finds little, so run it twice and "
        "compare the results.",
    .examples = {"bankline infer --save my-gpu.machine",
                 "bankline infer --quick --machine intel-xe-hpg --csv evidence.csv"},
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct infer_settings),
    .run = run,
};
