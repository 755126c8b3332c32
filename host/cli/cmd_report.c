/* `bankline report`: collects what a page shows (page/page.h), runs gnuplot, and writes the
 * page. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "measure/sampler.h"
#include "model/predict.h"
#include "page/nights.h"
#include "page/page.h"
#include "page/plot.h"
#include "page/request_svg.h"
#include "run/plan.h"
#include "suites.h"
#include "version.h"
#ifdef BL_WITH_SQLITE
#include "history/typical.h"
#endif

/* The cases whose requests the page draws. */
struct report_cases {
    struct bl_page_case *all; /* do not move the elements: each contains pointers into itself */
    size_t count;
};

/* Whether the case is a numbered case of Intel's guides about global and local memory. */
static bool is_first_rank(const struct bl_case *test_case)
{
    return strncmp(test_case->id, "global/", 7) == 0 || strncmp(test_case->id, "local/", 6) == 0;
}

enum { FEW_GROUPS = 2 };

/* Adds the costliest request of a case that has an index pattern. */
static enum bl_status add_case(struct report_cases *cases, const struct bl_machine *machine,
                               const struct bl_plan_item *item, struct bl_error *error)
{
    const struct bl_case *test_case = item->test_case;
    /* Two groups are enough, because all groups of a case cost the same (except where a hash
     * chooses tag banks). */
    struct bl_launch launch = item->own.launch;
    launch.groups = launch.groups < FEW_GROUPS ? launch.groups : FEW_GROUPS;
    uint64_t *starts = bl_pattern_starts(test_case->pattern, &launch);
    if (!starts)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while writing the pictures");
    struct bl_pattern_explanation explained;
    enum bl_status status = bl_explain_pattern(machine, &launch, starts, &explained, error);
    if (status == BL_OK) {
        struct bl_page_case *shown = &cases->all[cases->count++];
        *shown = (struct bl_page_case){.is_first_rank = is_first_rank(test_case),
                                       .id = test_case->id,
                                       .title = test_case->title,
                                       .document = test_case->document};
        snprintf(shown->index, sizeof shown->index, "%s",
                 bl_pattern_expression(test_case->pattern));
        for (unsigned lane = 0; lane < explained.lanes; lane++)
            shown->addresses_bytes[lane] =
                starts[explained.first_item + lane] * launch.type->element_bytes;
        struct bl_part parts[BL_MAX_PARTS];
        bl_parts_of(machine, launch.memory, launch.is_write, launch.type, parts);
        shown->request = (struct bl_request){.memory = launch.memory,
                                             .is_write = launch.is_write,
                                             .access_bytes = parts[0].bytes,
                                             .lanes = explained.lanes,
                                             .addresses_bytes = shown->addresses_bytes};
    }
    free(starts);
    return status == BL_BAD_MACHINE ? BL_OK : status;
}

/* Whether the page draws the case: it must have a claim or be a numbered case, and have an index
 * pattern. */
static bool is_drawn(const struct bl_case *test_case)
{
    return (test_case->claim > 0 || is_first_rank(test_case)) &&
           (test_case->lay_out == bl_lay_out_pattern ||
            test_case->lay_out == bl_lay_out_local_writes);
}

/* Returns an array of the ids of the cases that are drawn, which the caller frees; NULL if memory
 * ran out. */
static const char **drawn_cases(const struct bl_catalogue *catalogue, size_t *count)
{
    size_t all = 0;
    *count = 0;
    for (size_t s = 0; s < catalogue->count; s++)
        all += catalogue->suites[s]->count;
    const char **ids = calloc(all + 1, sizeof(const char *));
    for (size_t s = 0; s < catalogue->count && ids; s++)
        for (size_t c = 0; c < catalogue->suites[s]->count; c++)
            if (is_drawn(&catalogue->suites[s]->cases[c]))
                ids[(*count)++] = catalogue->suites[s]->cases[c].id;
    return ids;
}

/* Of the case's items, returns the item whose groups are a row of as many work-items as the machine
 * has lanes; if there is none, the first item. */
static const struct bl_plan_item *choose(const struct bl_plan_item items[], size_t count,
                                         const char *case_id, const struct bl_machine *machine)
{
    const struct bl_plan_item *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct bl_shape shape = items[i].own.launch.shape;
        if (strcmp(items[i].test_case->id, case_id) != 0)
            continue;
        if (shape.x == machine->lanes && shape.y == 1)
            return &items[i];
        first = first ? first : &items[i];
    }
    return first;
}

/* Finds the costliest request of each case for which is_drawn is true. `choose` selects the shape
 * of the group. The machine must have a rule. The caller frees cases->all, even after a failure.
 * Returns BL_OK or BL_NO_MEMORY. */
