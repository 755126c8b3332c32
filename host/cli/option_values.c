#include "cli/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_count(const char **text, uint64_t max, uint64_t *count)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    *count = value;
    return errno == 0 && value >= 1 && value <= max;
}

enum bl_status bl_option_shape(const char *name, const char *text, unsigned max, bool may_be_row,
                               struct bl_shape *shape, struct bl_error *error)
{
    const char *rest = text;
    uint64_t x = 1, y = 1;
    bool is_good = parse_count(&rest, max, &x);
    if (is_good && (*rest || !may_be_row))
        is_good = *rest++ == 'x' && parse_count(&rest, max, &y) && !*rest;
    if (!is_good)
        return bl_fail(error, BL_USAGE,
                       "--%s %s: WIDTHxHEIGHT is right, such as 8x2%s, and each "
                       "at most %u",
                       name, text, may_be_row ? ", or a number" : "", max);
    *shape = (struct bl_shape){(unsigned)x, (unsigned)y};
    return BL_OK;
}

/* A number in the C locale that `unit` may follow; NAN for anything else. BL_OK or BL_NO_MEMORY. */
static enum bl_status parse_number(const char *text, const char *unit, double *number,
                                   struct bl_error *error)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    char *end;
    *number = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (end == text || (*end && strcmp(end, unit) != 0))
        *number = NAN;
    return BL_OK;
}

enum bl_status bl_option_seconds(const char *name, const char *text, double *seconds,
                                 struct bl_error *error)
{
    const enum bl_status status = parse_number(text, "s", seconds, error);
    if (status != BL_OK || (*seconds > 0 && *seconds <= 3600))
        return status;
    return bl_fail(error, BL_USAGE, "--%s %s: seconds, more than 0 and at most 3600", name, text);
}

enum bl_status bl_option_percent(const char *name, const char *text, double *fraction,
                                 struct bl_error *error)
{
    double percent = NAN;
    const enum bl_status status = parse_number(text, "%", &percent, error);
    if (status != BL_OK)
        return status;
    if (!(percent > 0 && percent < 100))
        return bl_fail(error, BL_USAGE, "--%s %s: a percentage between 0 and 100, such as 10%%",
                       name, text);
    *fraction = percent / 100;
    return BL_OK;
}

enum bl_status bl_option_count(const char *name, const char *text, uint64_t max, uint64_t *count,
                               struct bl_error *error)
{
    const char *rest = text;
    if (parse_count(&rest, max, count) && !*rest)
        return BL_OK;
    return bl_fail(error, BL_USAGE, "--%s %s: a number from 1 to %" PRIu64 " is right", name, text,
                   max);
}

enum bl_status bl_option_memory(const char *text, enum bl_memory *memory, struct bl_error *error)
{
    static const enum bl_memory memories[] = {BL_MEMORY_GLOBAL, BL_MEMORY_LOCAL,
                                              BL_MEMORY_CONSTANT};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        if (strcmp(text, bl_memory_name(memories[i])) == 0) {
            *memory = memories[i];
            return BL_OK;
        }
    return bl_fail(error, BL_USAGE, "--memory %s: global, local or constant is right", text);
}
