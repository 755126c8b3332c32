/* `bankline try`: predicts and measures access patterns that the user types. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/measure.h"
#include "cli/try_view.h"
#include "model/lookup.h"
#include "model/machine_file.h"
#include "report/layout.h"
#include "report/row.h"
#include "run/trials.h"

enum { MAX_GROUPS = 1 << 24 };

/* The values of the options. */
struct try_settings {
    struct bl_measure_settings measure;
    const char *patterns; /* file, or NULL */
    unsigned memory;      /* enum bl_memory */
    struct bl_type type;
    unsigned array_elements; /* 0 for as many as fit */
    struct bl_shape groups;  /* number of work-groups; x is 0 if not given */
    const char *requests;    /* file of the picture of requests, or NULL */
    bool write, model_only;
    const char *level;             /* name of a level; NULL for all levels */
    const char *shapes, *machines; /* comma-separated lists, or NULL */
    const char *table;             /* source of the table (bl_lookup_open), or NULL */
    const char *output, *html;     /* files for the picture of points and for the HTML page, or
                                      NULL */
};

enum { OUTPUT, HTML, REQUESTS, PICTURES };

/* The files of pictures, closed by close_pictures. */
struct pictures {
    struct bl_file *files[PICTURES];
    bool is_html[PICTURES];
    struct bl_try_points points;
    bool are_points_complete; /* whether only points of failed expressions are missing */
};

struct trying {
    const struct try_settings *settings;
    size_t failing; /* index of the last trial that failed */
    struct bl_measuring measuring;
    struct bl_trying plan;
    struct bl_lookup lookup;
    struct pictures *pictures;
};

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path);
    return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

static bool wants_pictures(const struct try_settings *settings)
{
    return settings->output || settings->html || settings->requests;
}

/* Checks that the file name ends with ends[0] or ends[1] (which may be NULL), because the ending
 * determines the format. Also accepts "-" and files in /dev, such as a pipe that the shell made. */
static enum bl_status check_ending(const char *option, const char *path, const char *const ends[2],
                                   struct bl_error *error)
{
    if (!path || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0)
        return BL_OK;
    for (int i = 0; i < 2; i++)
        if (ends[i] && ends_in(path, ends[i]))
            return BL_OK;
    return bl_fail(error, BL_USAGE, "%s '%s': expected a file *%s%s%s, or -", option, path, ends[0],
                   ends[1] ? " or *" : "", ends[1] ? ends[1] : "");
}

/* Opens the files before anything is predicted. Fails if an ending is wrong, or if one of the files
 * is also another file of the command line. */
static enum bl_status open_pictures(const struct try_settings *settings, struct pictures *pictures,
                                    struct bl_error *error)
{
    size_t formats;
    bl_formats(&formats);
    struct bl_named_path paths[PICTURES + BL_MAX_FORMATS + 1] = {
        {"--output", settings->output, true},
        {"--html", settings->html, true},
        {"--requests", settings->requests, true},
        {"--patterns", settings->patterns, false}};
    for (size_t i = 0; i < formats; i++)
        paths[PICTURES + 1 + i] =
            (struct bl_named_path){"a document", settings->measure.output.paths[i], true};
    pictures->is_html[OUTPUT] = settings->output && ends_in(settings->output, ".html");
    pictures->is_html[HTML] = true;
    static const char *const ends[PICTURES][2] = {
        [OUTPUT] = {".svg", ".html"}, [HTML] = {".html", ".htm"}, [REQUESTS] = {".svg", NULL}};
    for (int i = 0; i < PICTURES; i++)
        if (check_ending(paths[i].role, paths[i].path, ends[i], error) != BL_OK)
            return BL_USAGE;
    return bl_whole_files_open(paths, PICTURES + 1 + formats, PICTURES, pictures->files, error);
}

/* Closes the files. If nothing failed, or if only some of several expressions failed, draws the
 * points first. Otherwise old files stay, and an error other than BL_USAGE says that no picture was
 * written. */
