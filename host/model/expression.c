#include "model/expression.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression_words.h"

enum { DEEPEST = 64 };

enum kind { END, WORD, NUMBER, OPERATOR };

struct token {
    enum kind kind;
    const char *at;
    size_t length;
};

struct parser {
    const char *text;
    const char *next; /* behind the current token */
    struct token token;
    unsigned depth;
    struct bl_error *error;
    enum bl_status status; /* BL_OK until something is wrong; then nothing more is read */
};

/* Puts the text with a caret below `column`, from 0, into the error's log. */
static void draw(const char *text, size_t column, struct bl_error *error)
{
    char *log = error->log;
    const int length = snprintf(log, sizeof error->log, "  %s\n", text);
    for (int i = 0; i < length - 1; i++) /* control characters would move the caret */
        log[i] = iscntrl((unsigned char)log[i]) ? ' ' : log[i];
    snprintf(log + length, sizeof error->log - (size_t)length, "  %*s^\n", (int)column, "");
}

/* Remembers the first fault, and draws where it is. */
static void fail(struct parser *parser, const char *at, const char *format, ...)
{
    if (parser->status != BL_OK)
        return;
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    parser->status = bl_fail(parser->error, BL_BAD_EXPRESSION, "%s", sentence);
    if (parser->error)
        draw(parser->text, (size_t)(at - parser->text), parser->error);
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

/* What has no place in an expression: comments, other spellings of brackets and '#', and whatever
 * changes a value. */
static bool check_operator(struct parser *parser, const char *at)
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
            fail(parser, at, "'%s', %s, has no place in an index expression", refused[i].text,
                 refused[i].what);
            return false;
        }
    if (!*at || !strchr("+-*/%&|^~!<>=?:(),.", *at)) {
        if (isprint((unsigned char)*at))
            fail(parser, at, "'%c' has no place in an index expression", *at);
        else
            fail(parser, at, "byte 0x%02x has no place in an index expression", (unsigned char)*at);
        return false;
    }
    return true;
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

static void advance(struct parser *parser)
{
    const char *at = parser->next + strspn(parser->next, " \t");
    parser->token = (struct token){END, at, 0};
    if (!*at || parser->status != BL_OK)
        return;
    if (is_word_start(*at)) {
        parser->token.kind = WORD;
        while (is_word_part(at[parser->token.length]))
            parser->token.length++;
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        parser->token = (struct token){NUMBER, at, number_length(at)};
    } else if (check_operator(parser, at)) {
        parser->token = (struct token){OPERATOR, at, operator_length(at)};
        if (at[parser->token.length - 1] == '=' && !strchr("=!<>", *at))
            fail(parser, at, "an index expression assigns nothing");
        else if (parser->token.length == 3 || (*at == '=' && parser->token.length == 1))
            fail(parser, at, "an index expression assigns nothing; '==' compares");
    }
    parser->next = at + parser->token.length;
}

static bool is_operator(const struct parser *parser, const char *text)
{
    return parser->status == BL_OK && parser->token.kind == OPERATOR &&
           strlen(text) == parser->token.length &&
           memcmp(parser->token.at, text, parser->token.length) == 0;
}

static bool is_one_of(const struct parser *parser, const char *characters)
{
    return parser->status == BL_OK && parser->token.kind == OPERATOR && parser->token.length == 1 &&
           strchr(characters, *parser->token.at);
}

/* Copies the token, with a blank before it so that no two run together, and goes on. */
static void copy(struct parser *parser, FILE *out)
{
    fprintf(out, " %.*s", (int)parser->token.length, parser->token.at);
    advance(parser);
}

static void parse_list(struct parser *parser, FILE *out);

/* "( ... )", its inside an expression or arguments. */
static void parse_parentheses(struct parser *parser, bool may_be_empty, FILE *out)
{
    const char *opened = parser->token.at;
    copy(parser, out);
    if (++parser->depth > DEEPEST)
        fail(parser, opened, "parentheses are nested deeper than %d", (int)DEEPEST);
    if (!may_be_empty || !is_operator(parser, ")"))
        parse_list(parser, out);
    parser->depth--;
    if (is_operator(parser, ")"))
        copy(parser, out);
    else
        fail(parser, opened, "this parenthesis is never closed");
}

