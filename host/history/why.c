/* Tries causes in this order: causes that make everything else meaningless (a wrong clock, rows
 * without a number, missing rows), changes of the host and device, a card that differs from others,
 * and causes that only the rows show. The history shows whether the clock went backwards, since
 * when a row has been slower, and whether other cards are slower, too. */
#include "history/why.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "history/outliers.h"
#include "history/statements.h"

double bl_certainty(const struct bl_compared *row)
{
    if (!row->before || !row->after || !isfinite(row->by))
        return NAN;
    const struct bl_interval old = bl_row_ratio(row->before), new = bl_row_ratio(row->after);
    const double explained =
        hypot(bl_log_half_width(old.lo, old.hi), bl_log_half_width(new.lo, new.hi));
    return fabs(log1p(row->by)) / explained;
}

/* Whether the second measurement excuses a slower row: the row was measured again, and its change
 * is then not bad (bl_change_is_bad). */
static bool is_excused(const struct bl_comparison *again, const struct bl_compared *row)
{
    if (!again || row->change != BL_CHANGE_SLOWER)
        return false;
    for (size_t i = 0; i < again->count; i++)
        if (bl_row_key_compare(again->rows[i].key, row->key) == 0)
            return !bl_change_is_bad(again->rows[i].change) &&
                   again->rows[i].change != BL_CHANGE_NO_NUMBER &&
                   again->rows[i].change != BL_CHANGE_NOT_ASKED;
    return false;
}

/* Compares two rows for sorting: rows without a number come first, then the largest slowdown. */
static int by_severity(const void *one_, const void *other_)
{
    const struct bl_compared *one = *(const struct bl_compared *const *)one_,
                             *other = *(const struct bl_compared *const *)other_;
    const double by = isfinite(one->by) ? one->by : -1,
                 other_by = isfinite(other->by) ? other->by : -1;
    return by < other_by ? -1 : by > other_by ? 1 : one < other ? -1 : one > other;
}

static enum bl_status find_bad_rows(const struct bl_cause_evidence *evidence,
                                    struct bl_diagnosis *diagnosis, struct bl_error *error)
{
    const struct bl_comparison *comparison = evidence->comparison;
    diagnosis->bad = malloc((comparison->count + 1) * sizeof(struct bl_compared *));
    double *const by = malloc((comparison->count + 1) * sizeof *by);
    if (!diagnosis->bad || !by) {
        free(by);
        return bl_fail(error, BL_NO_MEMORY, "out of memory while looking for causes");
    }
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (!bl_change_is_bad(row->change) || is_excused(evidence->again, row))
            continue;
        diagnosis->bad[diagnosis->bad_count++] = row;
        diagnosis->missing += row->change == BL_CHANGE_MISSING;
        diagnosis->broken += row->change == BL_CHANGE_BROKEN;
        if (row->change == BL_CHANGE_SLOWER)
            by[diagnosis->slower++] = row->by;
    }
    if (diagnosis->slower > 0)
        diagnosis->median_by = bl_median(by, diagnosis->slower);
    qsort(diagnosis->bad, diagnosis->bad_count, sizeof(void *), by_severity);
    free(by);
    return BL_OK;
}

/* Adds a cause; `format` is printf's. key: the row to look at next; NULL for the worst row. */
__attribute__((format(printf, 4, 5))) static void add_about(struct bl_diagnosis *diagnosis,
                                                            enum bl_next next,
                                                            const struct bl_row_key *key,
                                                            const char *format, ...)
{
    if (diagnosis->cause_count == BL_MAX_CAUSES)
        return;
    struct bl_cause *cause = &diagnosis->causes[diagnosis->cause_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause->text, sizeof cause->text, format, arguments);
    va_end(arguments);
    cause->next = next;
    cause->key = key;
}

#define add(diagnosis, next, ...) add_about(diagnosis, next, NULL, __VA_ARGS__)

/* The run that is compared with the present run to find changes of the host and device: the last
 * run before the slowest (or else the worst) row became worse; if unknown, the newest past run. */
static const struct bl_run_info *last_good(const struct bl_cause_evidence *evidence)
{
    return evidence->before ? evidence->before : &evidence->comparison->before->info;
}

/* Computes the median device clock over the rows of each of the two runs. Returns false if a clock
 * is unknown. */
