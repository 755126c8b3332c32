/* Expands sweeps, and turns the user's expressions into the items of a run: checks names, evaluates
 * expressions, chooses levels. Calibrating a level takes seconds, so a level is calibrated only
 * when the first row of this level, or of a level beyond it, is due.
 */
#include "run/trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/keyfile.h"
#include "model/lookup.h"

/* The functions below expand sweeps. They expand one pair of braces after another: every text so
 * far is replaced by one text for each value of the braces. */

static bool is_sweep(const char *text) { return strchr(text, '{') != NULL; }

void bl_sweep_free(struct bl_sweep *sweep)
{
    free(sweep->all);
    *sweep = (struct bl_sweep){0};
}

/* A pair of braces in a text, from '{' to '}', and the values that it stands for. */
struct braces {
    const char *at;
    size_t length;
    int64_t *values;
    size_t count;
};

static enum bl_status fail(const struct braces *braces, struct bl_error *error, const char *why)
{
    return bl_fail(error, BL_BAD_EXPRESSION,
                   "'%.*s': %s; write {16..33}, {0..64..8} or {1,2,4}, at most %d values",
                   braces->length < 60 ? (int)braces->length : 60, braces->at, why,
                   (int)BL_MAX_SWEPT);
}

/* Reads an integer, and moves *at past the integer and the blanks after it. */
static bool read_number(const char **at, int64_t *number)
{
    char *end;
    *at += strspn(*at, " ");
    errno = 0;
    *number = strtoll(*at, &end, 10);
    if (end == *at || errno != 0 || *number > INT32_MAX || *number < INT32_MIN)
        return false;
    *at = end + strspn(end, " ");
    return true;
}

static bool add_value(struct braces *braces, int64_t value)
{
    if (braces->count == BL_MAX_SWEPT)
        return false;
    for (size_t i = 0; i < braces->count; i++)
        if (braces->values[i] == value)
            return false;
    braces->values[braces->count++] = value;
    return true;
}

/* Reads what follows A in {A..B} or {A..B..STEP}, and adds the values. */
static enum bl_status read_range(struct braces *braces, const char *at, int64_t first,
                                 struct bl_error *error)
{
    int64_t last, step = 1;
    at += strlen("..");
    if (!read_number(&at, &last))
        return fail(braces, error, "an integer must follow '..'");
    if (strncmp(at, "..", 2) == 0) {
        at += strlen("..");
        if (!read_number(&at, &step) || step == 0)
            return fail(braces, error, "the step must be an integer other than 0");
    }
    if (*at != '}')
        return fail(braces, error, "this is not a range");
    step = llabs(step);
    if (llabs(last - first) / step >= BL_MAX_SWEPT)
        return fail(braces, error, "too many values");
    for (int64_t i = 0; i <= llabs(last - first) / step; i++)
        braces->values[braces->count++] = last < first ? first - i * step : first + i * step;
    return BL_OK;
}

static enum bl_status read_braces(struct braces *braces, struct bl_error *error)
{
    const char *at = braces->at + 1;
    int64_t value;
    if (!read_number(&at, &value))
        return fail(braces, error, "an integer must follow '{'");
    if (strncmp(at, "..", 2) == 0)
        return read_range(braces, at, value, error);
    add_value(braces, value);
    while (*at == ',') {
        at++;
        if (!read_number(&at, &value))
            return fail(braces, error, "an integer must follow ','");
        if (!add_value(braces, value))
            return fail(braces, error, "a value is listed twice");
    }
    return *at == '}' ? BL_OK : fail(braces, error, "this is not a list of integers");
}

/* Replaces each text by one text for each value of the braces. The braces are searched for in each
 * text, because numbers before them may differ in length. */
static enum bl_status multiply(struct bl_sweep *sweep, const struct braces *braces,
                               struct bl_error *error)
{
    if (braces->count == 0 || sweep->count * braces->count > BL_MAX_SWEPT)
        return fail(braces, error, "too many texts in all");
    struct bl_swept *all = malloc(sweep->count * braces->count * sizeof *all);
    if (!all)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while expanding %zu expressions",
                       sweep->count * braces->count);
    size_t count = 0;
    for (size_t i = 0; i < sweep->count; i++)
        for (size_t v = 0; v < braces->count; v++) {
            const struct bl_swept *old = &sweep->all[i];
            const char *at = strchr(old->text, '{');
            struct bl_swept *new = &all[count++];
            *new = *old;
            new->values[sweep->braces] = braces->values[v];
            const int used =
                snprintf(new->text, sizeof new->text, "%.*s%" PRId64 "%s", (int)(at - old->text),
                         old->text, braces->values[v], at + braces->length);
            if (used < 0 || (size_t)used >= sizeof new->text) {
                free(all);
                return fail(braces, error, "the expression becomes too long");
            }
        }
    free(sweep->all);
    sweep->all = all;
    sweep->count = count;
    sweep->braces++;
    return BL_OK;
}

