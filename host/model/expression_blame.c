/* A compiler's complaint, as one about what the user wrote. What OpenCL C refuses is refused here
 * before any compiler sees it, so there is little left to complain of. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/expression.h"
#include "model/expression_tokens.h"

static const char guarded_name[] = "expression.guarded";

enum bl_status bl_expression_check_double(const struct bl_expression *expression, bool has_double,
                                          struct bl_error *error)
{
    if (has_double || !expression->double_column)
        return BL_OK;
    bl_fail(error, BL_BAD_EXPRESSION, "this device has no double; float may do");
    if (error)
        bl_draw_caret(expression->text, expression->double_column - 1, error);
    return BL_BAD_EXPRESSION;
}

static bool holds(const char *line, size_t length, const char *part)
{
    const char *at = strstr(line, part);
    return at && at < line + length;
}

/* The message behind "error: " and the place, wherever they stand in the line. */
static void copy_message(const char *line, size_t length, char message[256])
{
    const char *end = line + length, *at = strstr(line, guarded_name);
    const char *word = strstr(line, "error");
    if (!at || at >= end || at < word)
        at = word;
    at += strcspn(at, " \n");                 /* "expression.guarded:17:5:", "error:" */
    const char *spelling = strstr(at, ">: "); /* " <Spelling=FILE:LINE:COLUMN>: " */
    if (spelling && spelling < end)
        at = spelling + 2;
    static const char *const words[] = {" ", ":", "fatal ", "error"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            at += strlen(words[i]);
            i = (size_t)-1; /* from the first again */
        }
    snprintf(message, 256, "%.*s", at < end ? (int)(end - at) : 0, at);
}

/* Whether the message says nothing, or quotes a word that the user did not write. */
static bool is_no_use(const char *message, const char *text)
{
    char word[64];
    for (const char *at = message; (at = strchr(at, '\'')); at += strcspn(at, "'") + 1) {
        at++;
        const size_t length = strcspn(at, "'");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!at[length] || !strstr(text, word))
            return true;
    }
    return !*message || strstr(message, "expression.") || strstr(message, ".cl") ||
           strstr(message, "fault");
}

/* The first complaint about the expression, or else the first one that names no file of ours.
 * Returns its length; *column is 0 where it has no place. */
static size_t find_complaint(const char *log, const char **found, unsigned long *column)
{
    size_t unplaced = 0;
    *column = 0;
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        const char *place = strstr(line, guarded_name);
        if (!holds(line, length, "error"))
            continue;
        if (place && place < line + length &&
            sscanf(place + sizeof guarded_name - 1, ":%lu", column) == 1) {
            *found = line;
            return length;
        }
        if (holds(line, length, ".cl:") || holds(line, length, ".h:"))
            return 0;
        if (!unplaced && holds(line, length, "error:")) {
            *found = line;
            unplaced = length;
        }
    }
    return unplaced;
}

enum bl_status bl_expression_blame(const struct bl_expression *expression, struct bl_error *error)
{
    const char *line;
    unsigned long column;
    const size_t length = find_complaint(error->log, &line, &column);
    if (length == 0)
        return error->status;
    char message[256];
    copy_message(line, length, message);
    const bool no_use = is_no_use(message, expression->text);
    bl_fail(error, BL_BAD_EXPRESSION, "the expression does not compile%s%s", no_use ? "" : ": ",
            no_use ? "" : message);
    if (column >= 1 && column <= strlen(expression->text))
        bl_draw_caret(expression->text, column - 1, error);
    else
        error->log[0] = '\0';
    return error->status;
}
