/* The options for output files, and the opening and closing of these files. The options are
 * generated from the list of formats (report/sink.h), so that a new format gets its option. No two
 * files of a command may be the same; this is checked before anything is measured. */
#include "cli/output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/text.h"
#include "measure/host_info.h"
#include "measure/sampler.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/run.h"
#include "run/plan.h"
#include "version.h"

const struct bl_option bl_csv_options[] = {
    {"csv", "FILE", "write the rows as CSV", BL_TEXT(struct bl_output_settings, paths[0]),
     .completes = BL_COMPLETE_FILES, .group = BL_GROUP_OUTPUT},
    {0},
};

const struct bl_option bl_results_options[] = {
    {"results", "DIR", "write the rows to DIR/<device>-<card>/<run_id>.csv",
     BL_TEXT(struct bl_output_settings, results), .completes = BL_COMPLETE_FOLDERS,
     .group = BL_GROUP_OUTPUT},
    {0},
};

enum written { RUNS, CHANGES, FLEETS };

static bool format_option(size_t i, enum written written, struct bl_option *option)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    for (size_t f = 0; f < count; f++)
        if ((written == RUNS      ? formats[f]->writes_runs
             : written == CHANGES ? formats[f]->writes_changes
                                  : formats[f]->fleet_help != NULL) &&
            i-- == 0) {
            *option = (struct bl_option){
                formats[f]->name,
                "FILE",
                written == FLEETS ? formats[f]->fleet_help : formats[f]->help,
                bl_parse_text,
                offsetof(struct bl_output_settings, paths) + f * sizeof(const char *),
                .completes = BL_COMPLETE_FILES,
                .group = BL_GROUP_OUTPUT};
            return true;
        }
    return false;
}

bool bl_run_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, RUNS, option);
}

bool bl_change_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, CHANGES, option);
}

bool bl_fleet_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, FLEETS, option);
}

enum { MAX_SHAPE = 65536 };

const struct bl_option bl_plan_options[] = {
    {"shape", "WxH", "use only work-groups of this shape",
     BL_SHAPE(struct bl_plan_filter, shape, MAX_SHAPE), .completes = BL_COMPLETE_SHAPES},
    {"quick", NULL, "measure fewer shapes and cases, and spend less time on each case",
     BL_FLAG(struct bl_plan_filter, quick), .group = BL_GROUP_TIME},
    {0},
};

const struct bl_option bl_change_options[] = {
    {"threshold", "PCT", "the smallest change to detect (default 2%)",
     BL_PERCENT(struct bl_change_settings, threshold)},
    {"absolute", NULL, "also compare each row's own time, not only the ratio to the baseline",
     BL_FLAG(struct bl_change_settings, absolute)},
    {"all", NULL, "list all rows, including those that are 'unclear' or 'same'",
     BL_FLAG(struct bl_change_settings, all), .group = BL_GROUP_OUTPUT},
    {"require-all", NULL, "count rows as 'missing' even if the new run was not asked for them",
     BL_FLAG(struct bl_change_settings, requires_all)},
    {"quiet", NULL, "print only the last lines", BL_FLAG(struct bl_change_settings, quiet),
     .group = BL_GROUP_OUTPUT},
    {0},
};

