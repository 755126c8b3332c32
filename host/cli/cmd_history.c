/* `bankline history`: the tables of its actions and options, and the action `why`, which prints why
 * a run is worse than the runs before it. The other actions are in history_actions.c. */
#include "cli/command.h"

#ifdef BL_WITH_SQLITE
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/history_actions.h"
#include "cli/output.h"
#include "history/why.h"
#include "report/layout.h"

/* The action `why`. */

/* Prints a heading, which is one word, and a paragraph to its right. */
static void say(const struct bl_view *view, const char *word, const char *text)
{
    bl_print(stdout, "%-8s", word);
    bl_put_paragraph(stdout, 8, 8, view->width, "%s", text);
}

static void say_what(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const struct bl_comparison *comparison = &why->first.comparison;
    const size_t not_asked = comparison->counts[BL_CHANGE_NOT_ASKED],
                 kernels = comparison->counts[BL_CHANGE_KERNEL];
    char text[1024] = "";
    const struct {
        size_t count;
        const char *word;
    } counts[] = {{diagnosis->slower, "slower"},
                  {diagnosis->broken, "without a number now"},
                  {diagnosis->missing, "missing"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].count > 0)
            bl_text_add(text, sizeof text, "%s%zu row%s %s", *text ? ", " : "", counts[i].count,
                        bl_plural(counts[i].count), counts[i].word);
    if (!*text && why->first.typical.count == 0)
        bl_text_add(text, sizeof text,
                    "the history has no earlier run of %s: nothing to compare with",
                    why->first.now.info.device);
    else if (!*text)
        bl_text_add(text, sizeof text,
                    "no row is slower, missing or broken; %zu of %zu are unclear",
                    comparison->counts[BL_CHANGE_UNCLEAR], comparison->count - not_asked);
    if (diagnosis->bad_count == 0 && kernels > 0)
        bl_text_add(text, sizeof text, "; %zu cannot be compared, because their kernels changed",
                    kernels);
    const struct bl_compared *slowest = why->slowest;
    if (slowest && slowest->is_absolute)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% (own speed; time: %.4g -> %.4g ns)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->case_ns, slowest->after->case_ns);
    else if (slowest)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% (%.4f -> %.4f)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->measured, slowest->after->measured);
    if (diagnosis->slower > 1)
        bl_text_add(text, sizeof text, "; the median of these rows by %.1f %%%s",
                    -100 * diagnosis->median_by, diagnosis->common);
    if (not_asked > 0)
        bl_text_add(text, sizeof text, "; %zu row%s not asked for", not_asked,
                    not_asked == 1 ? " was" : "s were");
    say(view, "what", text);
}

static void say_causes(const struct bl_why *why, const struct bl_view *view)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < why->diagnosis.cause_count && i < MOST; i++)
        say(view, i == 0 ? "cause" : "or", why->diagnosis.causes[i].text);
}

/* Prints since when the slowest row, or if no row is slower the worst row, has been worse. */
static void say_since(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_row_since *since = &why->since;
    char text[512];
    if (since->runs > 1)
        snprintf(text, sizeof text, "%s, for %zu runs", since->first, since->runs);
    else
        snprintf(text, sizeof text, "this run, %s", why->first.now.info.time_utc);
    if (since->runs > 0)
        bl_text_add(text, sizeof text,
                    "; the run before: %s, driver "
                    "%.80s",
                    since->before.time_utc, since->before.driver);
    say(view, "since", text);
}

static void say_how_sure(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    double certainty = NAN;
    char text[512];
    for (size_t i = 0; i < diagnosis->bad_count; i++)
        certainty = fmax(certainty, bl_certainty(diagnosis->bad[i]));
    const char *twice = why->evidence.again ? "; confirmed by a second "
                                              "measurement"
                                            : "; measured once";
    if (isfinite(certainty))
        snprintf(text, sizeof text,
                 "the change is %.1f times the limit that 95 %% of unchanged rows stay below%s",
                 certainty, twice);
    else
        snprintf(text, sizeof text, "certain: there is no number%s", twice);
    say(view, "sure", text);
}