static enum bl_status find_cases(const struct bl_machine *machine, struct report_cases *cases,
                                 struct bl_error *error)
{
    *cases = (struct report_cases){0};
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_item *items = NULL;
    size_t count = 0, drawn = 0;
    const char **ids = drawn_cases(&catalogue, &drawn);
    if (!ids)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while writing the pictures");
    const struct bl_plan_filter rows_alone = {ids, drawn, .quick = true};
    enum bl_status status = bl_plan(&catalogue, &rows_alone, machine, NULL, &items, &count, error);
    if (status == BL_OK && !(cases->all = calloc(drawn + 1, sizeof *cases->all)))
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while writing the pictures");
    for (size_t i = 0; i < drawn && status == BL_OK; i++) {
        const struct bl_plan_item *item = choose(items, count, ids[i], machine);
        if (item)
            status = add_case(cases, machine, item, error);
    }
    free(ids);
    free(items);
    return status;
}

/* What the history contains about a card. */
struct report_history {
    struct bl_nights nights;
    struct bl_run_rows typical;
    struct bl_comparison comparison;
};

static const struct bl_change_settings defaults =
    BL_CHANGE_DEFAULTS; /* the defaults of `compare` */

#ifdef BL_WITH_SQLITE

/* The number of runs whose median is typical (the default of `history compare`), and the number of
 * runs that the pictures show. */
enum { TYPICAL_RUNS = 10, SHOWN_RUNS = 100 };

struct adding {
    struct bl_nights *nights;
    const struct bl_run_rows *now;
};

/* Adds a row's series to the nights, followed by the current run's row, because the history may
 * lack the current run. Ignores series whose row the current run lacks. */
static enum bl_status add_series(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    const struct adding *adding = context;
    const struct bl_row *row = bl_run_find(adding->now, &series->points[0].key);
    return row ? bl_nights_add(adding->nights, series->points, series->runs, series->count, row,
                               &adding->now->info, error)
               : BL_OK;
}

static enum bl_status compare_with_typical(struct bl_history *database,
                                           const struct bl_run_rows *now,
                                           struct report_history *history, struct bl_error *error)
{
    struct bl_history_basis basis;
    const struct bl_typical_settings settings = {TYPICAL_RUNS, defaults.threshold, 0};
    enum bl_status status =
        bl_history_typical(database, now, &settings, &history->typical, &basis, error);
    history->nights.runs = basis.runs;
    if (status != BL_OK || basis.runs == 0)
        return status;
    history->comparison = (struct bl_comparison){
        .before = &history->typical,
        .after = now,
        .names = {"the history", "this run"},
        .comparing = {.threshold = defaults.threshold, .knows_spread = true},
    };
    history->nights.comparison = &history->comparison;
    return bl_compare(&history->comparison, error);
}

/* Reads the last runs of the card on which `now` was measured, and compares `now` with their
 * medians. If db is NULL, reads the default history. `now` must outlive *history. Free *history
 * even after a failure. */
static enum bl_status read_history(const char *db, const struct bl_run_rows *now,
                                   struct report_history *history, struct bl_error *error)
{
    char path[BL_HISTORY_PATH];
    struct bl_history *database = NULL;
    struct adding adding = {&history->nights, now};
    *history = (struct report_history){0};
    enum bl_status status = db ? BL_OK : bl_history_default_path(path, error);
    if (status == BL_OK)
        status = bl_history_open(db ? db : path, db ? BL_HISTORY_READ : BL_HISTORY_READ_OR_NONE,
                                 &database, error);
    if (status == BL_OK)
        status = compare_with_typical(database, now, history, error);
    if (status == BL_OK)
        status = bl_history_recent(database, now, SHOWN_RUNS, add_series, &adding, error);
    if (status == BL_OK)
        status = bl_nights_search(&history->nights, defaults.threshold, error);
    bl_history_close(database);
    return status;
}

#else

static enum bl_status read_history(const char *db, const struct bl_run_rows *now,
                                   struct report_history *history, struct bl_error *error)
{
    (void)db, (void)now, (void)history;
    return bl_fail(error, BL_USAGE, "this bankline was built without SQLite, so it has no history");
}

#endif

struct report_settings {
    const char *output, *db, *trace, *infer;
    bool history;
};

struct reporting {
    struct bl_page page;
    struct bl_page_run *runs;
    struct report_cases cases;
    struct bl_page_curve curves[BL_CURVES];
    struct bl_page_sweeps sweeps;
    struct report_history history;
    struct bl_comparison comparison;
    struct bl_file *file;
    char command[4096], time_utc[32];
};

/* Returns the document of a case, with the section; "" if no suite has the case any more. */
static const char *document_of(const char *case_id)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_case *test_case = bl_case_find(&catalogue, case_id);
    return test_case ? test_case->document : "";
}