static void describe_run(struct bl_run_info *run, const struct bl_device *device)
{
    *run = bl_run_info_empty();
    bl_time_utc(run->time_utc);
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint64_t)getpid();
    char compact[sizeof run->time_utc] = "", *end = compact;
    for (const char *at = run->time_utc; *at; at++)
        if (*at != '-' && *at != ':')
            *end++ = *at;
    snprintf(run->run_id, sizeof run->run_id, "%s-%08" PRIx32, compact, (uint32_t)random);
    snprintf(run->tool_version, sizeof run->tool_version, "%s", BL_VERSION);
    /* BANKLINE_HOST replaces the host's name, for rows that will be published, and for containers,
     * whose host names may be random. */
    const char *named = getenv("BANKLINE_HOST");
    if (named && *named)
        snprintf(run->host, sizeof run->host, "%s", named);
    else if (gethostname(run->host, sizeof run->host - 1) != 0)
        run->host[0] = '\0';
    const struct bl_host_info around = bl_host_info_read("");
    strcpy(run->os, around.os);
    strcpy(run->cpu, around.cpu);
    strcpy(run->governor, around.governor);
    if (!device)
        return;
    snprintf(run->platform, sizeof run->platform, "%s", device->platform_name);
    snprintf(run->device, sizeof run->device, "%s", device->name);
    snprintf(run->driver, sizeof run->driver, "%s", device->driver);
    const bool needs_host = device->card[0] && !device->card_is_unique;
    const size_t used = (size_t)snprintf(run->device_id, sizeof run->device_id, "%.39s%s",
                                         device->card, needs_host ? "@" : "");
    const size_t room = sizeof run->device_id - used;
    if (needs_host && strlen(run->host) < room) {
        strcpy(run->device_id + used, run->host);
    } else if (needs_host) { /* a hash distinguishes hosts whose long names begin alike */
        const uint64_t hash = bl_hash_add(BL_HASH_BEGIN, run->host, strlen(run->host));
        snprintf(run->device_id + used, room, "%.*s~%08" PRIx32, (int)room - 10, run->host,
                 (uint32_t)hash);
    }
}

static void record_asked(struct bl_run_info *run, const struct bl_plan_filter *asked)
{
    char options[48] = "";
    if (asked->quick)
        bl_text_add(options, sizeof options, "--quick ");
    if (asked->shape.x)
        bl_text_add(options, sizeof options, "--shape=%ux%u ", asked->shape.x, asked->shape.y);
    bl_run_record_asked(run, options, asked->selectors, asked->selector_count);
}

/* Turns "NVIDIA H100 80GB HBM3" into "nvidia-h100-80gb-hbm3". */
static void slug_of(const char *name, char slug[64])
{
    size_t used = 0;
    for (; *name && used < 63; name++) {
        if (isalnum((unsigned char)*name))
            slug[used++] = (char)tolower((unsigned char)*name);
        else if (used > 0 && slug[used - 1] != '-')
            slug[used++] = '-';
    }
    while (used > 0 && slug[used - 1] == '-')
        used--;
    slug[used] = '\0';
}

/* Writes the path DIR/<device>-<card>/<run_id>.csv, and creates its folders. Two runs that begin in
 * the same second get different names, and so do two cards of one model if the driver distinguishes
 * them. */
static enum bl_status name_result(const char *folder, const struct bl_run_info *run,
                                  char path[4096], struct bl_error *error)
{
    char slug[64], card[64];
    slug_of(run->device, slug);
    slug_of(run->device_id, card);
    if (snprintf(path, 4096, "%s/%s%s%s/%s.csv", folder, slug, *card ? "-" : "", card,
                 run->run_id) >= 4096)
        return bl_fail(error, BL_FILE_FAILED, "the path of --results is too long");
    return bl_make_folders(path, error);
}

bool bl_output_is_wanted(const struct bl_output_settings *settings)
{
    bool is_wanted = settings->results != NULL;
    for (size_t i = 0; i < BL_MAX_FORMATS; i++)
        is_wanted |= settings->paths[i] != NULL;
    return is_wanted;
}

enum bl_status bl_output_check(const struct bl_output_settings *settings, const char *role,
                               const char *input, struct bl_error *error)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    const struct bl_machine *built_in;
    struct bl_named_path paths[BL_MAX_FORMATS + 1];
    char roles[BL_MAX_FORMATS][24];
    for (size_t i = 0; i < count; i++) {
        snprintf(roles[i], sizeof roles[i], "--%s", formats[i]->name);
        paths[i] = (struct bl_named_path){roles[i], settings->paths[i], true};
    }
    const bool is_file = input && bl_machine_find(input, &built_in, NULL) != BL_OK;
    paths[count] = (struct bl_named_path){role, is_file ? input : NULL, false};
    return bl_paths_check_distinct(paths, count + 1, error);
}