/* Prints likely causes, when the change began, how certain it is, and what else changed. */
static void say_evidence(const struct bl_why *why, const struct bl_view *view)
{
    const char *differences = why->diagnosis.differences;
    say_causes(why, view);
    say_since(why, view);
    if (why->diagnosis.bad_count > 0)
        say_how_sure(why, view);
    say(view, "changed", *differences ? differences : "nothing that runs record");
}

/* Prints the one command to run next. */
static void say_next(const struct bl_why *why, const struct bl_history_settings *settings,
                     const char *path, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const enum bl_next next = diagnosis->causes[0].next;
    const struct bl_row_key *key = diagnosis->causes[0].key;
    if (!key && diagnosis->bad_count > 0)
        key = diagnosis->bad[0]->key;
    const char *worst = key ? key->case_id : NULL;
    static const char *const actions[] = {[BL_NEXT_SINCE] = "history since",
                                          [BL_NEXT_MEASURE] = "run",
                                          [BL_NEXT_CARDS] = "history outliers",
                                          [BL_NEXT_CLOCK] = "history show",
                                          [BL_NEXT_LOAD] = "run",
                                          [BL_NEXT_COMPARE] = "history compare"};
    char command[4096] = "bankline";
    if (next == BL_NEXT_DATE) {
        puts("next    date -u");
        return;
    }
    const bool is_of_file = next == BL_NEXT_COMPARE || !worst;
    const bool is_run = !is_of_file && (next == BL_NEXT_LOAD || next == BL_NEXT_MEASURE);
    bl_text_add(command, sizeof command, " %s", is_of_file ? "history compare" : actions[next]);
    bl_text_add_word(command, sizeof command, is_of_file ? path : worst);
    if (is_run && next == BL_NEXT_LOAD) { /* not for BL_NEXT_MEASURE: the run in `path` has no
                                             numbers for those rows */
        bl_text_add(command, sizeof command, " --compare");
        bl_text_add_word(command, sizeof command, path);
    } else if (!is_run && settings->db) {
        bl_text_add(command, sizeof command, " --db");
        bl_text_add_word(command, sizeof command, settings->db);
    }
    bl_print(stdout, "%-8s%s\n", "next", command);
    if (next == BL_NEXT_LOAD && !is_of_file) {
        fputs("        ", stdout);
        bl_put_paragraph(stdout, 8, 8, view->width,
                         "rows that are faster in the new run were slowed down by other load");
    }
}

enum bl_status bl_history_do_why(struct bl_history *history,
                                 const struct bl_history_settings *settings,
                                 const struct bl_arguments *arguments, struct bl_error *error)
{
    const char *path = arguments->words[0];
    const struct bl_view view = bl_view_of_terminal(false);
    struct bl_why *why = calloc(1, sizeof *why);
    if (!why)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %s", path);
    const struct bl_why_settings wanted = {.runs = settings->runs,
                                           .threshold = settings->change.threshold,
                                           .requires_all = settings->change.requires_all,
                                           .again = settings->again,
                                           .changed = settings->changed};
    enum bl_status status = bl_history_find_why(history, path, &wanted, why, error);
    if (status == BL_OK) {
        const struct bl_diagnosis *diagnosis = &why->diagnosis;
        const bool is_bad = diagnosis->bad_count > 0 || *why->evidence.later_run;
        say_what(why, &view);
        if (is_bad)
            say_evidence(why, &view);
        say_next(why, settings, path, &view);
        if (is_bad)
            status = bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                             diagnosis->slower, diagnosis->missing, diagnosis->broken);
    }
    bl_why_free(why);
    free(why);
    return status;
}

/* The command. */

static enum bl_status check_name(const struct bl_output_settings *output, const char *database,
                                 struct bl_error *error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && status == BL_OK; i++) {
        char path[PATH_MAX + 16];
        snprintf(path, sizeof path, "%s%s", database, suffixes[i]);
        status = bl_output_check(output, "--db", path, error);
    }
    return status;
}

/* Checks that no output is the database, or a file that SQLite keeps beside the database. If the
 * database is a link, SQLite keeps these files beside the link's target. */
static enum bl_status check_database(const struct bl_output_settings *output, const char *database,
                                     struct bl_error *error)
{
    enum bl_status status = check_name(output, database, error);
    char target[PATH_MAX];
    if (status == BL_OK && realpath(database, target))
        status = check_name(output, target, error);
    return status;
}