static bool find_clocks(const struct bl_comparison *comparison, double mhz[2], double *scratch)
{
    const struct bl_run_rows *const runs[] = {comparison->before, comparison->after};
    for (int side = 0; side < 2; side++) {
        size_t n = 0;
        for (size_t i = 0; i < runs[side]->count; i++)
            if (isfinite(runs[side]->rows[i].device_mhz))
                scratch[n++] = runs[side]->rows[i].device_mhz;
        if (n == 0)
            return false;
        mhz[side] = bl_median(scratch, n);
    }
    return true;
}

/* Changes of the device's clock by at most this fraction count as fluctuations. */
static const double CLOCK_MOVES = 0.02;

static void find_differences(const struct bl_cause_evidence *evidence, double *scratch,
                             struct bl_diagnosis *diagnosis)
{
    static const char *const wanted[] = {"driver", "platform", "os",           "device_id",
                                         "host",   "cpu",      "tool_version", "governor"};
    static const struct bl_row no_row;
    const struct bl_comparison *comparison = evidence->comparison;
    char *const text = diagnosis->differences;
    double mhz[2];
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
        const struct bl_column *column = bl_column_named(wanted[i]);
        const char *old = bl_column_text(column, last_good(evidence), &no_row, one),
                   *new = bl_column_text(column, &comparison->after->info, &no_row, other);
        if (!*old || !*new || strcmp(old, new) == 0)
            continue; /* unchanged, or one of the two runs does not record this value */
        const char *name = strcmp(wanted[i], "tool_version") == 0 ? "bankline" : wanted[i];
        bl_text_add(text, sizeof diagnosis->differences, "%s%s %.90s -> %.90s", *text ? "; " : "",
                    name, old, new);
    }
    if (find_clocks(comparison, mhz, scratch) && fabs(mhz[1] / mhz[0] - 1) > CLOCK_MOVES)
        bl_text_add(text, sizeof diagnosis->differences,
                    "%sthe device's median clock %.0f -> %.0f MHz", *text ? "; " : "", mhz[0],
                    mhz[1]);
    const size_t kernels = comparison->counts[BL_CHANGE_KERNEL];
    if (kernels > 0)
        bl_text_add(text, sizeof diagnosis->differences, "%sthe kernel%s of %zu row%s",
                    *text ? "; " : "", bl_plural(kernels), kernels, bl_plural(kernels));
    if (*evidence->changed)
        bl_text_add(text, sizeof diagnosis->differences, "%s%s", *text ? "; " : "",
                    evidence->changed);
}

/* Finds the most common status of the rows that are `broken`. Returns the first row with this
 * status (NULL if no row is `broken`); *count receives the number of rows with this status. */
static const struct bl_row *commonest_reason(const struct bl_diagnosis *diagnosis, size_t *count)
{
    const struct bl_row *found = NULL;
    *count = 0;
    for (size_t i = 0; i < diagnosis->bad_count; i++) {
        const struct bl_row *row = diagnosis->bad[i]->after;
        size_t alike = 0;
        if (diagnosis->bad[i]->change != BL_CHANGE_BROKEN)
            continue;
        for (size_t k = 0; k < diagnosis->bad_count; k++)
            alike += diagnosis->bad[k]->change == BL_CHANGE_BROKEN &&
                     diagnosis->bad[k]->after->status == row->status;
        if (alike > *count) {
            *count = alike;
            found = row;
        }
    }
    return found;
}

static void explain_failures(struct bl_diagnosis *diagnosis)
{
    size_t alike;
    const struct bl_row *row = commonest_reason(diagnosis, &alike);
    char reason[BL_NO_NUMBER_REASON];
    if (row && row->status == BL_ROW_BAD_CLOCK)
        add_about(diagnosis, BL_NEXT_MEASURE, &row->key,
                  "the clock of the device's events is wrong: %zu row%s bad-clock, such as: %.200s",
                  alike, alike == 1 ? " is" : "s are", row->reason);
    else if (row)
        add_about(diagnosis, BL_NEXT_MEASURE, &row->key, "%zu row%s no number any more: %.250s",
                  alike, alike == 1 ? " has" : "s have", bl_no_number_reason(row, reason));
}

