#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cases.h"
#include "cli/option_values.h"
#include "cli/whole_files.h"
#include "model/explain.h"
#include "page/curves.h"
#include "suites.h"
#include "version.h"

struct report_settings {
    const char *output;
};

struct reporting {
    struct bl_page page;
    struct bl_page_run *runs;
    struct bl_page_case *cases;
    struct bl_page_curve curves[BL_CURVES];
    struct bl_comparison comparison;
    struct bl_file *file;
    char command[4096], time_utc[32];
};

/* The document and section of a case; "" for one that no suite has any more. */
static const char *document_of(const char *case_id)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_case *test_case = bl_case_find(&catalogue, case_id);
    return test_case ? test_case->document : "";
}

/* The costliest request of a case that has an index pattern. */
static enum bl_status add_case(struct reporting *reporting, const struct bl_plan_item *item,
                               struct bl_error *error)
{
    const struct bl_case *test_case = item->test_case;
    const struct bl_machine *machine = reporting->page.machine;
    const struct bl_launch *launch = &item->own.launch;
    uint64_t *starts = bl_pattern_starts(test_case->pattern, launch);
    if (!starts)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    struct bl_explanation explained;
    enum bl_status status = bl_explain(machine, launch, starts, &explained, error);
    if (status == BL_OK) {
        struct bl_page_case *shown = &reporting->cases[reporting->page.case_count++];
        *shown = (struct bl_page_case){
            .id = test_case->id, .title = test_case->title, .document = test_case->document};
        snprintf(shown->index, sizeof shown->index, "%s",
                 bl_pattern_expression(test_case->pattern));
        for (unsigned lane = 0; lane < explained.lanes; lane++)
            shown->addresses_bytes[lane] =
                starts[explained.first_item + lane] * launch->type->element_bytes;
        struct bl_part parts[BL_MAX_PARTS];
        bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
        shown->request = (struct bl_request){.memory = launch->memory,
                                             .is_write = launch->is_write,
                                             .access_bytes = parts[0].bytes,
                                             .lanes = explained.lanes,
                                             .addresses_bytes = shown->addresses_bytes};
    }
    free(starts);
    return status == BL_BAD_MACHINE ? BL_OK : status;
}

/* Requests of the documented cases in the row of the machine's own lanes, on the machine of the
 * last run. */
static enum bl_status draw_cases(struct reporting *reporting, struct bl_error *error)
{
    const struct bl_run_rows *rows = &reporting->runs[reporting->page.run_count - 1].rows;
    const struct bl_machine *machine = NULL;
    if (bl_machine_find(rows->rows[0].key.machine, &machine, NULL) != BL_OK || !machine->has_rule)
        return BL_OK;
    reporting->page.machine = machine;
    const struct bl_catalogue catalogue = bl_suites();
    static const char *const documented[] = {"global", "local"};
    const struct bl_arguments selectors = {documented, 2};
    struct bl_plan_item *items = NULL;
    size_t count = 0;
    enum bl_status status =
        bl_plan_cases(&catalogue, NULL, &selectors, machine, NULL, &items, &count, error);
    if (status == BL_OK && !(reporting->cases = calloc(count + 1, sizeof *reporting->cases)))
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        const struct bl_launch *launch = &items[i].own.launch;
        const bool is_shown = items[i].test_case->lay_out == bl_lay_out_pattern &&
                              launch->shape.x == machine->lanes && launch->shape.y == 1;
        if (is_shown && (i == 0 || items[i].test_case != items[i - 1].test_case ||
                         items[i - 1].own.launch.shape.x != machine->lanes))
            status = add_case(reporting, &items[i], error);
    }
    free(items);
    reporting->page.cases = reporting->cases;
    return status;
}

static const struct bl_change_settings defaults = BL_CHANGE_DEFAULTS; /* as `compare` has them */