/* Opens the history and runs the action. Only the action `add` creates a history. Before anything
 * is opened, checks that no output would overwrite the database or RUN.csv. */
static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    const struct bl_history_settings *settings = settings_;
    const struct bl_output_settings *output = &settings->change.output;
    char path[BL_HISTORY_PATH];
    struct bl_history *history = NULL;
    const bool adds = settings->act == bl_history_do_add;
    const bool reads_run = settings->act == bl_history_do_compare ||
                           settings->act == bl_history_do_why ||
                           settings->act == bl_history_do_inconclusive;
    enum bl_status status = BL_OK;
    if (!settings->db)
        status = bl_history_default_path(path, error);
    const char *database = settings->db ? settings->db : path;
    if (strcmp(database, "-") == 0)
        return bl_fail(error, BL_USAGE, "--db needs a file, and '-' is standard output");
    if (status == BL_OK)
        status = check_database(output, database, error);
    if (status == BL_OK && reads_run)
        status = bl_output_check(output, "RUN.csv", arguments->words[0], error);
    if (status == BL_OK && adds && !settings->db)
        status = bl_make_folders(path, error);
    if (status == BL_OK)
        status = bl_history_open(database,
                                 adds        ? BL_HISTORY_ADD
                                 : reads_run ? BL_HISTORY_READ_OR_NONE
                                             : BL_HISTORY_READ,
                                 &history, error);
    if (status == BL_OK)
        status = settings->act(history, settings, arguments, error);
    bl_history_close(history);
    return status;
}

static const struct bl_option database[] = {
    {"db", "FILE", "the history's file (default: bankline/history.db under XDG_DATA_HOME)",
     BL_TEXT(struct bl_history_settings, db), .completes = BL_COMPLETE_FILES},
    {0},
};

static const struct bl_option of_a_device[] = {
    {"device", "NAME",
     "only the card whose device_id begins with NAME, else the device named NAME, else devices "
     "whose name or platform contains NAME (default: all)",
     BL_TEXT(struct bl_history_settings, device)},
    {0},
};

static const struct bl_option quiet[] = {
    {"quiet", NULL, "print nothing", BL_FLAG(struct bl_history_settings, change.quiet)},
    {0},
};

static const struct bl_option last_runs[] = {
    {"runs", "N", "compare with the median of the last N runs (default 10)",
     BL_COUNT(struct bl_history_settings, runs, 100)},
    {0},
};

static const struct bl_option half[] = {
    {"half", "N",
     "compare with every second run of the last 2 x --runs runs, beginning with the newest (1) or "
     "with the second newest (2), so that two measurements are compared with different runs; with "
     "fewer than four earlier runs, compare with all of them",
     BL_COUNT(struct bl_history_settings, half, 2)},
    {0},
};

static const struct bl_option threshold[] = {
    {"threshold", "PCT", "the smallest change to detect (default 2%)",
     BL_PERCENT(struct bl_history_settings, change.threshold)},
    {0},
};

static const struct bl_option of_inconclusive[] = {
    {"nights", "N", "name rows that were unclear in N consecutive runs (default 3)",
     BL_COUNT(struct bl_history_settings, nights, 20)},
    {"new", NULL, "name a row only in its N-th consecutive unclear run, not in later ones",
     BL_FLAG(struct bl_history_settings, only_new)},
    {0},
};

static const struct bl_option of_why[] = {
    {"again", "FILE",
     "CSV of a second measurement; rows that are slower only in RUN.csv are ignored",
     BL_TEXT(struct bl_history_settings, again), .completes = BL_COMPLETE_FILES},
    {"require-all", NULL, "count rows as 'missing' even if the run was not asked for them",
     BL_FLAG(struct bl_history_settings, change.requires_all)},
    {"changed", "FILE", "file that lists other changes on the host, one per line",
     BL_TEXT(struct bl_history_settings, changed), .completes = BL_COMPLETE_FILES},
    {0},
};