static enum bl_status read_runs(struct reporting *reporting, const struct bl_arguments *arguments,
                                struct bl_error *error)
{
    reporting->runs = calloc(arguments->count, sizeof *reporting->runs);
    if (!reporting->runs)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu runs", arguments->count);
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

static enum bl_status open_file(struct reporting *reporting, const struct report_settings *settings,
                                const struct bl_arguments *runs, struct bl_error *error)
{
    char beside[3][PATH_MAX]; /* names of the files that SQLite keeps beside a history */
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    char path[PATH_MAX];
    const char *db = settings->db && realpath(settings->db, path) ? path : settings->db;
    for (unsigned i = 0; db && i < 3; i++)
        snprintf(beside[i], sizeof beside[i], "%.4000s%s", db, suffixes[i]);
    const struct bl_named_path others[] = {{"--output", settings->output, true},
                                           {"--db", settings->db, false},
                                           {"--db", settings->db ? beside[0] : NULL, false},
                                           {"--db", settings->db ? beside[1] : NULL, false},
                                           {"--db", settings->db ? beside[2] : NULL, false},
                                           {"--trace", settings->trace, false},
                                           {"--infer", settings->infer, false}};
    const size_t other_count = sizeof others / sizeof *others;
    struct bl_named_path *paths = calloc(runs->count + other_count, sizeof *paths);
    if (!paths)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu runs", runs->count);
    memcpy(paths, others, sizeof others);
    for (size_t i = 0; i < runs->count; i++)
        paths[other_count + i] = (struct bl_named_path){"RUN.csv", runs->words[i], false};
    const enum bl_status status =
        bl_whole_files_open(paths, runs->count + other_count, 1, &reporting->file, error);
    free(paths);
    return status;
}

/* Writes the command line that generates the page again. */
static void say_command(const struct report_settings *settings, const struct bl_arguments *runs,
                        char command[4096])
{
    const char *const options[][2] = {{"--db", settings->db},
                                      {"--trace", settings->trace},
                                      {"--infer", settings->infer},
                                      {"-o", settings->output}};
    snprintf(command, 4096, "bankline report");
    for (size_t i = 0; i < runs->count; i++)
        bl_text_add_word(command, 4096, runs->words[i]);
    bl_text_add(command, 4096, "%s", settings->history ? " --history" : "");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i][1]) {
            bl_text_add(command, 4096, " %s", options[i][0]);
            bl_text_add_word(command, 4096, options[i][1]);
        }
}

static enum bl_status draw(struct reporting *reporting, struct bl_plotter *plotter,
                           struct bl_error *error)
{
    struct bl_page *page = &reporting->page;
    struct bl_points model = {.what = "memory"};
    enum bl_status status = BL_OK;
    if (page->machine && !bl_page_strides(page->machine, &model))
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while writing the pictures");
    if (status == BL_OK)
        status = bl_page_draw(plotter, page, &model, reporting->curves, error);
    bl_points_free(&model);
    if (status == BL_OK)
        status = bl_nights_draw(plotter, &reporting->history.nights, error);
    if (status == BL_OK)
        status = bl_page_draw_sweeps(plotter, &page->infer, &reporting->sweeps, error);
    if (plotter->has_no_gnuplot)
        snprintf(page->why_no_curves, sizeof page->why_no_curves,
                 "The curves are missing because gnuplot is not installed: install the package "
                 "gnuplot-nox and generate the page again.");
    else if (*plotter->why_none)
        snprintf(page->why_no_curves, sizeof page->why_no_curves, "Pictures are missing: %.150s.",
                 plotter->why_none);
    else if (plotter->failures > 0)
        snprintf(page->why_no_curves, sizeof page->why_no_curves,
                 plotter->failures == 1 ? "1 picture is missing: gnuplot could not draw it."
                                        : "%u pictures are missing: gnuplot could not draw them.",
                 plotter->failures);
    page->curves = reporting->curves;
    page->curve_count = BL_CURVES;
    page->sweeps = &reporting->sweeps;
    return status;
}

/* Collects the cases to draw, for the machine of the last run, if that machine is built in and has
 * a rule. */
static enum bl_status add_cases(struct reporting *reporting, struct bl_error *error)
{
    struct bl_page *page = &reporting->page;
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    const struct bl_machine *machine = NULL;
    if (bl_machine_find(rows->rows[0].key.machine, &machine, NULL) != BL_OK || !machine->has_rule)
        return BL_OK;
    page->machine = machine;
    const enum bl_status status = find_cases(machine, &reporting->cases, error);
    page->cases = reporting->cases.all;
    page->case_count = reporting->cases.count;
    return status;
}

