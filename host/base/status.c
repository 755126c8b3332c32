/* The words and the exit status of each status, both from the list in status.h; and the sentences
 * of errors. A sentence (struct bl_error) may quote a file or a driver, so its control characters
 * are replaced: the sentence stays on one line and cannot send escape sequences to the terminal. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    int exit_status;
    const char *words;
} statuses[] = {
#define BL_STATUS_ROW(name, exit_status, words) {exit_status, words},
    BL_STATUSES(BL_STATUS_ROW)
#undef BL_STATUS_ROW
};

static const size_t status_count = sizeof statuses / sizeof statuses[0];

const char *bl_status_words(enum bl_status status)
{
    return (size_t)status < status_count ? statuses[status].words : "unknown status";
}

int bl_status_exit(enum bl_status status)
{
    return (size_t)status < status_count ? statuses[status].exit_status : 3;
}

enum bl_status bl_fail(struct bl_error *error, enum bl_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    bl_make_showable(error->sentence);
    return status;
}

void bl_error_context(struct bl_error *error, const char *format, ...)
{
    if (!error)
        return;
    char whole[sizeof error->sentence];
    va_list arguments;
    va_start(arguments, format);
    const int used = vsnprintf(whole, sizeof whole, format, arguments);
    va_end(arguments);
    if (used < 0 || (size_t)used + 2 >= sizeof whole)
        return;
    const int left = (int)sizeof whole - used - (int)sizeof ": ";
    snprintf(whole + used, sizeof whole - (size_t)used, ": %.*s", left, error->sentence);
    memcpy(error->sentence, whole, sizeof whole);
    bl_make_showable(error->sentence);
}