enum bl_status bl_sweep_expand(const char *text, struct bl_sweep *sweep, struct bl_error *error)
{
    *sweep = (struct bl_sweep){.all = calloc(1, sizeof *sweep->all), .count = 1};
    int64_t *values = malloc(BL_MAX_SWEPT * sizeof *values);
    enum bl_status status = BL_OK;
    if (!sweep->all || !values) {
        free(values);
        sweep->count = 0;
        return bl_fail(error, BL_NO_MEMORY, "out of memory while expanding a sweep");
    }
    if (strlen(text) > BL_LONGEST_EXPRESSION)
        status = bl_fail(error, BL_BAD_EXPRESSION, "longer than %d characters",
                         (int)BL_LONGEST_EXPRESSION);
    else
        strcpy(sweep->all->text, text);
    while (status == BL_OK && is_sweep(sweep->all->text)) {
        const char *at = strchr(sweep->all->text, '{'), *end = strchr(at, '}');
        struct braces braces = {at, end ? (size_t)(end - at) + 1 : strlen(at), values, 0};
        if (!end)
            status = fail(&braces, error, "'}' is missing");
        else if (sweep->braces == BL_MAX_BRACES)
            status = fail(&braces, error, "at most 4 pairs of braces");
        else
            status = read_braces(&braces, error);
        if (status == BL_OK)
            status = multiply(sweep, &braces, error);
    }
    free(values);
    return status;
}

/* The functions below make trials from texts, and the items of a run from trials. */

enum { LONGEST_NAME = 40 };

const char *bl_trial_name(const struct bl_trial *trial) { return trial->try.id + strlen("try/"); }

static enum bl_status add(struct bl_trials *trials, const char *name, const char *text,
                          unsigned line, struct bl_error *error)
{
    struct bl_trial *trial =
        bl_array_append(&trials->all, &trials->count, &trials->capacity, sizeof *trial);
    if (!trial)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading %zu patterns",
                       trials->count + 1);
    trial->line = line;
    return bl_try_open(&trial->try, name, text, trials->lookup, error);
}

/* The trial with this name, or NULL. */
static const struct bl_trial *trial_named(const struct bl_trials *trials, const char *name)
{
    for (size_t i = 0; i < trials->count; i++)
        if (strcmp(bl_trial_name(&trials->all[i]), name) == 0)
            return &trials->all[i];
    return NULL;
}

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return length <= LONGEST_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") ==
               length;
}

static enum bl_status take_line(void *context, const struct bl_key_line *line,
                                struct bl_error *error)
{
    struct bl_trials *trials = context;
    if (!is_name(line->key))
        return bl_keyfile_fail(line, error,
                               "invalid name '%.60s': use letters, digits, _ . + -, at most %d",
                               line->key, (int)LONGEST_NAME);
    const struct bl_trial *namesake = trial_named(trials, line->key);
    if (namesake)
        return bl_keyfile_fail(line, error, "the name '%s' is already used in line %u", line->key,
                               namesake->line);
    const enum bl_status status = add(trials, line->key, line->value, line->number, error);
    if (status != BL_BAD_EXPRESSION)
        return status;
    bl_error_context(error, "%s:%u: %s", line->path, line->number, line->key);
    error->status = BL_BAD_FORMAT;
    return BL_BAD_FORMAT;
}

/* Adds an expression, or all expressions to which its braces expand. */
static enum bl_status add_expression(struct bl_trials *trials, const char *text,
                                     struct bl_error *error)
{
    struct bl_sweep sweep;
    if (!is_sweep(text))
        return add(trials, NULL, text, 0, error);
    enum bl_status status = bl_sweep_expand(text, &sweep, error);
    trials->sweeps++;
    for (size_t i = 0; i < sweep.count && status == BL_OK; i++) {
        status = add(trials, NULL, sweep.all[i].text, 0, error);
        if (status != BL_OK)
            break;
        struct bl_trial *trial = &trials->all[trials->count - 1];
        trial->sweep = text;
        memcpy(trial->values, sweep.all[i].values, sizeof trial->values);
    }
    bl_sweep_free(&sweep);
    return status;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(bl_trial_name(*(const struct bl_trial *const *)one),
                  bl_trial_name(*(const struct bl_trial *const *)other));
}

