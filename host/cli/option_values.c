#include "cli/option_values.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was expected in place of the value; printf's format. */
#define FAIL(expected, ...) \
    bl_fail(error, BL_USAGE, "--%s '%s': expected " expected, option->name, text, __VA_ARGS__)

enum bl_status bl_parse_flag(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    (void)option, (void)text, (void)error;
    *(bool *)member = true;
    return BL_OK;
}

enum bl_status bl_parse_text(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    (void)option, (void)error;
    *(const char **)member = text;
    return BL_OK;
}

/* Digits at *text, which moves behind them, as a number from 1 to max. */
static bool read_count(const char **text, unsigned max, unsigned *count)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    *count = (unsigned)value;
    return errno == 0 && value >= 1 && value <= max;
}

enum bl_status bl_parse_count(const struct bl_option *option, const char *text, void *member,
                              struct bl_error *error)
{
    const char *rest = text;
    unsigned count;
    if (!read_count(&rest, option->max, &count) || *rest)
        return FAIL("an integer from 1 to %u", option->max);
    *(unsigned *)member = count;
    return BL_OK;
}

/* "8x2". */
static bool read_shape(const char *text, unsigned max, struct bl_shape *shape)
{
    return read_count(&text, max, &shape->x) && *text++ == 'x' &&
           read_count(&text, max, &shape->y) && !*text;
}

enum bl_status bl_parse_shape(const struct bl_option *option, const char *text, void *member,
                              struct bl_error *error)
{
    struct bl_shape shape;
    if (!read_shape(text, option->max, &shape))
        return FAIL("WIDTHxHEIGHT, such as 8x2, each from 1 to %u", option->max);
    *(struct bl_shape *)member = shape;
    return BL_OK;
}

enum bl_status bl_parse_extent(const struct bl_option *option, const char *text, void *member,
                               struct bl_error *error)
{
    const char *rest = text;
    struct bl_shape shape = {.y = 1};
    if ((!read_count(&rest, option->max, &shape.x) || *rest) &&
        !read_shape(text, option->max, &shape))
        return FAIL("N or WIDTHxHEIGHT, such as 8 or 8x2, each from 1 to %u", option->max);
    *(struct bl_shape *)member = shape;
    return BL_OK;
}

/* A number in the C locale that `unit` may follow; NAN for anything else. BL_OK or BL_NO_MEMORY. */
static enum bl_status read_number(const char *text, const char *unit, double *number,
                                  struct bl_error *error)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    char *end;
    *number = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (end == text || strpbrk(text, "xX \t") || (*end && strcmp(end, unit) != 0))
        *number = NAN;
    return BL_OK;
}

enum bl_status bl_parse_seconds(const struct bl_option *option, const char *text, void *member,
                                struct bl_error *error)
{
    double seconds = NAN;
    const enum bl_status status = read_number(text, "s", &seconds, error);
    if (status != BL_OK)
        return status;
    if (!(seconds > 0 && seconds <= 3600))
        return FAIL("seconds, above 0 and at most %d", 3600);
    *(double *)member = seconds;
    return BL_OK;
}

enum bl_status bl_parse_percent(const struct bl_option *option, const char *text, void *member,
                                struct bl_error *error)
{
    double percent = NAN;
    const enum bl_status status = read_number(text, "%", &percent, error);
    if (status != BL_OK)
        return status;
    if (!(percent > 0 && percent < 100))
        return FAIL("a percentage above 0 and below %d, such as 10%%", 100);
    *(double *)member = percent / 100;
    return BL_OK;
}

enum bl_status bl_parse_type(const struct bl_option *option, const char *text, void *member,
                             struct bl_error *error)
{
    const enum bl_status status = bl_type_named(text, member, error);
    if (status != BL_OK)
        bl_error_context(error, "--%s", option->name);
    return status;
}

enum bl_status bl_parse_choice(const struct bl_option *option, const char *text, void *member,
                               struct bl_error *error)
{
    char words[256] = "";
    size_t used = 0;
    for (unsigned i = 0; option->words[i]; i++) {
        if (strcmp(text, option->words[i]) == 0) {
            *(unsigned *)member = i;
            return BL_OK;
        }
        const char *separator = i == 0 ? "" : option->words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", separator,
                                 option->words[i]);
        used = used < sizeof words ? used : sizeof words;
    }
    return FAIL("%s", words);
}