static const struct bl_option of_outliers[] = {
    {"since", "DATE",
     "compare medians over each card's runs since DATE (default: each card's newest values of the "
     "last night, which begins 20 hours before the newest run; a single run of only some cases "
     "does not count as the newest)",
     BL_TEXT(struct bl_history_settings, since)},
    {"threshold", "PCT",
     "smallest difference of a ratio, or with --absolute of a time, to report (default 2%)",
     BL_PERCENT(struct bl_history_settings, least)},
    {"speed", "PCT", "smallest difference of a card's speed to report (default 5%)",
     BL_PERCENT(struct bl_history_settings, least_speed)},
    {"absolute", NULL, "also compare each row's own time",
     BL_FLAG(struct bl_history_settings, change.absolute)},
    {"quiet", NULL,
     "leave out the tables of rows; print nothing if there is nothing to report, such as a card "
     "that differs or could not be compared",
     BL_FLAG(struct bl_history_settings, change.quiet)},
    {0},
};

#define CHANGE offsetof(struct bl_history_settings, change)

/* The function that an action runs, and the action's default settings. */
#define RUN(act_)                                                                 \
    .settings_bytes = sizeof(struct bl_history_settings), .run = run,             \
    .defaults = &(const struct bl_history_settings)                               \
    {                                                                             \
        .act = act_, .runs = 10, .nights = 3, .least = 0.02, .least_speed = 0.05, \
        .change = BL_CHANGE_DEFAULTS                                              \
    }

static const struct bl_command history_add = {
    .name = "history add",
    .arguments = "RUN.csv...",
    .summary = "add runs",
    .description =
        "Adds the runs of CSV files. Runs are identified by their run_id: rows that the history "
        "lacks are added, and existing rows stay as they are. A file is added whole or not at all; "
        "if a file cannot be added, the remaining files are still added. Several processes may add "
        "runs simultaneously.",
    .examples = {"bankline history add results/runs/*/*.csv",
                 "bankline history add run.csv --db lab.db --quiet"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_FILES,
    .options = {{.options = database}, {.options = quiet}},
    RUN(bl_history_do_add),
};

static const struct bl_command history_list = {
    .name = "history list",
    .arguments = "",
    .summary = "list the runs",
    .description = "Prints each run's time, id, number of rows, number of rows without a number, "
                   "device, driver and version.",
    .examples = {"bankline history list", "bankline history list --db lab.db"},
    .options = {{.options = database}},
    RUN(bl_history_do_list),
};

static const struct bl_command history_show = {
    .name = "history show",
    .arguments = "CASE",
    .summary = "a case over time, with a sparkline on a terminal",
    .description =
        "Prints every measurement of the rows of CASE (an id, a suite or a glob). If the history "
        "has more than 16 cards and --device is not given, prints only a line for each night of "
        "the last week.",
    .examples = {"bankline history show local/5", "bankline history show 'local/*' --device H100"},
    .min_arguments = 1,
    .max_arguments = 1,
    .completes = BL_COMPLETE_CASES,
    .options = {{.options = of_a_device}, {.options = database}},
    RUN(bl_history_do_show),
};

static const struct bl_command history_compare = {
    .name = "history compare",
    .arguments = "RUN.csv [CASE...]",
    .summary = "what got slower than in the last runs",
    .description =
        "Compares a run with what is typical of its card: the median of the last runs. A row's "
        "noise is estimated from its spread in these runs and from the spread that all rows show "
        "from one run to the next. A row that drifted over the last 100 runs is compared with its "
        "typical ratio before the drift. Exits with 1 if a row is slower, missing or broken.",
    .examples = {"bankline history compare today.csv",
                 "bankline history compare today.csv 'local/*' --runs 30 --threshold 1%"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_FILES,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = last_runs},
                {.options = half},
                {.options = database},
                BL_CHANGE_PARTS(CHANGE)},
    RUN(bl_history_do_compare),
};

static const struct bl_command history_since = {
    .name = "history since",
    .arguments = "CASE",
    .summary = "when a case got its present ratio",
    .description =
        "Finds the last change point of each row of CASE (an id, a suite or a glob): the first run "
        "with the present typical ratio. Prints that run and the run before it, with their drivers "
        "and versions, and how many later runs lack the row although they were asked for it. If "
        "the history has more than 16 cards, --device is required.",
    .examples = {"bankline history since local/5",
                 "bankline history since 'local/*' --threshold 5%"},
    .min_arguments = 1,
    .max_arguments = 1,
    .completes = BL_COMPLETE_CASES,
    .options = {{.options = of_a_device}, {.options = threshold}, {.options = database}},
    RUN(bl_history_do_since),
};