/* Checks that names differ, because rows with the same name would have the same key. */
static enum bl_status check_names(const struct bl_trials *trials, struct bl_error *error)
{
    const struct bl_trial **sorted = malloc((trials->count + 1) * sizeof(void *));
    if (!sorted)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading %zu patterns",
                       trials->count);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < trials->count; i++)
        sorted[i] = &trials->all[i];
    qsort(sorted, trials->count, sizeof(void *), by_name);
    for (size_t i = 1; i < trials->count && status == BL_OK; i++)
        if (by_name(&sorted[i - 1], &sorted[i]) == 0)
            status = bl_fail(error, BL_USAGE, "'%.200s' is given twice", bl_trial_name(sorted[i]));
    free(sorted);
    return status;
}

enum bl_status bl_trials_read(const char *patterns, const char *const expressions[], size_t count,
                              const struct bl_lookup *lookup, struct bl_trials *trials,
                              struct bl_error *error)
{
    *trials = (struct bl_trials){.lookup = lookup};
    enum bl_status status = BL_OK;
    if (patterns) {
        status = bl_keyfile_read(patterns, take_line, trials, error);
        if (status == BL_OK && trials->count == 0)
            status = bl_fail(error, BL_BAD_FORMAT,
                             "%s has no pattern; expected lines 'name = expression'", patterns);
    }
    for (size_t i = 0; i < count && status == BL_OK; i++)
        status = add_expression(trials, expressions[i], error);
    if (status == BL_OK)
        status = check_names(trials, error);
    for (size_t i = 0; i < trials->count; i++) /* set only now, because realloc moves the trials */
        trials->all[i].try.test_case.id = trials->all[i].try.id;
    return status;
}

void bl_trials_free(struct bl_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        bl_try_close(&trials->all[i].try);
    free(trials->all);
    *trials = (struct bl_trials){0};
}

/* Lists the machine's levels, such as "L1, L2, memory". */
static void list_levels(const struct bl_bench *bench, char text[96])
{
    const char *first = bench->machine->cache_name;
    size_t used = (size_t)snprintf(text, 96, "%s", *first ? first : "cache");
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (bl_level_bytes(bench->machine, bench->device, i) && used < 96)
            used +=
                (size_t)snprintf(text + used, 96 - used, ", %s", bench->machine->levels[i].name);
}

/* Whether the machine describes devices of the type of the run's device, so that the machine's
 * working sets fit the device. */
static bool is_of_its_kind(const struct bl_bench *bench)
{
    const enum bl_machine_devices devices = bench->machine->device_type;
    return devices == BL_FOR_ANY || devices == BL_FOR_NONE ||
           devices == (bench->device->type == BL_DEVICE_CPU ? BL_FOR_CPU : BL_FOR_GPU);
}

/* Chooses the levels that get rows: the level that --level names; without --level, all levels of
 * the machine if is_of_its_kind, else only the first level, because a CPU would otherwise fill
 * gigabytes to be compared with a GPU. Local and constant memory, and --model-only, have only the
 * first level. Fails with BL_USAGE for an unknown level, or for a level that these exclude. */
static enum bl_status choose_levels(struct bl_trying *trying, struct bl_error *error)
{
    const char *name = trying->level;
    const struct bl_bench *bench = &trying->run->bench;
    const struct bl_machine *machine = bench->machine;
    const bool is_cached = trying->setup.memory == BL_MEMORY_GLOBAL;
    trying->rates = bl_rates_unknown();
    trying->in_cache =
        !name || strcasecmp(name, "cache") == 0 || strcasecmp(name, machine->cache_name) == 0;
    bool any = trying->in_cache;
    for (unsigned i = 0; i < BL_LEVELS; i++) {
        const bool is_named = name && strcasecmp(name, machine->levels[i].name) == 0;
        if (is_named && !is_cached)
            return bl_fail(error, BL_USAGE, "--level %s: only global memory has this level", name);
        if (is_named && trying->model_only)
            return bl_fail(error, BL_USAGE,
                           "--level %s: its cost is measured, and --model-only measures nothing",
                           name);
        trying->wanted[i] = (is_named || (!name && is_of_its_kind(bench))) && is_cached &&
                            !trying->model_only && bl_level_bytes(machine, bench->device, i) > 0;
        any |= trying->wanted[i];
    }
    if (any)
        return BL_OK;
    char names[96];
    list_levels(bench, names);
    return bl_fail(error, BL_USAGE, "--level %s: machine %s has the levels %s", name, machine->name,
                   names);
}

