/* Reads the values of the selected rows on all cards from the runs of one or more nights, and
 * searches for outliers among the cards. */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "history/outliers.h"
#include "history/statements.h"
#include "history/typical.h"

/* A run whose rows are read, and the indices of its model and card in the fleet. */
struct looked_at {
    sqlite3_int64 id;
    size_t model, card;
    size_t rows;        /* number of selected rows that have a number */
    bool is_unrecorded; /* the run does not record what it was asked for */
};

struct gathering {
    struct bl_fleet *fleet;
    const struct bl_outlier_search *search;
    struct looked_at *runs;
    size_t run_count, run_capacity;
    struct bl_row_key *keys; /* indexed by id; empty for cases that are not selected */
    size_t *same_keys;       /* indexed by id; the smallest id of an equal key (BL_SAME_KEY) */
    size_t key_count;
    struct bl_fleet_value *values;
    size_t count, capacity;
    void *known_cards; /* a tree of struct known_card (tsearch) */
    char **asked;      /* for each card, as in struct bl_fleet_values */
    size_t asked_count, asked_capacity;
};

static enum bl_status no_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "out of memory while comparing the history's cards");
}

static enum bl_status find_model(struct bl_fleet *fleet, const struct bl_run_info *run,
                                 size_t *model, struct bl_error *error)
{
    for (*model = 0; *model < fleet->model_count; ++*model)
        if (strcmp(fleet->models[*model].device, run->device) == 0 &&
            strcmp(fleet->models[*model].driver, run->driver) == 0)
            return BL_OK;
    struct bl_fleet_model *added =
        bl_array_append(&fleet->models, &fleet->model_count, &fleet->model_capacity, sizeof *added);
    if (!added)
        return no_memory(error);
    memcpy(added->device, run->device, sizeof run->device);
    memcpy(added->driver, run->driver, sizeof run->driver);
    return BL_OK;
}

/* A card is identified by its device_id or, if the driver reports no device_id, by its host. */
struct known_card {
    size_t model, card;
    bool has_id;
    char name[sizeof((struct bl_run_info *)0)->host];
};

static int compare_cards(const void *left, const void *right)
{
    const struct known_card *a = left, *b = right;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return a->has_id != b->has_id ? a->has_id - b->has_id : strcmp(a->name, b->name);
}

static enum bl_status find_card(struct gathering *gathering, const struct bl_run_info *run,
                                size_t model, size_t *card, struct bl_error *error)
{
    struct bl_fleet *fleet = gathering->fleet;
    struct known_card *known = malloc(sizeof *known);
    if (!known)
        return no_memory(error);
    *known = (struct known_card){model, fleet->card_count, *run->device_id != '\0', ""};
    snprintf(known->name, sizeof known->name, "%s", known->has_id ? run->device_id : run->host);
    struct known_card *const *found = tsearch(known, &gathering->known_cards, compare_cards);
    if (found)
        *card = (*found)->card;
    if (!found || *found != known)
        free(known);
    if (!found)
        return no_memory(error);
    if (*card < fleet->card_count) {
        fleet->cards[*card].run = *run; /* runs are read in order of time, so this run is newer */
        return BL_OK;
    }
    struct bl_fleet_card *added =
        bl_array_append(&fleet->cards, &fleet->card_count, &fleet->card_capacity, sizeof *added);
    if (!added)
        return no_memory(error);
    *added = (struct bl_fleet_card){.run = *run, .model = model, .speed = NAN};
    fleet->models[model].cards++;
    return BL_OK;
}

/* Returns the position of a line in a text of sorted lines or, if the text lacks the line, the
 * position at which to insert it. *is_known receives whether the text has the line. Each line of
 * the text ends with a line feed. */
static const char *find_line(const char *text, const char *line, bool *is_known)
{
    *is_known = false;
    for (; *text; text += strcspn(text, "\n") + 1) {
        const size_t length = strcspn(text, "\n");
        const int order = strncmp(text, line, length);
        *is_known = order == 0 && !line[length];
        if (*is_known || order > 0)
            break;
    }
    return text;
}