static const struct bl_command history_why = {
    .name = "history why",
    .arguments = "RUN.csv",
    .summary = "why a run is worse than the runs before it",
    .description =
        "Prints what got worse in a run, the likely causes, when the change began, how certain the "
        "change is, what else changed since the last run before the change, and the command to run "
        "next. As in the nightly script, the run is compared with half of the last runs. "
        "Exits with 1 if a row is slower, missing or broken, or if an earlier run has a later time "
        "(the host's clock is or was wrong).",
    .examples = {"bankline history why today.csv",
                 "bankline history why today.csv --again again/today.csv --db lab.db"},
    .min_arguments = 1,
    .max_arguments = 1,
    .completes = BL_COMPLETE_FILES,
    .options = {{.options = of_why},
                {.options = last_runs},
                {.options = threshold},
                {.options = database}},
    RUN(bl_history_do_why),
};

static const struct bl_command history_inconclusive = {
    .name = "history unjudged",
    .arguments = "RUN.csv",
    .summary = "rows that could not be judged, run after run",
    .description =
        "Names the rows that 'history compare' finds unclear in this run and in the runs just "
        "before it, and what would make them clear. If there are no such rows, prints a sentence "
        "that says so, or with --new prints nothing.",
    .examples = {"bankline history unjudged today.csv",
                 "bankline history unjudged today.csv --nights 5 --new"},
    .min_arguments = 1,
    .max_arguments = 1,
    .completes = BL_COMPLETE_FILES,
    .options = {{.options = of_inconclusive},
                {.options = last_runs},
                {.options = threshold},
                {.options = database}},
    RUN(bl_history_do_inconclusive),
};

static const struct bl_command history_outliers = {
    .name = "history outliers",
    .arguments = "[CASE...]",
    .summary = "which card differs from the others of its model",
    .description =
        "Compares the cards of the last night's runs with the other cards of their model and "
        "driver. Prints the typical value of each row, and names the cards that differ by more "
        "than chance explains. For each of them, prints since when it differs, and whether a ratio "
        "differs or only the speed (clock or power). One healthy fleet in 100 gets a false alarm. "
        "A comparison needs at least four cards of a model, and more cards to find small "
        "differences. A card counts as lacking a row only if one of its runs was asked for the "
        "row's case, or if another card whose runs were asked for the same cases has the row. "
        "Exits with 1 if a card is named.",
    .examples = {"bankline history outliers --db fleet.db",
                 "bankline history outliers 'local/*' --absolute --since 2026-11-01"},
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_CASES,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = of_outliers},
                {.options = database},
                {.option = bl_fleet_format_option,
                 .offset = CHANGE + offsetof(struct bl_change_settings, output)}},
    RUN(bl_history_do_outliers),
};

static const struct bl_command history_export = {
    .name = "history export",
    .arguments = "",
    .summary = "write all runs as CSV, in the form that 'run' writes",
    .description =
        "Writes the rows of all runs, oldest first, as CSV, to standard output or to a file. "
        "'history add' can read that CSV.",
    .examples = {"bankline history export --csv all.csv", "bankline history export --db lab.db"},
    .options = {{.options = bl_csv_options,
                 .offset = CHANGE + offsetof(struct bl_change_settings, output)},
                {.options = database}},
    RUN(bl_history_do_export),
};

static const struct bl_command *const actions[] = {
    &history_add, &history_list,         &history_show,     &history_compare, &history_since,
    &history_why, &history_inconclusive, &history_outliers, &history_export,  NULL,
};

const struct bl_command bl_command_history = {
    .name = "history",
    .arguments = "ACTION",
    .summary = "runs over time: add, list, show, compare, since, why, unjudged, outliers, export",
    .description =
        "Keeps runs in a SQLite database, which must be on a local disk, because its write-ahead "
        "log does not work on a network share.",
    .examples = {"bankline history add run.csv", "bankline history compare today.csv"},
    .actions = actions,
};

#else

const struct bl_command bl_command_history = {
    .name = "history",
    .arguments = "ACTION",
    .summary = "runs over time (not built: sqlite3 is missing)",
    .lacks = "sqlite3",
};

#endif