static enum bl_status close_pictures(struct pictures *pictures, enum bl_status status,
                                     struct bl_error *error)
{
    const bool is_complete =
        status == BL_OK || (pictures->are_points_complete && pictures->points.count > 0);
    bool all[PICTURES], any = false;
    for (int i = 0; i < PICTURES; i++)
        any |= pictures->files[i] != NULL;
    if (any && !is_complete && status != BL_USAGE)
        bl_text_add(error->sentence, sizeof error->sentence, "; no picture was written");
    for (int i = 0; i < PICTURES; i++) {
        all[i] = is_complete;
        if (pictures->files[i] && i != REQUESTS && is_complete)
            (pictures->is_html[i] ? bl_try_points_html : bl_try_points_svg)(
                bl_file_stream(pictures->files[i]), &pictures->points);
    }
    bl_try_points_free(&pictures->points);
    return bl_whole_files_close(pictures->files, all, PICTURES, status == BL_OK ? error : NULL);
}

/* Whether an earlier expression of the same sweep failed in the same way. */
static bool is_repeated(const struct bl_trial all[], size_t i)
{
    for (size_t k = i; all[i].sweep && k-- > 0 && all[k].sweep == all[i].sweep;)
        if (all[k].status == all[i].status)
            return true;
    return false;
}

/* Receives the failures of trials, in the order of the trials. Prints only the first of several
 * equal failures in a sweep. */
static void take_failure(void *context, const char *name, const struct bl_error *failure)
{
    struct trying *trying = context;
    const struct bl_trials *trials = &trying->plan.trials;
    while (strcmp(bl_trial_name(&trials->all[trying->failing]), name) != 0)
        trying->failing++;
    if (!is_repeated(trials->all, trying->failing))
        bl_measuring_tell(&trying->measuring, name, failure);
    if (trying->measuring.worst == BL_OK)
        trying->measuring.worst = failure->status;
}

/* Prints how many failures take_failure did not print. */
static void tell_repeated(const struct bl_trials *trials)
{
    const struct bl_trial *all = trials->all;
    for (size_t i = 0; i < trials->count; i++) {
        if (!all[i].sweep || all[i].status == BL_OK || is_repeated(all, i))
            continue;
        size_t more = 0;
        const struct bl_trial *fits = NULL;
        for (size_t k = 0; k < trials->count; k++) {
            more += k > i && all[k].sweep == all[i].sweep && all[k].status == all[i].status;
            if (all[k].sweep == all[i].sweep && all[k].status == BL_OK)
                fits = &all[k];
        }
        const bool is_outside = all[i].status == BL_OUT_OF_RANGE;
        if (more > 0)
            bl_print(stderr, "bankline: %zu more expression%s of %s: the same failure%s%s\n", more,
                     bl_plural(more), all[i].sweep,
                     !is_outside ? ""
                     : fits      ? "; the last that fits is "
                                 : "; none fits",
                     is_outside && fits ? bl_trial_name(fits) : "");
    }
}

/* Computes the indices of every expression, and prints which expressions fail. */
static enum bl_status plan_trials(struct trying *trying, struct bl_error *error)
{
    const enum bl_status status = bl_trying_plan(&trying->plan, error);
    tell_repeated(&trying->plan.trials);
    return status;
}

static enum bl_status add_predictions(const struct bl_run *run, struct bl_output *output,
                                      struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        const struct bl_row row = bl_predicted_row(&run->items[i], run->bench.machine);
        status = bl_sinks_row(output->sinks, &row, error);
    }
    return status;
}

/* Writes the predictions as rows to the output files. */
static enum bl_status write_predictions(struct trying *trying, struct bl_error *error)
{
    struct bl_measuring *measuring = &trying->measuring;
    struct bl_output *output = &measuring->output;
    const struct bl_run *run = &measuring->run;
    output->run = &measuring->kept.info;
    output->view.machine = run->bench.machine;
    const struct bl_device *device = run->bench.device;
    enum bl_status status =
        bl_output_open_run(&measuring->settings->output, device == &bl_any_device ? NULL : device,
                           NULL, false, output, error);
    if (status == BL_OK)
        status = add_predictions(run, output, error);
    const enum bl_status closed =
        bl_output_close(output, status == BL_OK, status == BL_OK ? error : NULL);
    status = status == BL_OK ? closed : status;
    if (status == BL_OK && measuring->worst != BL_OK)
        status =
            bl_fail(error, measuring->worst, "some expressions failed; the messages above say why");
    return status;
}