/* Whether the parenthesis here holds nothing but names of types: a cast. */
static bool is_cast(const struct parser *parser)
{
    struct parser ahead = *parser;
    ahead.error = NULL;
    advance(&ahead);
    bool is_type = ahead.token.kind == WORD;
    while (ahead.token.kind == WORD && is_type) {
        is_type = bl_is_type_word(ahead.token.at, ahead.token.length);
        advance(&ahead);
    }
    return is_type && is_operator(&ahead, ")");
}

static void parse_word(struct parser *parser, FILE *out)
{
    const struct token word = parser->token;
    const char *behind = parser->next + strspn(parser->next, " \t");
    if (*behind == '(') {
        if (!bl_is_function_word(word.at, word.length))
            fail(parser, word.at,
                 "'%.*s' is no function that an index expression may call; get_global_id, min, "
                 "mad24, select and their like are",
                 (int)word.length, word.at);
        copy(parser, out);
        if (parser->status == BL_OK)
            parse_parentheses(parser, true, out);
        return;
    }
    if (bl_is_function_word(word.at, word.length))
        fail(parser, word.at, "'%.*s' is a function and wants its argument in parentheses",
             (int)word.length, word.at);
    else if (!bl_is_constant_word(word.at, word.length))
        fail(parser, word.at,
             "an index expression knows no '%.*s'; it is made of get_global_id(0), "
             "get_local_id(0), get_group_id(0), their sizes, numbers and operators",
             (int)word.length, word.at);
    copy(parser, out);
}

static void parse_operand(struct parser *parser, FILE *out)
{
    unsigned prefixes = 0;
    while (is_one_of(parser, "+-~!") || (is_operator(parser, "(") && is_cast(parser))) {
        if (++prefixes > DEEPEST)
            fail(parser, parser->token.at, "more than %d signs and casts in a row", (int)DEEPEST);
        const bool cast = is_operator(parser, "(");
        do
            copy(parser, out);
        while (cast && parser->status == BL_OK && !is_operator(parser, ")"));
        if (cast)
            copy(parser, out);
    }
    if (parser->status != BL_OK)
        return;
    if (is_operator(parser, "("))
        parse_parentheses(parser, false, out);
    else if (parser->token.kind == WORD)
        parse_word(parser, out);
    else if (parser->token.kind == NUMBER)
        copy(parser, out);
    else if (parser->token.kind == END)
        fail(parser, parser->token.at, "the expression ends where an operand is missing");
    else
        fail(parser, parser->token.at, "an operand is missing before '%.*s'",
             (int)parser->token.length, parser->token.at);
    while (is_operator(parser, ".")) { /* a component of a vector */
        copy(parser, out);
        if (parser->token.kind != WORD)
            fail(parser, parser->token.at, "a component's name is missing behind '.'");
        else
            copy(parser, out);
    }
}

static void fail_for_memory(struct parser *parser)
{
    if (parser->status == BL_OK)
        parser->status = bl_fail(parser->error, BL_NO_MEMORY, "no memory for the expression");
}

/* Operands joined by '*', '/' and '%', from left to right; each division becomes a call. */
static void parse_product(struct parser *parser, FILE *out)
{
    char *product = NULL, *longer = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&product, &size);
    if (!file) {
        fail_for_memory(parser);
        return;
    }
    parse_operand(parser, file);
    if (fclose(file) != 0 || !product)
        fail_for_memory(parser);
    while (is_one_of(parser, "*/%") && product) {
        const char operation = *parser->token.at;
        advance(parser);
        file = open_memstream(&longer, &size);
        if (!file) {
            fail_for_memory(parser);
            break;
        }
        if (operation != '*')
            fputs(operation == '/' ? " quotient(" : " remainder_of(", file);
        fprintf(file, "%s%s", product, operation == '*' ? " *" : ",");
        parse_operand(parser, file);
        fputs(operation == '*' ? "" : ", fault)", file);
        if (fclose(file) != 0)
            fail_for_memory(parser);
        free(product);
        product = longer;
        longer = NULL;
    }
    fputs(product ? product : "", out);
    free(product);
}