/* Adds the request of a run (asked_for) to the requests of its card. */
static enum bl_status note_asked(struct gathering *gathering, size_t card, const char *request,
                                 struct bl_error *error)
{
    while (gathering->asked_count <= card) {
        char **added = bl_array_append(&gathering->asked, &gathering->asked_count,
                                       &gathering->asked_capacity, sizeof *added);
        if (!added)
            return no_memory(error);
    }
    char *const before = gathering->asked[card], *all;
    const char *const text = before ? before : "";
    bool is_known;
    const char *const place = find_line(text, request, &is_known);
    if (is_known)
        return BL_OK;
    if (asprintf(&all, "%.*s%s\n%s", (int)(place - text), text, request, place) < 0)
        return no_memory(error);
    free(before);
    gathering->asked[card] = all;
    return BL_OK;
}

static enum bl_status take_run(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    struct gathering *gathering = context;
    struct bl_fleet *fleet = gathering->fleet;
    struct bl_run_info run = bl_run_info_empty();
    if (sqlite3_column_int(statement, 1)) {
        fleet->future_runs++;
        return BL_OK;
    }
    struct looked_at looked = {.id = sqlite3_column_int64(statement, 0)};
    enum bl_status status =
        bl_history_take(history, statement, 2, BL_RUN_COLUMNS, &run, NULL, error);
    fleet->nameless_runs += !*run.device_id;
    if (status == BL_OK)
        status = find_model(fleet, &run, &looked.model, error);
    if (status == BL_OK)
        status = find_card(gathering, &run, looked.model, &looked.card, error);
    looked.is_unrecorded = !*run.asked_for;
    if (status == BL_OK && !looked.is_unrecorded)
        status = note_asked(gathering, looked.card, run.asked_for, error);
    if (status != BL_OK)
        return status;
    struct looked_at *added = bl_array_append(&gathering->runs, &gathering->run_count,
                                              &gathering->run_capacity, sizeof *added);
    if (!added)
        return no_memory(error);
    *added = looked;
    if (!fleet->first[0])
        snprintf(fleet->first, sizeof fleet->first, "%.31s", run.time_utc);
    snprintf(fleet->last, sizeof fleet->last, "%.31s", run.time_utc);
    return BL_OK;
}

enum { MOST_KEYS = 1 << 24 };

static enum bl_status take_key(struct bl_history *history, sqlite3_stmt *statement, void *context,
                               struct bl_error *error)
{
    struct gathering *gathering = context;
    const size_t id = (size_t)sqlite3_column_int64(statement, 0);
    if (id > MOST_KEYS || (gathering->key_count > 0 && id >= gathering->key_count))
        return bl_fail(error, BL_BAD_FORMAT, "%s: a key has the invalid id %lld", history->path,
                       (long long)sqlite3_column_int64(statement, 0));
    if (gathering->key_count == 0) { /* ids come in descending order, so the first is the largest */
        gathering->keys = calloc(id + 1, sizeof *gathering->keys);
        gathering->same_keys = calloc(id + 1, sizeof *gathering->same_keys);
        if (!gathering->keys || !gathering->same_keys)
            return no_memory(error);
        gathering->key_count = id + 1;
    }
    gathering->same_keys[id] = (size_t)sqlite3_column_int64(statement, 1);
    struct bl_row row = bl_row_empty();
    const enum bl_status status =
        bl_history_take(history, statement, 2, BL_KEY_COLUMNS, NULL, &row, error);
    if (bl_case_is_selected(row.key.case_id, gathering->search->selectors,
                            gathering->search->selector_count))
        gathering->keys[id] = row.key;
    return status;
}

/* Reads a ratio or a time as its logarithm, and the standard error from its 95 % interval. */
static void take_quantity(sqlite3_stmt *statement, int column, double *value, double *error)
{
    const double middle = sqlite3_column_double(statement, column),
                 lo = sqlite3_column_double(statement, column + 1),
                 hi = sqlite3_column_double(statement, column + 2);
    *value = middle > 0 ? log(middle) : (double)NAN;
    *error = lo > 0 && hi > 0 ? bl_log_half_width(lo, hi) / BL_WITHIN_95 : 0;
}

