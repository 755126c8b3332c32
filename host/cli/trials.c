#include "cli/trials.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keyfile.h"

enum { LONGEST_NAME = 40 };

static enum bl_status add(struct bl_trials *trials, const char *name, const char *text,
                          unsigned line, struct bl_error *error)
{
    struct bl_trial *more =
        bl_array_grow(trials->all, trials->count, &trials->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu patterns", trials->count + 1);
    trials->all = more;
    struct bl_trial *trial = &trials->all[trials->count++];
    trial->line = line;
    trial->status = BL_OK;
    trial->reason[0] = '\0';
    return bl_try_open(&trial->try, name, text, error);
}

/* The trial whose row would have the same key, or NULL. */
static const struct bl_trial *trial_named(const struct bl_trials *trials, const char *name)
{
    for (size_t i = 0; i < trials->count; i++)
        if (strcmp(trials->all[i].try.id + strlen("try/"), name) == 0)
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
        return bl_keyfile_fail(line, error, "the name '%s' stands in line %u already", line->key,
                               namesake->line);
    const enum bl_status status = add(trials, line->key, line->value, line->number, error);
    if (status != BL_BAD_EXPRESSION)
        return status;
    bl_error_context(error, "%s:%u: %s", line->path, line->number, line->key);
    error->status = BL_BAD_FORMAT;
    return BL_BAD_FORMAT;
}

/* After the last realloc: a case points at its own id. */
static void settle_ids(struct bl_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        trials->all[i].try.test_case.id = trials->all[i].try.id;
}

enum bl_status bl_trials_read(const char *patterns, const struct bl_arguments *expressions,
                              struct bl_trials *trials, struct bl_error *error)
{
    *trials = (struct bl_trials){0};
    enum bl_status status = BL_OK;
    if (patterns) {
        status = bl_keyfile_read(patterns, take_line, trials, error);
        if (status == BL_OK && trials->count == 0)
            status = bl_fail(error, BL_BAD_FORMAT,
                             "%s: no pattern in it; a line is 'name = expression'", patterns);
    }
    for (size_t i = 0; i < expressions->count && status == BL_OK; i++)
        status = trial_named(trials, expressions->words[i])
                     ? bl_fail(error, BL_USAGE, "'%.200s' is given twice", expressions->words[i])
                     : add(trials, NULL, expressions->words[i], 0, error);
    settle_ids(trials);
    return status;
}

void bl_trials_free(struct bl_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        bl_try_close(&trials->all[i].try);
    free(trials->all);
    *trials = (struct bl_trials){0};
}
