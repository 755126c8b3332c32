#include "base/keyfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { LONGEST_LINE = 4095 };

enum bl_status bl_keyfile_fail(const struct bl_key_line *line, struct bl_error *error,
                               const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return bl_fail(error, BL_BAD_FORMAT, "%s:%u: %s", line->path, line->number, sentence);
}

/* Cuts the blanks off both ends of text, in place. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n\v\f";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static enum bl_status take_line(char *text, struct bl_key_line *line, bl_key_handler *handle,
                                void *context, struct bl_error *error)
{
    text[strcspn(text, "#")] = '\0';
    text = trim(text);
    if (!*text)
        return BL_OK;
    char *equals = strchr(text, '=');
    if (!equals)
        return bl_keyfile_fail(line, error, "a line is 'key = value', and '%.40s' has no '='",
                               text);
    *equals = '\0';
    line->key = trim(text);
    line->value = trim(equals + 1);
    if (!*line->key)
        return bl_keyfile_fail(line, error, "nothing stands before '='");
    return handle(context, line, error);
}

enum bl_status bl_keyfile_read(const char *path, bl_key_handler *handle, void *context,
                               struct bl_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    struct bl_key_line line = {.path = path};
    enum bl_status status = BL_OK;
    errno = 0;
    while (status == BL_OK && (length = getline(&text, &capacity, file)) >= 0) {
        line.number++;
        char *from = text;
        if (line.number == 1 && strncmp(text, "\xEF\xBB\xBF", 3) == 0)
            from += 3;
        if (strlen(text) != (size_t)length)
            status = bl_keyfile_fail(&line, error, "a zero byte: this is not a text file");
        else if (length > LONGEST_LINE)
            status = bl_keyfile_fail(&line, error, "longer than %d bytes", (int)LONGEST_LINE);
        else
            status = take_line(from, &line, handle, context, error);
    }
    if (status == BL_OK && ferror(file))
        status = bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    free(text);
    fclose(file);
    return status;
}