static enum bl_status take_value(struct gathering *gathering, struct looked_at *run,
                                 sqlite3_stmt *statement, struct bl_error *error)
{
    const size_t id = (size_t)sqlite3_column_int64(statement, 0);
    if (id >= gathering->key_count || !*gathering->keys[id].case_id)
        return BL_OK;
    struct bl_fleet_value *value =
        bl_array_append(&gathering->values, &gathering->count, &gathering->capacity, sizeof *value);
    if (!value)
        return no_memory(error);
    *value = (struct bl_fleet_value){.model = run->model,
                                     .card = run->card,
                                     .key = gathering->same_keys[id],
                                     .run = (size_t)(run - gathering->runs)};
    bl_history_text(statement, 7, value->kernels, sizeof value->kernels);
    take_quantity(statement, 1, &value->ratio, &value->error);
    take_quantity(statement, 4, &value->time, &value->time_error);
    if (isfinite(value->ratio))
        run->rows++;
    else
        gathering->count--;
    return BL_OK;
}

/* Appends a suite to a request. A run that does not record what it was asked for counts as asked
 * for the suites of its rows. */
static enum bl_status note_suites(struct bl_history *history, sqlite3_stmt *statement,
                                  void *context, struct bl_error *error)
{
    (void)history, (void)error;
    char suite[BL_SUITE_BYTES];
    bl_history_text(statement, 0, suite, sizeof suite);
    bl_text_add(context, sizeof((struct bl_run_info *)0)->asked_for, "%s%s",
                *(const char *)context ? " " : "", suite);
    return BL_OK;
}

static enum bl_status find_unrecorded(struct bl_history *history, struct gathering *gathering,
                                      struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < gathering->run_count && status == BL_OK; i++) {
        const struct looked_at *run = &gathering->runs[i];
        char id[24], suites[sizeof((struct bl_run_info *)0)->asked_for] = "";
        const char *texts[] = {id, NULL};
        if (!run->is_unrecorded)
            continue;
        snprintf(id, sizeof id, "%lld", (long long)run->id);
        status = bl_history_each(history,
                                 "SELECT DISTINCT substr([case], 1, instr([case], '/') - 1) FROM "
                                 "measured JOIN case_key ON case_key.id = key WHERE measured.run = "
                                 "CAST(?1 AS INTEGER) ORDER BY 1",
                                 texts, note_suites, suites, error);
        if (status == BL_OK)
            status = note_asked(gathering, run->card, suites, error);
    }
    return status;
}