FILE *bl_output_words(const struct bl_output_settings *settings)
{
    if (settings->on_stderr)
        return stderr;
    for (size_t i = 0; i < BL_MAX_FORMATS; i++) {
        const struct bl_named_path both[] = {{"", "-", true}, {"", settings->paths[i], true}};
        if (bl_paths_check_distinct(both, 2, NULL) == BL_USAGE)
            return stderr;
    }
    return stdout;
}

static enum bl_status open_sinks(const struct bl_output_settings *settings, bool has_table,
                                 struct bl_output *output, struct bl_error *error)
{
    size_t count, used = 0;
    const struct bl_format *const *formats = bl_formats(&count);
    struct bl_sink_file files[BL_MAX_FORMATS + 1];
    for (size_t i = 0; i < count; i++)
        if (settings->paths[i])
            files[used++] = (struct bl_sink_file){formats[i], settings->paths[i]};
    if (output->results_path[0])
        files[used++] = (struct bl_sink_file){formats[0], output->results_path};
    return bl_sinks_open(files, used, &output->view, has_table, &output->sinks, error);
}

enum bl_status bl_output_open_run(const struct bl_output_settings *settings,
                                  const struct bl_device *device,
                                  const struct bl_plan_filter *asked, bool has_table,
                                  struct bl_output *output, struct bl_error *error)
{
    output->sinks = NULL;
    output->results_path[0] = '\0';
    output->view.on_stderr |= settings->on_stderr;
    describe_run(output->run, device);
    if (asked)
        record_asked(output->run, asked);
    enum bl_status status = BL_OK;
    if (settings->results)
        status = name_result(settings->results, output->run, output->results_path, error);
    if (status == BL_OK)
        status = open_sinks(settings, has_table, output, error);
    if (status == BL_OK)
        status = bl_sinks_run(output->sinks, output->run, error);
    if (status != BL_OK) {
        bl_sinks_close(output->sinks, false, NULL);
        output->sinks = NULL;
    }
    return status;
}

/* Opens the files, writes the comparison (or the fleet, if `comparison` is NULL), and closes the
 * files. */
static enum bl_status write_whole(const struct bl_output_settings *settings,
                                  const struct bl_view *view,
                                  const struct bl_comparison *comparison,
                                  const struct bl_fleet *fleet, struct bl_error *error)
{
    static const struct bl_output_settings no_files;
    struct bl_output output = {.view = *view};
    const enum bl_status opened = open_sinks(settings, true, &output, error);
    /* If a document cannot be opened, the table is printed anyway, because it may show that a row
     * got slower. */
    enum bl_status status = opened;
    if (opened != BL_OK)
        status = open_sinks(&no_files, true, &output, NULL);
    struct bl_error *written = opened == BL_OK ? error : NULL;
    if (status == BL_OK)
        status = comparison ? bl_sinks_comparison(output.sinks, comparison, written)
                            : bl_sinks_fleet(output.sinks, fleet, written);
    const enum bl_status closed =
        bl_sinks_close(output.sinks, true, status == BL_OK ? written : NULL);
    if (opened != BL_OK)
        return opened;
    return status == BL_OK ? closed : status;
}

/* Whether the terminal obeys escape sequences; a "dumb" terminal would print them. */
static bool obeys_escapes(int descriptor)
{
    const char *name = getenv("TERM");
    return isatty(descriptor) == 1 && name && strcmp(name, "dumb") != 0;
}

enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    const char *const globs[], size_t glob_count,
                                    struct bl_error *error)
{
    struct bl_comparison comparison = {
        .before = before,
        .after = after,
        .names = {names[0], names[1]},
        .comparing = {settings->threshold, settings->absolute, settings->knows_spread,
                      settings->requires_all},
        .selectors = globs,
        .selector_count = glob_count,
    };
    enum bl_status status = bl_compare(&comparison, error);
    if (status == BL_OK && glob_count > 0 && comparison.count == 0)
        status = bl_fail(error, BL_UNKNOWN_CASE, "neither run has a case '%s'%s", globs[0],
                         glob_count > 1 ? " or one of the others" : "");
    struct bl_view view = bl_view_of_terminal(settings->quiet);
    view.all = settings->all;
    view.on_stderr = settings->on_stderr;
    if (view.on_stderr) {
        view.width = bl_line_width(stderr);
        view.colour &= obeys_escapes(STDERR_FILENO);
    }
    if (status == BL_OK)
        status = write_whole(&settings->output, &view, &comparison, NULL, error);
    if (status == BL_OK && bl_comparison_bad(&comparison) > 0)
        status = bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                         comparison.counts[BL_CHANGE_SLOWER], comparison.counts[BL_CHANGE_MISSING],
                         comparison.counts[BL_CHANGE_BROKEN]);
    bl_comparison_free(&comparison);
    return status;
}

enum bl_status bl_output_fleet(const struct bl_output_settings *settings, bool quiet,
                               const struct bl_fleet *fleet, struct bl_error *error)
{
    const struct bl_view view = bl_view_of_terminal(quiet);
    return write_whole(settings, &view, NULL, fleet, error);
}

enum bl_status bl_output_close(struct bl_output *output, bool is_complete, struct bl_error *error)
{
    const enum bl_status status = bl_sinks_close(output->sinks, is_complete, error);
    output->sinks = NULL;
    return status;
}

struct bl_view bl_view_of_terminal(bool quiet)
{
    const char *no_colour = getenv("NO_COLOR");
    const bool is_plain = no_colour && *no_colour;
    return (struct bl_view){.quiet = quiet,
                            .colour = obeys_escapes(STDOUT_FILENO) && !is_plain,
                            .width = bl_line_width(stdout)};
}

enum bl_status bl_whole_files_open(const struct bl_named_path paths[], size_t all, size_t count,
                                   struct bl_file *files[], struct bl_error *error)
{
    enum bl_status status = bl_paths_check_distinct(paths, all, error);
    for (size_t i = 0; i < count && status == BL_OK; i++)
        if (paths[i].path)
            status = bl_file_open(paths[i].path, BL_FILE_WHOLE, &files[i], error);
    return status;
}

enum bl_status bl_whole_files_close(struct bl_file *files[], const bool is_complete[], size_t count,
                                    struct bl_error *error)
{
    enum bl_status failed = BL_OK;
    for (size_t i = 0; i < count; i++) {
        const enum bl_status closed =
            bl_file_close(files[i], is_complete[i], failed == BL_OK ? error : NULL);
        files[i] = NULL;
        failed = failed == BL_OK ? closed : failed;
    }
    return failed;
}

FILE *bl_whole_files_words(struct bl_file *const files[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (files[i] && bl_file_is_stdout(files[i]))
            return stderr;
    return stdout;
}

struct bl_progress bl_progress_begin(bool quiet)
{
    return (struct bl_progress){.is_on = obeys_escapes(STDERR_FILENO) && !quiet};
}

void bl_progress_show(struct bl_progress *progress, const char *format, ...)
{
    if (!progress->is_on)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(progress->line, sizeof progress->line, format, arguments);
    va_end(arguments);
    progress->is_shown = true;
    bl_progress_make_way(progress, true);
}

void bl_progress_make_way(void *progress_, bool is_over)
{
    const struct bl_progress *progress = progress_;
    if (!progress->is_shown)
        return;
    fputs("\r\x1b[K", stderr);
    if (is_over)
        bl_print(stderr, "%.*s", (int)bl_line_width(stderr) - 1, progress->line);
}

void bl_progress_clear(struct bl_progress *progress)
{
    bl_progress_make_way(progress, false);
    progress->is_shown = false;
}