static void explain_missing(const struct bl_comparison *comparison, struct bl_diagnosis *diagnosis)
{
    const struct bl_run_info *run = &comparison->after->info;
    const struct bl_row_key *first = NULL, *last = NULL;
    char known[200] = "did the run end early, or were fewer cases selected?";
    size_t asked = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->rows[i].change != BL_CHANGE_MISSING)
            continue;
        last = comparison->rows[i].key;
        first = first ? first : last;
        asked += bl_run_asked_for(run, last->case_id, true);
    }
    if (!first)
        return;
    if (*run->asked_for && asked == diagnosis->missing)
        strcpy(known, "the run was asked for them; did it end early?");
    else if (*run->asked_for && asked > 0)
        snprintf(known, sizeof known, "the run was asked for %zu of them; did it end early?",
                 asked);
    else if (*run->asked_for)
        snprintf(known, sizeof known, "the run was asked only for '%.150s'", run->asked_for);
    const size_t suite = strcspn(first->case_id, "/");
    const bool is_one = strncmp(first->case_id, last->case_id, suite + 1) == 0;
    add_about(diagnosis, BL_NEXT_MEASURE, first, "%zu row%s missing, of %s%.*s: %s",
              diagnosis->missing, diagnosis->missing == 1 ? " is" : "s are",
              is_one ? "suite " : "several suites", is_one ? (int)suite : 0, first->case_id, known);
}

/* Adds the causes that lie in the host or the device: recorded properties that changed since the
 * run of last_good, other changes on the host, and the device's clock or power. */
static void explain_by_machine(const struct bl_cause_evidence *evidence, double *scratch,
                               struct bl_diagnosis *diagnosis)
{
    const struct bl_comparison *comparison = evidence->comparison;
    const struct bl_run_info *old = last_good(evidence), *new = &comparison->after->info;
    const struct {
        const char *name, *old, *new;
    } causes[] = {
        {"the driver", old->driver, new->driver},
        {"the OpenCL platform", old->platform, new->platform},
        {"the OS", old->os, new->os},
        {"another card", old->device_id, new->device_id},
        {"the CPU's governor", old->governor, new->governor},
        {"the new bankline", old->tool_version, new->tool_version},
    };
    double mhz[2];
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (*causes[i].old && *causes[i].new &&strcmp(causes[i].old, causes[i].new) != 0)
            add(diagnosis, BL_NEXT_SINCE, "%s: %.90s -> %.90s", causes[i].name, causes[i].old,
                causes[i].new);
    if (*evidence->changed)
        add(diagnosis, BL_NEXT_SINCE, "%s", evidence->changed);
    if (find_clocks(comparison, mhz, scratch) && fabs(mhz[1] / mhz[0] - 1) > CLOCK_MOVES)
        add(diagnosis, BL_NEXT_CLOCK,
            "the device's clock: %.0f -> %.0f MHz, the median of all rows (heat, power, or a clock "
            "setting)",
            mhz[0], mhz[1]);
    else if (fabs(comparison->own_times) >= comparison->comparing.threshold)
        add(diagnosis, BL_NEXT_CLOCK,
            "the clock or power of the device: the rows' own times changed by %+.1f %% (median)",
            100 * comparison->own_times);
}

static bool is_same_case(const struct bl_compared *one, const struct bl_compared *other)
{
    return other && strcmp(one->key->case_id, other->key->case_id) == 0;
}

/* Whether this row's change may have changed the ratios of other rows: the row is its own baseline,
 * or its change is one of speed and not of ratio. */
static bool is_baseline(const struct bl_compared *row)
{
    return row->after && (row->after->verdict == BL_BASELINE || row->is_absolute);
}

/* The width of a row's interval divided by its width before, as the median over all rows; NAN if
 * unknown. */
static double widening(const struct bl_comparison *comparison, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (!row->before || !row->after || !isfinite(row->by))
            continue;
        const struct bl_interval old = bl_row_ratio(row->before), new = bl_row_ratio(row->after);
        const double usual = bl_log_half_width(old.lo, old.hi);
        if (usual > 0)
            scratch[n++] = bl_log_half_width(new.lo, new.hi) / usual;
    }
    return n > 0 ? bl_median(scratch, n) : (double)NAN;
}

/* If intervals are at least this many times as wide as usual (median over all rows), other load is
 * reported as a cause. Chance hardly changes a median over all rows. */
static const double BUSY = 2;

/* Finds what all slower rows have in common: the memory level (such as L2) or, if the levels
 * differ, the kind of memory (such as local). */
static void find_common(struct bl_diagnosis *diagnosis)
{
    const struct bl_row *first = NULL;
    bool is_level = true, is_memory = true;
    char *const text = diagnosis->common;
    for (size_t i = 0; i < diagnosis->bad_count; i++) {
        const struct bl_row *row = diagnosis->bad[i]->after;
        if (diagnosis->bad[i]->change != BL_CHANGE_SLOWER)
            continue;
        first = first ? first : row;
        is_level &= *first->level && strcmp(first->level, row->level) == 0;
        is_memory &= *first->memory && strcmp(first->memory, row->memory) == 0;
    }
    if (first && is_level)
        snprintf(text, sizeof diagnosis->common, ", all in %s", first->level);
    else if (first && is_memory)
        snprintf(text, sizeof diagnosis->common, ", all in %s memory", first->memory);
}