static enum bl_status read_runs(struct reporting *reporting, const struct bl_arguments *arguments,
                                struct bl_error *error)
{
    reporting->runs = calloc(arguments->count, sizeof *reporting->runs);
    if (!reporting->runs)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu runs", arguments->count);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < arguments->count && status == BL_OK; i++) {
        reporting->runs[i].path = arguments->words[i];
        reporting->page.run_count = i + 1;
        status = bl_run_read(arguments->words[i], &reporting->runs[i].rows, error);
    }
    reporting->page.runs = reporting->runs;
    if (status != BL_OK || arguments->count < 2)
        return status;
    reporting->comparison = (struct bl_comparison){
        .before = &reporting->runs[0].rows,
        .after = &reporting->runs[arguments->count - 1].rows,
        .names = {arguments->words[0], arguments->words[arguments->count - 1]},
        .comparing = {.threshold = defaults.threshold},
    };
    reporting->page.comparison = &reporting->comparison;
    return bl_compare(&reporting->comparison, error);
}

static enum bl_status open_file(struct reporting *reporting, const char *output,
                                const struct bl_arguments *runs, struct bl_error *error)
{
    struct bl_named_path *paths = calloc(runs->count + 1, sizeof *paths);
    if (!paths)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu runs", runs->count);
    paths[0] = (struct bl_named_path){"--output", output, true};
    for (size_t i = 0; i < runs->count; i++)
        paths[i + 1] = (struct bl_named_path){"RUN.csv", runs->words[i], false};
    const enum bl_status status =
        bl_whole_files_open(paths, runs->count + 1, 1, &reporting->file, error);
    free(paths);
    return status;
}

/* The command line, for whoever wants to make the page again. */
static void say_command(const struct report_settings *settings, const struct bl_arguments *runs,
                        char command[4096])
{
    size_t used = (size_t)snprintf(command, 4096, "bankline report");
    for (size_t i = 0; i < runs->count && used < 4096; i++)
        used += (size_t)snprintf(command + used, 4096 - used, " %s", runs->words[i]);
    if (used < 4096)
        snprintf(command + used, 4096 - used, " -o %s", settings->output);
}

static enum bl_status write_page(struct reporting *reporting, struct bl_error *error)
{
    struct bl_page *page = &reporting->page;
    enum bl_status status = draw_cases(reporting, error);
    if (status == BL_OK)
        status = bl_page_draw(reporting->runs[page->run_count - 1].path, reporting->curves,
                              page->why_no_curves, error);
    if (status != BL_OK)
        return status;
    page->curves = reporting->curves;
    page->curve_count = BL_CURVES;
    bl_page_write(bl_file_stream(reporting->file), page);
    return BL_OK;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct report_settings *settings = settings_;
    if (!settings->output)
        return bl_fail(error, BL_USAGE, "which file? bankline report RUN.csv... -o FILE.html");
    struct reporting *reporting = calloc(1, sizeof *reporting);
    if (!reporting)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a report");
    bl_time_utc(reporting->time_utc);
    say_command(settings, arguments, reporting->command);
    reporting->page.document_of = document_of;
    reporting->page.command = reporting->command;
    reporting->page.time_utc = reporting->time_utc;
    reporting->page.tool_version = BL_VERSION;
    enum bl_status status = open_file(reporting, settings->output, arguments, error);
    if (status == BL_OK)
        status = read_runs(reporting, arguments, error);
    if (status == BL_OK)
        status = write_page(reporting, error);
    const bool is_complete = status == BL_OK;
    const enum bl_status closed =
        bl_whole_files_close(&reporting->file, &is_complete, 1, is_complete ? error : NULL);
    bl_page_free_curves(reporting->curves);
    bl_comparison_free(&reporting->comparison);
    for (size_t i = 0; i < reporting->page.run_count; i++)
        bl_run_free(&reporting->runs[i].rows);
    free(reporting->runs);
    free(reporting->cases);
    free(reporting);
    return status == BL_OK ? closed : status;
}

static const struct bl_option options[] = {
    {"output", "FILE", "write the page to FILE; -o FILE is the same",
     BL_TEXT(struct report_settings, output), .completes = BL_COMPLETE_FILES},
    {0},
};

const struct bl_command bl_command_report = {
    .name = "report",
    .arguments = "RUN.csv...",
    .summary = "a page to look at, of one run or several",
    .description =
        "Writes one page of HTML, with nothing beside it and no network: how the last run went and "
        "what matters most of it, what changed since the first, curves that gnuplot draws, one "
        "request of each documented case as a picture, and tables that sort and are filtered.",
    .examples = {"bankline report run.csv -o run.html",
                 "bankline report before.csv after.csv -o change.html"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_FILES,
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct report_settings),
    .run = run,
};