/* Calibrates the levels up to that of item i, unless an earlier call has calibrated them; makes the
 * arrays for the items of this level, unless they exist; and adds the level's prediction to item i.
 */
static enum bl_status prepare(struct bl_run *run, size_t i, struct bl_error *error)
{
    struct bl_trying *trying = run->trying;
    struct bl_bench *bench = &run->bench;
    const struct bl_level *level = run->items[i].own.level;
    if (!level)
        return BL_OK;
    const unsigned number = (unsigned)(level - bench->machine->levels);
    enum bl_status status = BL_OK;
    for (unsigned before = 0; before <= number && status == BL_OK; before++)
        if (!trying->is_calibrated[before] &&
            bl_level_bytes(bench->machine, bench->device, before)) {
            trying->is_calibrated[before] = true;
            status = bl_level_calibrate(bench, &trying->contiguous, &trying->setup, before,
                                        &trying->rates, error);
        }
    if (status == BL_OK && trying->placed != level) {
        size_t count = 0;
        while (i + count < run->count && run->items[i + count].own.level == level)
            count++;
        status = bl_place(bench, &run->items[i], count, &bench->arrays, error);
        trying->placed = level;
    }
    if (status == BL_OK)
        bl_level_predict(bench, &trying->rates, number, &run->items[i]);
    return status;
}

/* The trial's text if it differs from the trial's name, else an empty string. */
static const char *text_beside_name(const struct bl_trial *trial)
{
    const char *text = trial->try.expression.text;
    return strcmp(bl_trial_name(trial), text) == 0 ? "" : text;
}

/* Writes the note of the trial's rows: the trial's text if it differs from the name, and the name
 * of the table if the text reads it. */
static void write_note(const struct bl_trying *trying, const struct bl_trial *trial,
                       struct bl_workload *workload)
{
    const struct bl_lookup *lookup = trying->trials.lookup;
    const char *text = text_beside_name(trial);
    const bool reads = lookup && strchr(trial->try.expression.text, '[');
    snprintf(workload->note, sizeof workload->note, "%s%s%s%s", text, *text && reads ? "; " : "",
             reads ? "table: " : "", reads ? lookup->name : "");
}

/* Adds the items of one level. `all` holds the items of the compute unit's cache, including the
 * items of failed expressions. */
static enum bl_status add_level(struct bl_trying *trying, unsigned level,
                                const struct bl_plan_item all[], struct bl_error *error)
{
    struct bl_run *run = trying->run;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < trying->trials.count && status == BL_OK; i++) {
        const struct bl_trial *trial = &trying->trials.all[i];
        if (trial->status != BL_OK && trying->in_cache)
            continue;
        struct bl_plan_item *item = &run->items[run->count++];
        *item = all[i];
        if (trial->status != BL_OK)
            continue;
        status = bl_level_plan(&trial->try, &trying->contiguous, &trying->setup, &run->bench, level,
                               item, error);
        if (*text_beside_name(trial) || trying->trials.lookup)
            write_note(trying, trial, &item->own);
    }
    return status;
}

/* Evaluates every expression for all work-items. */
static enum bl_status probe_all(struct bl_trying *trying, struct bl_error *error)
{
    struct bl_run *run = trying->run;
    struct bl_try_setup unbounded = trying->setup;
    /* The contiguous access is not limited by --array-elements. */
    unbounded.array_elements = 0;
    enum bl_status status = bl_try_settle(&unbounded, &run->bench, error);
    if (status == BL_OK)
        status = bl_try_settle(&trying->setup, &run->bench, error);
    if (status == BL_OK)
        status = bl_try_open_contiguous(&trying->contiguous, trying->setup.memory, error);
    if (status != BL_OK)
        return status;
    status = bl_try_probe(&trying->contiguous, &unbounded, &run->bench, error);
    if (status != BL_OK) {
        bl_error_context(error, "the contiguous access to compare with");
        return status;
    }
    for (size_t i = 0; i < trying->trials.count; i++) {
        struct bl_trial *trial = &trying->trials.all[i];
        struct bl_error failure = {0};
        trial->status = bl_try_probe(&trial->try, &trying->setup, &run->bench, &failure);
        if (bl_run_is_interrupted(run))
            return bl_fail(error, BL_INTERRUPTED, "interrupted");
        if (trial->status == BL_OK)
            continue;
        failure.status = trial->status;
        if (!trying->failed) {
            *error = failure;
            return trial->status;
        }
        snprintf(trial->reason, sizeof trial->reason, "%s", failure.sentence);
        trying->failed(trying->context, bl_trial_name(trial), &failure);
    }
    return BL_OK;
}