static enum bl_status write_page(struct reporting *reporting, struct bl_error *error)
{
    struct bl_plotter plotter;
    enum bl_status status = add_cases(reporting, error);
    if (status != BL_OK)
        return status;
    bl_plotter_open(&plotter);
    status = draw(reporting, &plotter, error);
    bl_plotter_close(&plotter);
    if (status == BL_OK)
        bl_page_write(bl_file_stream(reporting->file), &reporting->page);
    return status;
}

/* Reads the parts of a page that are not runs: the history of the last run's card, a trace, an
 * inferred machine. */
static enum bl_status read_more(struct reporting *reporting, const struct report_settings *settings,
                                struct bl_error *error)
{
    struct bl_page *page = &reporting->page;
    enum bl_status status = BL_OK;
    if (settings->history || settings->db) {
        status = read_history(settings->db, &reporting->runs[page->run_count - 1].rows,
                              &reporting->history, error);
        page->nights = &reporting->history.nights;
    }
    if (status == BL_OK && settings->trace)
        status = bl_page_document_read(settings->trace, BL_DOCUMENT_TRACE, &page->trace, error);
    if (status == BL_OK && settings->infer)
        status = bl_page_document_read(settings->infer, BL_DOCUMENT_INFER, &page->infer, error);
    return status;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct report_settings *settings = settings_;
    if (!settings->output)
        return bl_fail(error, BL_USAGE,
                       "-o FILE is missing; usage: bankline report RUN.csv... -o FILE.html");
    struct reporting *reporting = calloc(1, sizeof *reporting);
    if (!reporting)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting a report");
    bl_time_utc(reporting->time_utc);
    say_command(settings, arguments, reporting->command);
    reporting->page.document_of = document_of;
    reporting->page.command = reporting->command;
    reporting->page.time_utc = reporting->time_utc;
    reporting->page.tool_version = BL_VERSION;
    enum bl_status status = open_file(reporting, settings, arguments, error);
    if (status == BL_OK)
        status = read_runs(reporting, arguments, error);
    if (status == BL_OK)
        status = read_more(reporting, settings, error);
    if (status == BL_OK)
        status = write_page(reporting, error);
    const bool is_complete = status == BL_OK;
    const enum bl_status closed =
        bl_whole_files_close(&reporting->file, &is_complete, 1, is_complete ? error : NULL);
    bl_page_free_curves(reporting->curves, BL_CURVES);
    bl_page_free_curves(reporting->sweeps.curves, reporting->sweeps.count);
    bl_nights_free(&reporting->history.nights);
    bl_comparison_free(&reporting->history.comparison);
    bl_run_free(&reporting->history.typical);
    bl_page_document_free(&reporting->page.trace);
    bl_page_document_free(&reporting->page.infer);
    bl_comparison_free(&reporting->comparison);
    for (size_t i = 0; i < reporting->page.run_count; i++)
        bl_run_free(&reporting->runs[i].rows);
    free(reporting->runs);
    free(reporting->cases.all);
    free(reporting);
    return status == BL_OK ? closed : status;
}

static const struct bl_option options[] = {
    {"history", NULL,
     "add what changed since the card's last runs, and when a row's typical ratio changed",
     BL_FLAG(struct report_settings, history)},
    {"db", "FILE",
     "the history's file (default: as for 'bankline history'); --db implies --history",
     BL_TEXT(struct report_settings, db), .completes = BL_COMPLETE_FILES},
    {"trace", "FILE", "add, line by line, the trace that 'bankline trace --json FILE' wrote",
     BL_TEXT(struct report_settings, trace), .completes = BL_COMPLETE_FILES},
    {"infer", "FILE", "add the values and sweeps that 'bankline infer --json FILE' wrote",
     BL_TEXT(struct report_settings, infer), .completes = BL_COMPLETE_FILES},
    {"output", "FILE", "write the page to FILE ('-': standard output); short form: -o FILE",
     BL_TEXT(struct report_settings, output), .completes = BL_COMPLETE_FILES},
    {0},
};

const struct bl_command bl_command_report = {
    .name = "report",
    .arguments = "RUN.csv... -o FILE",
    .summary = "write an HTML page about one run or several",
    .description =
        "Writes one HTML page that needs no other files and no network. It shows the verdict on "
        "the last run, how fast each level of memory is, the most important findings, what changed "
        "since the first run, curves drawn by gnuplot, a picture of one request of each documented "
        "case, and tables that can be sorted and filtered and whose columns can be chosen.",
    .examples = {"bankline report run.csv -o run.html",
                 "bankline report today.csv --history --trace t.json --infer i.json -o all.html"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_FILES,
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct report_settings),
    .run = run,
};
