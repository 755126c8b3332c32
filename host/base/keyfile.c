/* Reads `key = value` lines. Reads byte by byte, because fgets would hide a zero byte, and would
 * split a line that is longer than its buffer. */
#include "base/keyfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Removes the blanks at both ends of `text`, in place. */
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
        return bl_keyfile_fail(line, error, "expected 'key = value', but '%.40s' has no '='", text);
    *equals = '\0';
    line->key = trim(text);
    line->value = trim(equals + 1);
    if (!*line->key)
        return bl_keyfile_fail(line, error, "expected a key before '='");
    return handle(context, line, error);
}

static size_t mark_bytes(const char *text) { return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; }

static enum bl_status read_lines(FILE *file, const char *path, bl_key_handler *handle,
                                 void *context, struct bl_error *error)
{
    char text[LONGEST_LINE + 1];
    int byte = '\n';
    for (struct bl_key_line line = {.path = path, .number = 1}; byte != EOF; line.number++) {
        size_t length = 0;
        while ((byte = getc(file)) != EOF && byte != '\n') {
            if (byte == '\0')
                return bl_keyfile_fail(&line, error, "a zero byte: this is not a text file");
            if (length == LONGEST_LINE)
                return bl_keyfile_fail(&line, error, "longer than %d bytes", (int)LONGEST_LINE);
            text[length++] = (char)byte;
        }
        text[length] = '\0';
        if (byte == EOF && ferror(file))
            break;
        const enum bl_status status = take_line(text + (line.number == 1 ? mark_bytes(text) : 0),
                                                &line, handle, context, error);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

enum bl_status bl_keyfile_read(const char *path, bl_key_handler *handle, void *context,
                               struct bl_error *error)
{
    /* If standard input is a named pipe, opening /dev/stdin would open the pipe again and wait for
     * a second writer. */
    const bool is_stdin = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", name, strerror(errno));
    errno = 0;
    enum bl_status status = read_lines(file, name, handle, context, error);
    if (status == BL_OK && ferror(file))
        status = bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", name,
                         strerror(errno ? errno : EIO));
    if (!is_stdin)
        fclose(file);
    return status;
}