/* Makes the arrays in which every expression is measured, and asks the device for the arrays'
 * addresses: an address decides which tag bank looks up a line. If the machine does not describe
 * the device, the predictions assume that arrays begin at address 0. */
static enum bl_status place(struct bl_trying *trying, uint64_t bases[BL_MAX_PLACEMENTS],
                            unsigned *count, struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    struct bl_bench *bench = &trying->run->bench;
    size_t data_bytes = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->items[i].status == BL_ROW_OK && run->items[i].own.buffers.data_bytes > data_bytes)
            data_bytes = run->items[i].own.buffers.data_bytes;
    const bool is_described =
        bench->session && bl_device_is_described(bench->device, bench->machine);
    enum bl_status status = BL_OK;
    if (!trying->model_only)
        status = bl_place(bench, run->items, run->count, &bench->arrays, error);
    if (bench->arrays.placements)
        *count = bench->arrays.placements;
    for (unsigned i = 0; i < *count && is_described && status == BL_OK; i++)
        status = bl_try_address(&trying->setup, bench, data_bytes, i, &bases[i], error);
    return status;
}

static enum bl_status plan_all(struct bl_trying *trying, struct bl_error *error)
{
    struct bl_run *run = trying->run;
    run->items = calloc(trying->trials.count, sizeof *run->items);
    if (!run->items)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while making the plan");
    run->count = trying->trials.count;
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_trial *trial = &trying->trials.all[i];
        struct bl_plan_item *item = &run->items[i];
        bl_try_plan(&trial->try, &trying->contiguous, &trying->setup, &run->bench, item);
        if (trial->status != BL_OK)
            snprintf(item->reason, sizeof item->reason, "%s", trial->reason);
        if (!item->own.note[0])
            write_note(trying, trial, &item->own);
        any |= item->status == BL_ROW_OK;
    }
    uint64_t bases[BL_MAX_PLACEMENTS] = {0};
    unsigned count = 1;
    const enum bl_status status = any ? place(trying, bases, &count, error) : BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        bl_try_predict_like(&run->bench, bases, count, i > 0 ? &run->items[i - 1] : NULL,
                            &run->items[i]);
        bl_try_refuse_writes(run->bench.machine, &run->items[i]);
    }
    return status;
}

const struct bl_device bl_any_device = {
    .name = "any device",
    .type = BL_DEVICE_GPU,
    .compute_units = 1,
    .bank_arrays = 1,
    .has_double = true,
    .local_bytes = 64u << 10,
    .memory_bytes = UINT64_MAX / 2,
    .max_buffer_bytes = UINT64_MAX / 2,
    .max_group_items = BL_MAX_GROUP_ITEMS,
    .max_items = {BL_MAX_GROUP_ITEMS, BL_MAX_GROUP_ITEMS},
};

enum bl_status bl_trying_plan(struct bl_trying *trying, struct bl_error *error)
{
    enum bl_status status = choose_levels(trying, error);
    if (status == BL_OK)
        status = probe_all(trying, error);
    return status == BL_OK ? plan_all(trying, error) : status;
}

enum bl_status bl_trying_add_levels(struct bl_trying *trying, struct bl_error *error)
{
    struct bl_run *run = trying->run;
    const size_t cached = trying->in_cache ? run->count : 0;
    size_t count = cached;
    for (unsigned level = 0; level < BL_LEVELS; level++)
        count += trying->wanted[level] ? trying->trials.count : 0;
    if (count == cached)
        return BL_OK;
    struct bl_plan_item *items = calloc(count, sizeof *items), *const all = run->items;
    if (!items)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while making the plan");
    memcpy(items, all, cached * sizeof *items);
    run->items = items;
    run->count = cached;
    run->prepare = prepare;
    run->trying = trying;
    enum bl_status status = BL_OK;
    for (unsigned level = 0; level < BL_LEVELS && status == BL_OK; level++)
        if (trying->wanted[level])
            status = add_level(trying, level, all, error);
    free(all);
    return status;
}

void bl_trying_close(struct bl_trying *trying)
{
    bl_try_close(&trying->contiguous);
    bl_trials_free(&trying->trials);
}