static enum bl_status try_all(struct trying *trying, struct bl_error *error)
{
    const struct bl_measure_settings *measure = &trying->settings->measure;
    const struct bl_run *run = &trying->measuring.run;
    enum bl_status status = plan_trials(trying, error);
    if (status != BL_OK)
        return status;
    bool any = false;
    for (size_t i = 0; i < run->count; i++)
        any |= run->items[i].status == BL_ROW_OK;
    if (!any && !bl_output_is_wanted(&measure->output))
        return bl_fail(
            error, trying->measuring.worst != BL_OK ? trying->measuring.worst : BL_OPENCL_FAILED,
            "there is nothing left to measure");
    /* --quiet prints only the last lines. If nothing is measured and no file is written, the table
     * of means is the last output. */
    const bool is_last =
        measure->quiet && trying->settings->model_only && !bl_output_is_wanted(&measure->output);
    /* With many expressions, pictures of their requests would push the table off the screen. */
    const bool is_brief = is_last || trying->plan.trials.sweeps > 0;
    if (any && (!measure->quiet || is_last))
        status = bl_try_print(bl_output_words(&measure->output), &trying->plan,
                              run->bench.device != &bl_any_device, is_brief, error);
    if (status == BL_OK && trying->pictures)
        status = bl_try_points_add(&trying->pictures->points, &trying->plan, error);
    if (status == BL_OK && trying->pictures && trying->pictures->files[REQUESTS])
        status = bl_try_requests_svg(bl_file_stream(trying->pictures->files[REQUESTS]),
                                     &trying->plan, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(&trying->plan, error);
    if (status != BL_OK)
        return status;
    trying->measuring.keeps = trying->pictures && !trying->settings->model_only;
    status = trying->settings->model_only ? write_predictions(trying, error)
                                          : bl_measuring_rows(&trying->measuring, error);
    if (trying->measuring.keeps && trying->plan.in_cache)
        bl_try_points_measured(&trying->pictures->points, &trying->measuring.kept);
    if (trying->pictures)
        trying->pictures->are_points_complete = status == trying->measuring.worst;
    return status;
}

/* Opens a run without OpenCL, because the model needs only the named machine. */
static enum bl_status open_model(const struct bl_measure_settings *settings,
                                 struct bl_measuring *measuring, struct bl_error *error)
{
    struct bl_bench *bench = &measuring->run.bench;
    measuring->settings = settings;
    *bench = (struct bl_bench){.device = &bl_any_device, .tolerance = settings->run.tolerance};
    const enum bl_status status =
        bl_output_check(&settings->output, "--machine", settings->run.machine, error);
    return status == BL_OK ? bl_machine_named(settings->run.machine, &measuring->run.own_machine,
                                              &bench->machine, error)
                           : status;
}

static enum bl_status close_trying(struct trying *trying, enum bl_status status)
{
    bl_measuring_close(&trying->measuring);
    bl_trying_close(&trying->plan);
    bl_lookup_free(&trying->lookup);
    free(trying);
    return status;
}

/* Whether any expression reads `table`. Only `table` can be indexed, so a bracket shows this. */
static bool reads_table(const struct bl_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        if (strchr(trials->all[i].try.expression.text, '['))
            return true;
    return false;
}

/* Reads the expressions, and opens a device unless only the model is needed. Close *opened
 * (close_trying) even after a failure; it is NULL if it could not be allocated. */
static enum bl_status open_trying(const struct try_settings *settings,
                                  const struct bl_arguments *expressions, struct trying **opened,
                                  struct bl_error *error)
{
    struct trying *trying = *opened = calloc(1, sizeof *trying);
    if (!trying)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting a run");
    trying->settings = settings;
    trying->plan.run = &trying->measuring.run;
    trying->plan.level = settings->level;
    trying->plan.model_only = settings->model_only;
    trying->plan.setup = (struct bl_try_setup){
        .memory = (enum bl_memory)settings->memory,
        .is_write = settings->write,
        .type = settings->type,
        .shape = settings->measure.plan.shape,
        .groups = settings->groups,
        .array_elements = settings->array_elements,
    };
    enum bl_status status =
        bl_output_check(&settings->measure.output, "--patterns", settings->patterns, error);
    if (status == BL_OK && settings->table)
        status = bl_lookup_open(settings->table, &trying->lookup, error);
    if (status == BL_OK)
        status =
            bl_trials_read(settings->patterns, expressions->words, expressions->count,
                           settings->table ? &trying->lookup : NULL, &trying->plan.trials, error);
    if (status == BL_OK && settings->table && !reads_table(&trying->plan.trials))
        status = bl_fail(error, BL_USAGE, "--table: no expression reads table[...]");
    if (status == BL_OK && settings->table && !settings->measure.quiet)
        bl_print(bl_output_words(&settings->measure.output), "table: %s\n", trying->lookup.name);
    const bool needs_device =
        !settings->model_only || !settings->measure.run.machine || settings->measure.run.device;
    if (status == BL_OK)
        status = needs_device ? bl_measuring_open(&settings->measure, &trying->measuring, error)
                              : open_model(&settings->measure, &trying->measuring, error);
    if (status == BL_NO_PLATFORM)
        bl_text_add(error->sentence, sizeof error->sentence,
                    "; to predict without a device: --machine NAME --model-only");
    /* A failing expression ends the command only if it is the only expression and no file would
     * receive its row. */
    if (trying->plan.trials.count > 1 || bl_output_is_wanted(&settings->measure.output)) {
        trying->plan.failed = take_failure;
        trying->plan.context = trying;
    }
    return status;
}

/* The words of a comma-separated list. */
enum { MAX_LIST = 64 };
struct list {
    char text[1024];
    char *words[MAX_LIST];
    size_t count;
};

static enum bl_status split(const char *option, const char *text, struct list *list,
                            struct bl_error *error)
{
    *list = (struct list){.count = 0};
    if (!text) { /* the option is not given: the list has one element, the default */
        list->words[list->count++] = NULL;
        return BL_OK;
    }
    snprintf(list->text, sizeof list->text, "%s", text);
    for (char *word = list->text, *end; word; word = end) {
        end = strchr(word, ',');
        if (end)
            *end++ = '\0';
        if (!*word || strlen(text) >= sizeof list->text || list->count == MAX_LIST)
            return bl_fail(error, BL_USAGE,
                           "--%s '%.60s': expected a list of at most 64 items, such as %s", option,
                           text,
                           strcmp(option, "shapes") == 0 ? "8x4,16x2" : "nvidia-hopper,amd-cdna3");
        list->words[list->count++] = word;
    }
    return BL_OK;
}

/* Predictions for every combination of the listed machines and shapes. */
struct several {
    struct try_settings settings; /* settings with the current machine and shape */
    struct pictures *pictures;
    struct bl_run_info run;
    struct bl_output output;
    bool is_open;
    enum bl_status worst; /* the first failure of an expression, else BL_OK */
    char names[MAX_LIST][sizeof((struct bl_machine *)0)->name]; /* of the listed machines */
};

/* Checks that no earlier machine of the list has the name of machine m, because tables and pictures
 * show only names. */
static enum bl_status check_name(struct several *several, const struct list *machines, size_t m,
                                 const char *name, struct bl_error *error)
{
    snprintf(several->names[m], sizeof several->names[m], "%s", name);
    for (size_t i = 0; i < m; i++)
        if (strcmp(several->names[i], name) == 0)
            return bl_fail(error, BL_USAGE,
                           "--machines: '%.200s' and '%.200s' are both named '%s'; in a machine "
                           "file, change 'name = %s'",
                           machines->words[i], machines->words[m], name, name);
    return BL_OK;
}

/* Predicts for machine m of the list. */
static enum bl_status try_one(struct several *several, const struct list *machines, size_t m,
                              const struct bl_arguments *expressions, struct bl_error *error)
{
    struct trying *trying;
    struct bl_output *output = &several->output;
    enum bl_status status = open_trying(&several->settings, expressions, &trying, error);
    if (!trying)
        return status;
    trying->plan.failed = take_failure;
    trying->plan.context = trying;
    if (status == BL_OK)
        status = check_name(several, machines, m, trying->measuring.run.bench.machine->name, error);
    if (status == BL_OK)
        status = plan_trials(trying, error);
    if (status == BL_OK)
        status = bl_try_points_add(&several->pictures->points, &trying->plan, error);
    if (status == BL_OK && !several->is_open) {
        output->run = &several->run;
        output->view.machine = trying->measuring.run.bench.machine;
        const struct bl_device *device = trying->measuring.run.bench.device;
        status = bl_output_open_run(&several->settings.measure.output,
                                    device == &bl_any_device ? NULL : device, NULL, false, output,
                                    error);
        several->is_open = status == BL_OK;
    }
    if (status == BL_OK)
        status = add_predictions(&trying->measuring.run, output, error);
    if (several->worst == BL_OK)
        several->worst = trying->measuring.worst;
    return close_trying(trying, status);
}

/* Predicts for every listed machine and every listed shape, in one table. */
static enum bl_status try_several(const struct try_settings *settings,
                                  const struct bl_arguments *expressions, struct pictures *pictures,
                                  struct bl_error *error)
{
    struct several several = {.settings = *settings, .pictures = pictures};
    struct list machines, shapes;
    struct bl_measure_settings *measure = &several.settings.measure;
    const struct bl_option shape = {.name = "shapes", .max = 65536};
    several.settings.model_only = true;
    enum bl_status status = split("machines", settings->machines, &machines, error);
    if (status == BL_OK)
        status = split("shapes", settings->shapes, &shapes, error);
    for (size_t m = 0; m < machines.count && status == BL_OK; m++)
        for (size_t s = 0; s < shapes.count && status == BL_OK; s++) {
            if (machines.words[m])
                measure->run.machine = machines.words[m];
            if (shapes.words[s])
                status = bl_parse_shape(&shape, shapes.words[s], &measure->plan.shape, error);
            if (status == BL_OK)
                status = try_one(&several, &machines, m, expressions, error);
        }
    const enum bl_status closed =
        several.is_open
            ? bl_output_close(&several.output, status == BL_OK, status == BL_OK ? error : NULL)
            : BL_OK;
    status = status == BL_OK ? closed : status;
    if (status == BL_OK)
        bl_try_points_table(bl_output_words(&measure->output), &pictures->points);
    pictures->are_points_complete = status == BL_OK;
    return status == BL_OK && several.worst != BL_OK
               ? bl_fail(error, several.worst,
                         "some expressions failed; the messages above say why")
               : status;
}

static enum bl_status check_settings(const struct try_settings *settings, size_t expressions,
                                     struct bl_error *error)
{
    if (expressions == 0 && !settings->patterns)
        return bl_fail(error, BL_USAGE,
                       "usage: bankline try EXPR..., or bankline try --patterns FILE; EXPR is an "
                       "index expression, such as 'get_global_id(0) * 3 + 5'");
    if (settings->requests && (settings->shapes || settings->machines))
        return bl_fail(error, BL_USAGE,
                       "--requests draws requests of one shape on one machine, so use --shape and "
                       "--machine");
    if (settings->shapes && settings->measure.plan.shape.x > 0)
        return bl_fail(error, BL_USAGE, "--shape and --shapes: use one of them");
    if (settings->machines && settings->measure.run.machine)
        return bl_fail(error, BL_USAGE, "--machine and --machines: use one of them");
    return BL_OK;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *expressions,
                          struct bl_error *error)
{
    struct try_settings settings = *(const struct try_settings *)settings_;
    if (check_settings(&settings, expressions->count, error) != BL_OK)
        return BL_USAGE;
    struct pictures pictures = {0};
    struct trying *trying = NULL;
    enum bl_status status = open_pictures(&settings, &pictures, error);
    settings.measure.output.on_stderr = bl_whole_files_words(pictures.files, PICTURES) == stderr;
    if (status == BL_OK && (settings.shapes || settings.machines)) {
        status = try_several(&settings, expressions, &pictures, error);
    } else if (status == BL_OK) {
        status = open_trying(&settings, expressions, &trying, error);
        if (trying)
            trying->pictures = wants_pictures(&settings) ? &pictures : NULL;
        if (trying && status == BL_OK)
            status = try_all(trying, error);
    }
    const enum bl_status drawn = close_pictures(&pictures, status, error);
    if (trying)
        close_trying(trying, status);
    return status == BL_OK ? drawn : status;
}

static const char *const memories[] = {"global", "local", "constant", NULL}; /* enum bl_memory */

static const struct bl_option options[] = {
    {"patterns", "FILE", "try the expressions in FILE, whose lines are 'name = expression'",
     BL_TEXT(struct try_settings, patterns), .completes = BL_COMPLETE_FILES},
    {"table", "FILE",
     "integers that expressions read as table[...]: a file, random:N (pseudo-random integers below "
     "N) or permutation:N (all integers below N, shuffled); the seed is 1 unless you append :SEED",
     BL_TEXT(struct try_settings, table), .completes = BL_COMPLETE_TABLES},
    {"shapes", "LIST", "predict for work-groups of each of these shapes, such as 8x4,16x2",
     BL_TEXT(struct try_settings, shapes), .completes = BL_COMPLETE_SHAPES, .is_list = true},
    {"machines", "LIST",
     "predict for each of these machines, in one table; --shapes and --machines measure nothing",
     BL_TEXT(struct try_settings, machines), .completes = BL_COMPLETE_MACHINES, .is_list = true},
    {"output", "FILE",
     "draw predicted and measured ratios to FILE.svg or FILE.html; short form: -o",
     BL_TEXT(struct try_settings, output), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"html", "FILE", "write an HTML page with the picture of --output and its table",
     BL_TEXT(struct try_settings, html), .completes = BL_COMPLETE_FILES, .group = BL_GROUP_OUTPUT},
    {"requests", "FILE",
     "draw the costliest request of each expression, side by side and clock by clock, to FILE.svg",
     BL_TEXT(struct try_settings, requests), .completes = BL_COMPLETE_FILES,
     .group = BL_GROUP_OUTPUT},
    {"memory", "SPACE", "memory of the array: global (default), local or constant",
     BL_CHOICE(struct try_settings, memory, memories)},
    {"type", "TYPE", "type of the array's elements: uchar to double, and vectors (default int)",
     BL_TYPE(struct try_settings, type)},
    {"array-elements", "N",
     "the array has N elements, so indices must be below N (default: as many as fit)",
     BL_COUNT(struct try_settings, array_elements, INT32_MAX)},
    {"groups", "N", "ids range over N or NxM work-groups (default 8; 1 for local memory)",
     BL_EXTENT(struct try_settings, groups, MAX_GROUPS)},
    {"level", "NAME",
     "measure at this level only: cache (the compute unit's), L2, memory, ... (default: all levels "
     "of the device's machine)",
     BL_TEXT(struct try_settings, level), .completes = BL_COMPLETE_LEVELS},
    {"write", NULL, "write to the array instead of reading it",
     BL_FLAG(struct try_settings, write)},
    {"model-only", NULL,
     "only predict: compute the indices but access nothing. With --machine and without --device, "
     "no device is needed",
     BL_FLAG(struct try_settings, model_only)},
    {0},
};

static const struct try_settings defaults = {
    .measure = BL_MEASURE_DEFAULTS,
    .type = {"int", 4, 1, 4, 4, "int", false},
};

const struct bl_command bl_command_try = {
    .name = "try",
    .arguments = "EXPR...",
    .summary = "predict and measure an access pattern that you type",
    .description =
        "EXPR is an OpenCL C integer expression of a work-item's ids and sizes; its value is the "
        "index of the array element that the work-item accesses. All indices are computed first, "
        "on the host; an expression with an index outside the array is reported, and accesses "
        "nothing. A picture shows which lanes share a line or a bank, the model predicts the cost "
        "of each request, and the pattern is measured against the contiguous access of the same "
        "type and shape. Braces expand one expression to many, in one table: {16..33}, {0..64..8} "
        "or {1,2,4}.",
    .examples = {"bankline try 'get_global_id(0) * 3 + 5' 'get_global_id(0) * 4'",
                 "bankline try 'get_local_id(0) * 33 % 1024' --memory local --type float4"},
    .max_arguments = SIZE_MAX,
    .options = {{.options = options}, BL_MEASURE_PARTS(offsetof(struct try_settings, measure))},
    .settings_bytes = sizeof(struct try_settings),
    .defaults = &defaults,
    .run = run,
};