/* Finds a slower row whose case is the only slower case of its suite, not counting the baseline's
 * case, if at least MIN_SAME other rows of the suite did not change. NULL if there is none. */
static const struct bl_compared *find_lone(const struct bl_comparison *comparison,
                                           const struct bl_diagnosis *diagnosis,
                                           const struct bl_compared *baseline)
{
    enum { MIN_SAME = 3 };
    for (size_t i = 0; i < diagnosis->bad_count; i++) {
        const struct bl_compared *slow = diagnosis->bad[i];
        size_t same = 0, others = 0;
        if (slow->change != BL_CHANGE_SLOWER || !slow->after || is_same_case(slow, baseline))
            continue;
        for (size_t k = 0; k < comparison->count; k++) {
            const struct bl_compared *row = &comparison->rows[k];
            if (!row->after || strcmp(row->after->suite, slow->after->suite) != 0 ||
                is_same_case(row, slow) || is_same_case(row, baseline))
                continue;
            same += row->change == BL_CHANGE_SAME || row->change == BL_CHANGE_BASELINE;
            others += row->change == BL_CHANGE_SLOWER;
        }
        if (others == 0 && same >= MIN_SAME)
            return slow;
    }
    return NULL;
}

/* Adds the causes that only the rows show. of_failures: how many of the causes so far concern a
 * wrong clock, rows without a number or missing rows, and not slower rows. */
static void explain_by_rows(const struct bl_cause_evidence *evidence, size_t of_failures,
                            double *scratch, struct bl_diagnosis *diagnosis)
{
    const struct bl_compared *first = NULL, *baseline = NULL;
    bool is_one_case = true;
    size_t moved = evidence->comparison->counts[BL_CHANGE_BASELINE];
    const double wider = widening(evidence->comparison, scratch);
    if (wider >= BUSY)
        add(diagnosis, BL_NEXT_LOAD,
            "other load: intervals are %.1f times as wide as usual (median of all rows)", wider);
    for (size_t i = 0; i < diagnosis->bad_count; i++) {
        const struct bl_compared *row = diagnosis->bad[i];
        if (row->change != BL_CHANGE_SLOWER)
            continue;
        first = first ? first : row;
        baseline = !baseline && is_baseline(row) ? row : baseline;
        is_one_case &= strcmp(first->key->case_id, row->key->case_id) == 0;
    }
    if (!first)
        return;
    const bool is_baseline_moved = baseline && moved > 0 && !(wider >= BUSY);
    if (is_baseline_moved)
        add_about(diagnosis, BL_NEXT_SINCE, baseline->key,
                  "one baseline, %.200s %.20s: its slowdown changed the ratio%s of %zu other "
                  "row%s",
                  baseline->key->case_id, baseline->key->shape, bl_plural(moved), moved,
                  bl_plural(moved));
    if (is_one_case && !is_baseline_moved)
        add(diagnosis, BL_NEXT_SINCE, "the kernel of %.200s alone: no other case is slower%s",
            first->key->case_id, *diagnosis->differences ? "" : ", and nothing else changed");
    else if (diagnosis->cause_count == of_failures)
        add(diagnosis, BL_NEXT_SINCE, "not known: rows of several cases are slower%s%s",
            diagnosis->common,
            *diagnosis->differences ? "" : ", and nothing that is recorded changed");
    const struct bl_compared *lone =
        is_one_case ? NULL : find_lone(evidence->comparison, diagnosis, baseline);
    if (lone)
        add(diagnosis, BL_NEXT_SINCE,
            "the kernel of %.200s: no other case of suite %.40s is slower%s", lone->key->case_id,
            lone->after->suite, is_baseline_moved ? ", apart from the baseline" : "");
}

/* Finds the rows that are worse and that the second measurement does not excuse. Then finds the
 * causes. Returns BL_OK or BL_NO_MEMORY; free diagnosis->bad in either case. */
