/* The words, numbers and operators of an index expression, one after the other; what has no place
 * in one (comments, directives, assignments) is refused where it stands. */
#ifndef BANKLINE_MODEL_EXPRESSION_TOKENS_H
#define BANKLINE_MODEL_EXPRESSION_TOKENS_H

#include "base/status.h"
#include "model/expression_words.h"

struct bl_token {
    enum { BL_TOKEN_END, BL_TOKEN_WORD, BL_TOKEN_NUMBER, BL_TOKEN_OPERATOR } kind;
    const char *at;
    size_t length;
};

struct bl_tokens {
    const char *text;
    const char *next;       /* behind the current token */
    struct bl_token token;  /* the current one */
    struct bl_error *error; /* may be NULL */
    enum bl_status status;  /* BL_OK until something is wrong; then nothing more is read */
};

/* Goes on to the next token: to the first one when only text and next, which is text, are set. */
void bl_tokens_advance(struct bl_tokens *tokens);

/* Whether the current token is this operator; false once something is wrong. */
bool bl_tokens_is(const struct bl_tokens *tokens, const char *text);

/* The type of a number as C writes it; false where it is none, or fits no type. */
bool bl_type_of_number(const char *number, size_t length, enum bl_scalar *type);

/* Remembers the first fault (printf's format), and draws a caret below where it is. */
void bl_tokens_fail(struct bl_tokens *tokens, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the text with a caret below `column`, from 0, into the error's log. */
void bl_draw_caret(const char *text, size_t column, struct bl_error *error);

#endif
