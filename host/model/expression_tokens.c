#include "model/expression_tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bl_draw_caret(const char *text, size_t column, struct bl_error *error)
{
    char *log = error->log;
    const int length = snprintf(log, sizeof error->log, "  %s\n", text);
    for (int i = 0; i < length - 1; i++) /* control characters would move the caret */
        log[i] = iscntrl((unsigned char)log[i]) ? ' ' : log[i];
    snprintf(log + length, sizeof error->log - (size_t)length, "  %*s^\n", (int)column, "");
}

void bl_tokens_fail(struct bl_tokens *tokens, const char *at, const char *format, ...)
{
    if (tokens->status != BL_OK)
        return;
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    tokens->status = bl_fail(tokens->error, BL_BAD_EXPRESSION, "%s", sentence);
    if (tokens->error)
        bl_draw_caret(tokens->text, (size_t)(at - tokens->text), tokens->error);
}

static bool is_word_start(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_word_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t number_length(const char *at)
{
    size_t length = 1;
    while (is_word_part(at[length]) || at[length] == '.' ||
           ((at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1])))
        length++;
    return length;
}

static size_t digits_of(const char *at, bool is_hexadecimal)
{
    return strspn(at, is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
}

/* "u", "L", "ul" and their like, in either case and order. */
static bool integer_suffix(const char *at, size_t length, bool *is_unsigned, bool *is_long)
{
    for (size_t i = 0; i < length; i++) {
        bool *seen = tolower((unsigned char)at[i]) == 'u'   ? is_unsigned
                     : tolower((unsigned char)at[i]) == 'l' ? is_long
                                                            : NULL;
        if (!seen || *seen)
            return false;
        *seen = true;
    }
    return true;
}

static bool type_of_integer(const char *number, size_t digits, size_t length, enum bl_scalar *type)
{
    const bool is_decimal = number[0] != '0';
    bool is_unsigned = false, is_long = false;
    char *end;
    errno = 0;
    const uint64_t value = strtoull(number, &end, 0);
    if (errno || end != number + digits ||
        !integer_suffix(end, length - digits, &is_unsigned, &is_long))
        return false;
    const bool fits[] = {value <= INT32_MAX, value <= UINT32_MAX, value <= INT64_MAX, true};
    for (int i = is_long ? 2 : 0; i < 4; i++) {
        const bool allowed = i % 2 ? is_unsigned || !is_decimal : !is_unsigned;
        if (allowed && fits[i]) {
            *type = (enum bl_scalar)(BL_INT + i);
            return true;
        }
    }
    return false;
}

bool bl_type_of_number(const char *number, size_t length, enum bl_scalar *type)
{
    const bool is_hexadecimal = number[0] == '0' && tolower((unsigned char)number[1]) == 'x';
    const size_t prefix = is_hexadecimal ? 2 : 0;
    size_t end = prefix + digits_of(number + prefix, is_hexadecimal);
    const size_t whole = end;
    const bool has_point = number[end] == '.';
    if (has_point)
        end += 1 + digits_of(number + end + 1, is_hexadecimal);
    if (end == prefix + has_point) /* no digit */
        return false;
    const bool has_exponent = tolower((unsigned char)number[end]) == (is_hexadecimal ? 'p' : 'e');
    if (has_exponent) {
        end += number[end + 1] == '+' || number[end + 1] == '-' ? 2 : 1;
        const size_t digits = digits_of(number + end, false);
        if (digits == 0)
            return false;
        end += digits;
    }
    if (!has_point && !has_exponent)
        return type_of_integer(number, whole, length, type);
    const bool is_float = tolower((unsigned char)number[end]) == 'f';
    *type = is_float ? BL_FLOAT : BL_DOUBLE;
    return end + is_float == length && (!is_hexadecimal || has_exponent);
}

/* What has no place in an expression: comments, other spellings of brackets and '#', and whatever
 * changes a value. */
static bool check_operator(struct bl_tokens *tokens, const char *at)
{
    static const struct {
        const char *text, *what;
    } refused[] = {
        {"//", "a comment"},
        {"/*", "a comment"},
        {"<%", "a brace"},
        {"%>", "a brace"},
        {"<:", "a bracket"},
        {":>", "a bracket"},
        {"%:", "a directive"},
        {"?"
         "?",
         "a trigraph"},
        {"++", "a change of a value"},
        {"--", "a change of a value"},
        {"->", "a pointer"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strncmp(at, refused[i].text, 2) == 0) {
            bl_tokens_fail(tokens, at, "'%s', %s, has no place in an index expression",
                           refused[i].text, refused[i].what);
            return false;
        }
    if (*at && strchr("+-*/%&|^~!<>=?:(),", *at))
        return true;
    if (isprint((unsigned char)*at))
        bl_tokens_fail(tokens, at, "'%c' has no place in an index expression", *at);
    else
        bl_tokens_fail(tokens, at, "byte 0x%02x has no place in an index expression",
                       (unsigned char)*at);
    return false;
}

static size_t operator_length(const char *at)
{
    static const char *const longer[] = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                         "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
        if (strncmp(at, longer[i], strlen(longer[i])) == 0)
            return strlen(longer[i]);
    return 1;
}

void bl_tokens_advance(struct bl_tokens *tokens)
{
    const char *at = tokens->next + strspn(tokens->next, " \t");
    tokens->token = (struct bl_token){BL_TOKEN_END, at, 0};
    if (!*at || tokens->status != BL_OK)
        return;
    struct bl_token *token = &tokens->token;
    if (is_word_start(*at)) {
        token->kind = BL_TOKEN_WORD;
        while (is_word_part(at[token->length]))
            token->length++;
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        *token = (struct bl_token){BL_TOKEN_NUMBER, at, number_length(at)};
    } else if (check_operator(tokens, at)) {
        *token = (struct bl_token){BL_TOKEN_OPERATOR, at, operator_length(at)};
        const bool ends_with_equals = at[token->length - 1] == '=';
        if (ends_with_equals && !strchr("=!<>", *at))
            bl_tokens_fail(tokens, at, "an index expression assigns nothing");
        else if (token->length == 3 || (*at == '=' && token->length == 1))
            bl_tokens_fail(tokens, at, "an index expression assigns nothing; '==' compares");
    }
    tokens->next = at + token->length;
}

bool bl_tokens_is(const struct bl_tokens *tokens, const char *text)
{
    const struct bl_token *token = &tokens->token;
    return tokens->status == BL_OK && token->kind == BL_TOKEN_OPERATOR &&
           strlen(text) == token->length && memcmp(token->at, text, token->length) == 0;
}