static enum bl_status diagnose(const struct bl_cause_evidence *evidence,
                               struct bl_diagnosis *diagnosis, struct bl_error *error)
{
    const struct bl_comparison *comparison = evidence->comparison;
    const size_t most = comparison->before->count + comparison->after->count + 1;
    *diagnosis = (struct bl_diagnosis){.median_by = NAN};
    double *scratch = malloc(most * sizeof *scratch);
    if (!scratch)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while looking for causes");
    const enum bl_status status = find_bad_rows(evidence, diagnosis, error);
    if (status == BL_OK) {
        find_common(diagnosis);
        find_differences(evidence, scratch, diagnosis);
        if (*evidence->later_run)
            add(diagnosis, BL_NEXT_DATE,
                "the host's clock is or was wrong: an earlier run has the later time %s",
                evidence->later_run);
        explain_failures(diagnosis);
        explain_missing(comparison, diagnosis);
        const size_t of_failures = diagnosis->cause_count;
        explain_by_machine(evidence, scratch, diagnosis);
        if (evidence->is_slow_card && diagnosis->slower > 0)
            add(diagnosis, BL_NEXT_CARDS,
                "this card alone: the other %zu of its model are not slower", evidence->cards - 1);
        if (evidence->is_lacking_card && diagnosis->missing + diagnosis->broken > 0)
            add(diagnosis, BL_NEXT_CARDS,
                "this card: at least 9 of 10 cards of its model have numbers in these rows");
        explain_by_rows(evidence, of_failures, scratch, diagnosis);
        if (diagnosis->cause_count == 0)
            add(diagnosis, BL_NEXT_COMPARE,
                "not known: nothing that is recorded changed, and no row stands out");
    }
    free(scratch);
    return status;
}

struct asking {
    struct bl_history *history;
    const struct bl_why_settings *settings;
    struct bl_row_since *since;
};

static enum bl_status find_since(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    const struct asking *asking = context;
    struct bl_row_since *since = asking->since;
    struct bl_lacking_runs lacking;
    size_t first = bl_end_of_numbers(series, series->count);
    if (first == 0)
        return BL_OK;
    const enum bl_status status = bl_history_lacking_runs(
        asking->history, series, asking->settings->requires_all, &lacking, error);
    if (lacking.count == 0)
        first = bl_since_of(series->points, series->count, asking->settings->threshold, 1).first;
    if (status != BL_OK || first == 0)
        return status;
    snprintf(since->first, sizeof since->first, "%s",
             lacking.count ? lacking.first : series->runs[first].time_utc);
    since->runs = lacking.count ? lacking.count : series->count - first;
    since->before = series->runs[first - 1];
    return BL_OK;
}

static enum bl_status find_row_since(struct bl_history *history, const struct bl_run_info *now,
                                     const struct bl_row_key *key,
                                     const struct bl_why_settings *settings,
                                     struct bl_row_since *since, struct bl_error *error)
{
    struct asking asking = {history, settings, since};
    *since = (struct bl_row_since){0};
    return bl_history_series_of_card(history, now, key, find_since, &asking, error);
}

/* Finds whether, in rows of these cases, the card of `now` is slower than its model's other cards,
 * and whether it lacks rows that they have. */
static enum bl_status find_odd_card(struct bl_history *history, const struct bl_run_info *now,
                                    const char *const cases[], size_t count,
                                    struct bl_cause_evidence *evidence, struct bl_error *error)
{
    const struct bl_outlier_search search = {
        .selectors = cases, .selector_count = count, .least = 0.02, .least_speed = 0.05};
    struct bl_fleet fleet;
    const enum bl_status status = bl_history_outliers(history, &search, &fleet, error);
    for (size_t i = 0; i < fleet.outlier_count && status == BL_OK && *now->device_id; i++) {
        const struct bl_outlier *outlier = &fleet.outliers[i];
        const struct bl_fleet_card *card = &fleet.cards[outlier->card];
        if (strcmp(card->run.device_id, now->device_id) != 0 || outlier->by >= 0)
            continue;
        evidence->is_slow_card |= outlier->oddity < BL_ODD_MISSING;
        evidence->is_lacking_card |= outlier->oddity == BL_ODD_MISSING;
        evidence->cards = fleet.models[card->model].cards;
    }
    bl_fleet_free(&fleet);
    return status;
}

static void run_free(struct bl_run_and_typical *run)
{
    bl_comparison_free(&run->comparison);
    bl_run_free(&run->now);
    bl_run_free(&run->typical);
}

void bl_why_free(struct bl_why *why)
{
    free(why->diagnosis.bad);
    run_free(&why->first);
    run_free(&why->again);
}