/* Products joined by every other operator, up to a closing parenthesis or the end. */
static void parse_list(struct parser *parser, FILE *out)
{
    parse_product(parser, out);
    while (parser->status == BL_OK && parser->token.kind == OPERATOR && !is_operator(parser, ")")) {
        if (is_one_of(parser, "(~!.")) {
            fail(parser, parser->token.at, "an operator is missing before '%c'", *parser->token.at);
            return;
        }
        if (is_operator(parser, ",") && parser->depth == 0) {
            fail(parser, parser->token.at, "a ',' outside of parentheses");
            return;
        }
        copy(parser, out);
        parse_product(parser, out);
    }
    if (parser->status == BL_OK && (parser->token.kind == WORD || parser->token.kind == NUMBER))
        fail(parser, parser->token.at, "an operator is missing before '%.*s'",
             (int)parser->token.length, parser->token.at);
}

enum bl_status bl_expression_parse(const char *text, struct bl_expression *expression,
                                   struct bl_error *error)
{
    *expression = (struct bl_expression){0};
    const size_t length = strlen(text);
    if (length > BL_LONGEST_EXPRESSION)
        return bl_fail(error, BL_BAD_EXPRESSION,
                       "an index expression has at most %d characters, and this one has %zu",
                       (int)BL_LONGEST_EXPRESSION, length);
    if (strspn(text, " \t") == length)
        return bl_fail(error, BL_BAD_EXPRESSION, "the index expression is empty");
    struct parser parser = {.text = text, .next = text, .error = error};
    size_t size = 0;
    FILE *out = open_memstream(&expression->guarded, &size);
    expression->text = strdup(text);
    if (!out || !expression->text) {
        if (out)
            fclose(out);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the expression");
    }
    advance(&parser);
    parse_list(&parser, out);
    if (is_operator(&parser, ")"))
        fail(&parser, parser.token.at, "this parenthesis was never opened");
    if (fclose(out) != 0 && parser.status == BL_OK)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the expression");
    return parser.status;
}

void bl_expression_free(struct bl_expression *expression)
{
    free(expression->text);
    free(expression->guarded);
    *expression = (struct bl_expression){0};
}

/* The message of a compiler's line, behind the place and the word "error"; copied to message. */
static void copy_message(const char *line, const char *behind_place, char message[256])
{
    const size_t length = strcspn(line, "\n");
    static const char *const words[] = {" ", "fatal ", "error: "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(behind_place, words[i], strlen(words[i])) == 0)
            behind_place += strlen(words[i]);
    snprintf(message, 256, "%.*s", (int)(line + length - behind_place), behind_place);
}

/* Compilers write "expression.text:1:5: error: ..." or "error: expression.text:1:5: ...". */
static bool find_message(const char *log, const char *file, unsigned long *column,
                         char message[256])
{
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *end = line + strcspn(line, "\n");
        const char *place = strstr(line, file), *word = strstr(line, "error");
        unsigned row;
        int length = 0;
        if (!place || place >= end || !word || word >= end ||
            sscanf(place + strlen(file), ":%u:%lu:%n", &row, column, &length) < 2 || !length)
            continue;
        copy_message(line, place + strlen(file) + length, message);
        return true;
    }
    return false;
}

enum bl_status bl_expression_blame(const struct bl_expression *expression, struct bl_error *error)
{
    char message[256];
    unsigned long column;
    const bool has_place = find_message(error->log, "expression.text", &column, message) &&
                           column >= 1 && column <= strlen(expression->text) + 1;
    /* A type that is no index is found where the kernel takes the expression's value. */
    if (!has_place && !find_message(error->log, "expression.h", &column, message))
        return error->status;
    bl_fail(error, BL_BAD_EXPRESSION, "the expression does not compile: %s", message);
    if (has_place)
        draw(expression->text, column - 1, error);
    else
        error->log[0] = '\0';
    return error->status;
}
