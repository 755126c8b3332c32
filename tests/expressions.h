/* What becomes of an expression, and how one is refused. */
#ifndef BANKLINE_TESTS_EXPRESSIONS_H
#define BANKLINE_TESTS_EXPRESSIONS_H

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"

static struct bl_error error;

/* The guarded text without its blanks, or NULL if the expression is refused. */
static char *guarded(const char *text)
{
    struct bl_expression expression;
    error = (struct bl_error){0};
    char *result = NULL;
    if (bl_expression_parse(text, &expression, &error) == BL_OK) {
        cr_assert_str_eq(expression.text, text);
        result = strdup(expression.guarded);
        size_t used = 0;
        for (const char *at = result; *at; at++)
            if (!isspace((unsigned char)*at))
                result[used++] = *at;
        result[used] = '\0';
    }
    bl_expression_free(&expression);
    return result;
}

static inline void becomes(const char *text, const char *expected)
{
    char *got = guarded(text);
    cr_assert_not_null(got, "%s: %s", text, error.sentence);
    cr_assert_str_eq(got, expected);
    free(got);
}

/* Column from 0, or -1 where there is no caret. */
static inline int caret(void)
{
    const char *line = strchr(error.log, '\n'), *at = line ? strchr(line, '^') : NULL;
    return at ? (int)(at - line) - 3 : -1;
}

static inline void refused(const char *text, const char *sentence_part, int column)
{
    char *got = guarded(text);
    cr_assert_null(got, "'%s' became %s", text, got);
    cr_assert_eq(error.status, BL_BAD_EXPRESSION);
    cr_assert(strstr(error.sentence, sentence_part), "'%s': %s", text, error.sentence);
    cr_assert_eq(caret(), column, "'%s': caret at %d", text, caret());
    cr_assert_not(strchr(error.sentence, '\n'));
}

#endif