static enum bl_status take_values(struct bl_history *history, struct gathering *gathering,
                                  struct bl_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum bl_status status = bl_history_prepare(
        history,
        "SELECT key, measured, measured_lo, measured_hi, case_ns, case_ns_lo, case_ns_hi, kernels "
        "FROM measured WHERE run = ?1 AND measured IS NOT NULL",
        NULL, &statement, error);
    for (size_t i = 0; i < gathering->run_count && status == BL_OK; i++) {
        int code = SQLITE_DONE;
        sqlite3_bind_int64(statement, 1, gathering->runs[i].id);
        while (status == BL_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
            status = take_value(gathering, &gathering->runs[i], statement, error);
        if (status == BL_OK && code != SQLITE_DONE)
            status = bl_history_fail(history, error);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static enum bl_status take_info(struct bl_history *history, sqlite3_stmt *statement, void *context,
                                struct bl_error *error)
{
    struct bl_run_info *run = context;
    *run = bl_run_info_empty();
    return bl_history_take(history, statement, 1, BL_RUN_COLUMNS, run, NULL, error);
}

/* Replaces each card's `run`, which is its newest run, by the newest run that has at least half as
 * many rows as each earlier run of the card. find_since compares earlier runs with this run. */
static enum bl_status choose_runs(struct bl_history *history, struct gathering *gathering,
                                  struct bl_error *error)
{
    struct chosen {
        size_t run, most_rows;
        bool is_newest;
    } *cards = calloc(gathering->fleet->card_count + 1, sizeof *cards);
    if (!cards)
        return no_memory(error);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < gathering->run_count; i++) {
        const struct looked_at *run = &gathering->runs[i];
        struct chosen *card = &cards[run->card];
        card->is_newest = 2 * run->rows >= card->most_rows;
        if (card->is_newest)
            card->run = i;
        if (run->rows > card->most_rows)
            card->most_rows = run->rows;
    }
    for (size_t c = 0; c < gathering->fleet->card_count && status == BL_OK; c++) {
        char id[24];
        const char *texts[] = {id, NULL};
        snprintf(id, sizeof id, "%lld", (long long)gathering->runs[cards[c].run].id);
        if (!cards[c].is_newest)
            status = bl_history_each(history,
                                     "SELECT 0{run:, [@]} FROM run WHERE id = CAST(?1 AS INTEGER)",
                                     texts, take_info, &gathering->fleet->cards[c].run, error);
    }
    free(cards);
    return status;
}

/* Stores in the outlier since when the row has had its present typical ratio. */
static enum bl_status keep_since(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    (void)error;
    struct bl_outlier *outlier = context;
    const size_t first = bl_since_of(series->points, series->count, fabs(outlier->by) / 2, 1).first;
    outlier->is_since_first = first == 0;
    snprintf(outlier->since, sizeof outlier->since, "%.31s", series->runs[first].time_utc);
    return BL_OK;
}

enum { MOST_SINCE = 100 };

static enum bl_status find_since(struct bl_history *history, struct bl_fleet *fleet,
                                 struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < fleet->outlier_count && i < MOST_SINCE && status == BL_OK; i++) {
        struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_run_info *run = &fleet->cards[outlier->card].run;
        if (outlier->oddity == BL_ODD_RATIO)
            status = bl_history_series_of_card(history, run, &fleet->rows[outlier->row].key,
                                               keep_since, outlier, error);
        else if (outlier->oddity == BL_ODD_SPEED)
            status = bl_history_speed_since(history, run, fabs(outlier->by) / 2, outlier->since,
                                            &outlier->is_since_first, error);
    }
    return status;
}

/* Reports a card that had runs in earlier nights but has none now, for example because the card was
 * removed or hangs. A card with a new driver is still the same card, so drivers are ignored. */
static enum bl_status take_absent(struct bl_history *history, sqlite3_stmt *statement,
                                  void *context, struct bl_error *error)
{
    struct gathering *gathering = context;
    struct bl_fleet *fleet = gathering->fleet;
    struct bl_run_info run = bl_run_info_empty();
    const double nights = sqlite3_column_double(statement, 0);
    size_t model = 0;
    enum bl_status status =
        bl_history_take(history, statement, 2, BL_RUN_COLUMNS, &run, NULL, error);
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const struct bl_run_info *now = &fleet->cards[c].run;
        if (strcmp(now->device, run.device) == 0 &&
            (*run.device_id ? strcmp(now->device_id, run.device_id) == 0
                            : strcmp(now->host, run.host) == 0))
            return BL_OK;
    }
    if (status == BL_OK)
        status = find_model(fleet, &run, &model, error);
    const size_t card = fleet->card_count;
    struct bl_fleet_card *added = status == BL_OK
                                      ? bl_array_append(&fleet->cards, &fleet->card_count,
                                                        &fleet->card_capacity, sizeof *added)
                                      : NULL;
    if (status == BL_OK && !added)
        return no_memory(error);
    if (status != BL_OK)
        return status;
    *added = (struct bl_fleet_card){.run = run, .model = model, .speed = NAN};
    struct bl_outlier *outlier = bl_array_append(&fleet->outliers, &fleet->outlier_count,
                                                 &fleet->outlier_capacity, sizeof *outlier);
    if (!outlier)
        return no_memory(error);
    *outlier = (struct bl_outlier){.oddity = BL_ODD_ABSENT,
                                   .card = card,
                                   .own = nights,
                                   .median = NAN,
                                   .by = -1,
                                   .spreads = NAN};
    return BL_OK;
}

