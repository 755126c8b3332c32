/* Braces are read one pair after the other, and each multiplies the texts by its values. */
#include "run/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bl_is_sweep(const char *text) { return strchr(text, '{') != NULL; }

void bl_sweep_free(struct bl_sweep *sweep)
{
    free(sweep->all);
    *sweep = (struct bl_sweep){0};
}

/* A pair of braces, from '{' to behind '}'. */
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

/* Reads an integer and moves `at` behind it and the blanks. */
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

static bool add(struct braces *braces, int64_t value)
{
    if (braces->count == BL_MAX_SWEPT)
        return false;
    for (size_t i = 0; i < braces->count; i++)
        if (braces->values[i] == value)
            return false;
    braces->values[braces->count++] = value;
    return true;
}

/* {A..B} or {A..B..STEP}, behind A. */
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
            return fail(braces, error, "the step is an integer other than 0");
    }
    if (*at != '}')
        return fail(braces, error, "this is no range");
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
    add(braces, value);
    while (*at == ',') {
        at++;
        if (!read_number(&at, &value))
            return fail(braces, error, "an integer must follow ','");
        if (!add(braces, value))
            return fail(braces, error, "each value once");
    }
    return *at == '}' ? BL_OK : fail(braces, error, "this is no list of integers");
}

/* Replaces each text by as many as the braces have values. `from` is where the braces are in the
 * first text; in the others numbers before them may be of another length. */
static enum bl_status multiply(struct bl_sweep *sweep, const struct braces *braces,
                               struct bl_error *error)
{
    if (sweep->count * braces->count > BL_MAX_SWEPT)
        return fail(braces, error, "too many texts in all");
    struct bl_swept *all = malloc(sweep->count * braces->count * sizeof *all);
    if (!all)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu expressions",
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
    if (!sweep->all || !values)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for a sweep");
    else if (strlen(text) > BL_LONGEST_EXPRESSION)
        status = bl_fail(error, BL_BAD_EXPRESSION, "longer than %d characters",
                         (int)BL_LONGEST_EXPRESSION);
    else
        strcpy(sweep->all->text, text);
    while (status == BL_OK && bl_is_sweep(sweep->all->text)) {
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