/* Compares a run with one half of the history's last runs, as the nightly script does. part: 1 for
 * the first measurement, 2 for the second (bl_typical_settings.part). */
static enum bl_status compare(struct bl_history *history, const char *path, unsigned part,
                              const struct bl_why_settings *settings,
                              struct bl_run_and_typical *run, struct bl_error *error)
{
    const struct bl_typical_settings wanted = {settings->runs, settings->threshold, part};
    struct bl_history_basis basis;
    enum bl_status status = bl_run_read(path, &run->now, error);
    if (status == BL_OK)
        status = bl_history_typical(history, &run->now, &wanted, &run->typical, &basis, error);
    run->comparison = (struct bl_comparison){.before = &run->typical,
                                             .after = &run->now,
                                             .names = {"the history", path},
                                             .comparing = {.threshold = settings->threshold,
                                                           .knows_spread = true,
                                                           .requires_all = settings->requires_all}};
    return status == BL_OK ? bl_compare(&run->comparison, error) : status;
}

/* Reads the lines of a file and joins them with semicolons. */
static enum bl_status read_changed(const char *path, char text[512], struct bl_error *error)
{
    FILE *file = fopen(path, "r");
    char line[256];
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    enum bl_status status = BL_OK;
    errno = 0;
    while (status == BL_OK && strlen(text) < 511 && fgets(line, sizeof line, file)) {
        if (!strchr(line, '\n') && strlen(line) < sizeof line - 1 && !feof(file))
            status =
                bl_fail(error, BL_BAD_FORMAT, "%s: a zero byte: this is not a text file", path);
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            bl_text_add(text, 512, "%s%s", *text ? "; " : "", line);
    }
    if (ferror(file))
        status = bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    fclose(file);
    return status;
}

enum { MAX_CASES = 8 };

/* Collects the cases of the worst rows, each once. Returns the number of cases. */
static size_t worst_cases(const struct bl_diagnosis *diagnosis, const char *cases[MAX_CASES])
{
    size_t count = 0;
    for (size_t i = 0; i < diagnosis->bad_count && count < MAX_CASES; i++) {
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new &= strcmp(cases[k], diagnosis->bad[i]->key->case_id) != 0;
        if (is_new)
            cases[count++] = diagnosis->bad[i]->key->case_id;
    }
    return count;
}

/* Finds in the history since when the slowest (or else the worst) row has been worse, and whether
 * this card is odd (find_odd_card). If either is found, looks for causes again. */
static enum bl_status ask_history(struct bl_history *history, struct bl_why *why,
                                  const struct bl_why_settings *settings, struct bl_error *error)
{
    const char *cases[MAX_CASES];
    struct bl_cause_evidence *evidence = &why->evidence;
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const size_t count = worst_cases(diagnosis, cases);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < diagnosis->bad_count && !why->slowest; i++)
        if (diagnosis->bad[i]->change == BL_CHANGE_SLOWER)
            why->slowest = diagnosis->bad[i];
    if (diagnosis->bad_count > 0)
        status = find_row_since(history, &why->first.now.info,
                                (why->slowest ? why->slowest : diagnosis->bad[0])->key, settings,
                                &why->since, error);
    if (why->since.runs > 0)
        evidence->before = &why->since.before;
    if (status == BL_OK && count > 0)
        status = find_odd_card(history, &why->first.now.info, cases, count, evidence, error);
    if (status != BL_OK ||
        (!evidence->before && !evidence->is_slow_card && !evidence->is_lacking_card))
        return status;
    free(why->diagnosis.bad);
    return diagnose(evidence, &why->diagnosis, error);
}

enum bl_status bl_history_find_why(struct bl_history *history, const char *path,
                                   const struct bl_why_settings *settings, struct bl_why *why,
                                   struct bl_error *error)
{
    struct bl_cause_evidence *evidence = &why->evidence;
    enum bl_status status = compare(history, path, 1, settings, &why->first, error);
    if (status == BL_OK && settings->again)
        status = compare(history, settings->again, 2, settings, &why->again, error);
    if (status == BL_OK && settings->changed)
        status = read_changed(settings->changed, why->changed, error);
    evidence->comparison = &why->first.comparison;
    evidence->again = settings->again ? &why->again.comparison : NULL;
    evidence->changed = why->changed;
    if (status == BL_OK)
        status = bl_history_later_run(history, &why->first.now.info, evidence->later_run, error);
    if (status == BL_OK)
        status = diagnose(evidence, &why->diagnosis, error);
    return status == BL_OK ? ask_history(history, why, settings, error) : status;
}