/* Finds cards that had runs in at least two nights of the previous week, but have none now. */
static enum bl_status find_absent(struct bl_history *history, struct gathering *gathering,
                                  struct bl_error *error)
{
    const char *texts[] = {gathering->fleet->first, NULL};
    if (gathering->run_count == 0 || gathering->search->since)
        return BL_OK;
    return bl_history_each(history,
                           "SELECT count(DISTINCT substr(time_utc, 1, 10)) AS nights, "
                           "max(time_utc){run:, [@]} FROM run WHERE time_utc < ?1 AND time_utc >= "
                           "strftime('%Y-%m-%dT%H:%M:%SZ', ?1, '-7 days') GROUP BY device, "
                           "ifnull(device_id, host) HAVING nights >= 2 ORDER BY 2, device_id",
                           texts, take_absent, gathering, error);
}

/* BEGIN_OF_NIGHT selects the time at which the last night begins (bl_history_outliers). `last` is
 * the run that is tried as the newest. */
#define WEEK_BEFORE "strftime('%Y-%m-%dT%H:%M:%SZ', last.time_utc, '-7 days')"
#define NIGHT_BEFORE "strftime('%Y-%m-%dT%H:%M:%SZ', last.time_utc, '-20 hours')"
#define OF_MODEL_SINCE "FROM run WHERE run.device IS last.device AND run.time_utc >= "
#define RUN_OF_ITS_WEEK                    \
    "SELECT 1 " OF_MODEL_SINCE WEEK_BEFORE \
    " AND ifnull(run.device_id, run.host) IS ifnull(last.device_id, last.host) AND "
#define CARDS(since_, condition_)                                                    \
    "(SELECT count(DISTINCT ifnull(run.device_id, run.host)) " OF_MODEL_SINCE since_ \
    " AND run.time_utc <= last.time_utc" condition_ ")"
#define MANY_CARDS                                             \
    CARDS(NIGHT_BEFORE, " AND run.asked_for = last.asked_for") \
    " >= max(4, " CARDS(WEEK_BEFORE, "") " / 2.0)"
#define BEGIN_OF_NIGHT                                                                 \
    "SELECT " NIGHT_BEFORE " FROM run AS last WHERE time_utc <= " BL_TOMORROW          \
    " AND julianday(time_utc) IS NOT NULL AND (ifnull(asked_for, '*') = '*' "          \
    "OR EXISTS (" RUN_OF_ITS_WEEK                                                      \
    "run.asked_for = last.asked_for AND run.time_utc <= " NIGHT_BEFORE                 \
    ") OR NOT EXISTS (" RUN_OF_ITS_WEEK "run.time_utc < last.time_utc) OR " MANY_CARDS \
    ") ORDER BY time_utc DESC LIMIT 1"

enum bl_status bl_history_outliers(struct bl_history *history,
                                   const struct bl_outlier_search *search, struct bl_fleet *fleet,
                                   struct bl_error *error)
{
    struct gathering gathering = {.fleet = fleet, .search = search};
    const char *texts[] = {search->since, NULL};
    *fleet = (struct bl_fleet){0};
    enum bl_status status = bl_history_each(
        history, "SELECT id, " BL_SAME_KEY "{key:, [@]} FROM case_key ORDER BY id DESC", NULL,
        take_key, &gathering, error);
    if (status == BL_OK)
        status =
            bl_history_each(history,
                            "SELECT id, time_utc > " BL_TOMORROW
                            "{run:, [@]} FROM run WHERE time_utc >= ifnull(?1, (" BEGIN_OF_NIGHT
                            ")) ORDER BY time_utc, id",
                            texts, take_run, &gathering, error);
    if (status == BL_OK)
        status = find_unrecorded(history, &gathering, error);
    if (status == BL_OK)
        status = take_values(history, &gathering, error);
    if (status == BL_OK)
        status = choose_runs(history, &gathering, error);
    const struct bl_fleet_values values = {gathering.values, gathering.count, gathering.keys,
                                           gathering.asked};
    if (status == BL_OK)
        status = bl_fleet_search(fleet, &values, search, error);
    if (status == BL_OK)
        status = find_since(history, fleet, error);
    if (status == BL_OK)
        status = find_absent(history, &gathering, error);
    free(gathering.runs);
    free(gathering.keys);
    free(gathering.same_keys);
    free(gathering.values);
    for (size_t i = 0; i < gathering.asked_count; i++)
        free(gathering.asked[i]);
    free(gathering.asked);
    tdestroy(gathering.known_cards, free);
    return status;
}
