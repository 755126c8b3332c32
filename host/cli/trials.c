#include "cli/trials.h"

#include <stdlib.h>
#include <string.h>

#include "base/keyfile.h"

enum { LONGEST_NAME = 40 };

static enum bl_status add(struct bl_trials *trials, const char *name, const char *text,
                          unsigned line, struct bl_error *error)
{
    if (trials->count == trials->capacity) {
        const size_t capacity = trials->capacity ? 2 * trials->capacity : 16;
        struct bl_trial *more = realloc(trials->all, capacity * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu patterns", capacity);
        trials->all = more;
        trials->capacity = capacity;
    }
    struct bl_trial *trial = &trials->all[trials->count++];
    trial->line = line;
    trial->status = BL_OK;
    trial->reason[0] = '\0';
    return bl_try_open(&trial->try, name, text, error);
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
                               "'%.60s' is no name: letters, digits, '_', '.', '+' and '-' make "
                               "one, at most %d",
                               line->key, (int)LONGEST_NAME);
    for (size_t i = 0; i < trials->count; i++)
        if (strcmp(trials->all[i].try.id + strlen("try/"), line->key) == 0)
            return bl_keyfile_fail(line, error, "the name '%s' was given in line %u already",
                                   line->key, trials->all[i].line);
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

enum bl_status bl_trials_read(const struct bl_options *options, struct bl_trials *trials,
                              struct bl_error *error)
{
    *trials = (struct bl_trials){0};
    enum bl_status status = BL_OK;
    if (options->patterns) {
        status = bl_keyfile_read(options->patterns, take_line, trials, error);
        if (status == BL_OK && trials->count == 0)
            status =
                bl_fail(error, BL_BAD_FORMAT, "%s: no pattern in it; a line is 'name = expression'",
                        options->patterns);
    }
    for (size_t i = 0; i < options->case_count && status == BL_OK; i++)
        status = add(trials, NULL, options->cases[i], 0, error);
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
