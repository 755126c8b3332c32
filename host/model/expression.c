/* Parses index expressions by recursive descent. Users mistype expressions, so each kind of fault
 * has its own message, with a caret below the faulty place. */
#include "model/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/expression_tree.h"

enum { DEEPEST = 64 };

struct parser {
    const char *text;
    enum { END, WORD, NUMBER, OPERATOR } kind; /* kind of the current token */
    struct bl_word token;                      /* the current token */
    const char *next;                          /* the text after the current token */
    struct bl_error *error;                    /* may be NULL */
    enum bl_status status;          /* BL_OK until the first error, at which parsing stops */
    unsigned depth;                 /* nesting depth of parentheses and brackets */
    const struct bl_lookup *lookup; /* or NULL */
    struct bl_node *nodes; /* capacity: one node per character of the text, which is enough */
    size_t count;
};

/* Writes the text with a caret below `column` (counted from 0) into the error's log. */
static void draw_caret(const char *text, size_t column, struct bl_error *error)
{
    char *log = error->log;
    const int length = snprintf(log, sizeof error->log, "  %s\n", text);
    for (int i = 0; i < length - 1; i++) /* control characters would move the caret */
        log[i] = iscntrl((unsigned char)log[i]) ? ' ' : log[i];
    snprintf(log + length, sizeof error->log - (size_t)length, "  %*s^\n", (int)column, "");
}

/* Records an error and draws a caret below its position `at`. Later errors are ignored. */
__attribute__((format(printf, 3, 4))) static void fail(struct parser *parser, const char *at,
                                                       const char *format, ...)
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
        draw_caret(parser->text, (size_t)(at - parser->text), parser->error);
}

/* Like fail, but the message begins with a word of the text. */
__attribute__((format(printf, 3, 4))) static void fail_at_word(struct parser *parser,
                                                               struct bl_word word,
                                                               const char *format, ...)
{
    char rest[192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rest, sizeof rest, format, arguments);
    va_end(arguments);
    fail(parser, word.at, "'%.*s'%s", word.length < 60 ? (int)word.length : 60, word.at, rest);
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

/* Checks that an operator may begin here. Rejects comments, digraphs, trigraphs, "->", "++" and
 * "--". */
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
    if (*at && strchr("+-*/%&|^~!<>=?:(),[]", *at))
        return true;
    if (isprint((unsigned char)*at))
        fail(parser, at, "'%c' has no place in an index expression", *at);
    else
        fail(parser, at, "byte 0x%02x has no place in an index expression", (unsigned char)*at);
    return false;
}

/* Advances to the next token. */
static void advance(struct parser *parser)
{
    const char *at = parser->next + strspn(parser->next, " \t");
    struct bl_word *token = &parser->token;
    parser->kind = END;
    *token = (struct bl_word){at, 0};
    if (!*at || parser->status != BL_OK)
        return;
    if (is_word_start(*at)) {
        parser->kind = WORD;
        while (is_word_part(at[token->length]))
            token->length++;
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        parser->kind = NUMBER;
        token->length = number_length(at);
    } else if (check_operator(parser, at)) {
        parser->kind = OPERATOR;
        token->length = bl_operator_named((struct bl_word){at, 2}, 2) ? 2 : 1;
        if (at[token->length] == '=' && strchr("+-*/%&|^<>", *at))
            fail(parser, at, "an index expression cannot assign");
        else if (bl_word_is(*token, "="))
            fail(parser, at, "an index expression cannot assign; use '==' to compare");
    }
    parser->next = at + token->length;
}

/* Whether the current token is this operator. Returns false after an error, so that all loops end.
 */
static bool is(const struct parser *parser, const char *text)
{
    return parser->status == BL_OK && parser->kind == OPERATOR && bl_word_is(parser->token, text);
}

/* Fails unless the text ends here. Called where only an operator or the end could follow. */
static void fail_at_rest(struct parser *parser)
{
    if (is(parser, ")"))
        fail(parser, parser->token.at, "this parenthesis was never opened");
    else if (is(parser, ","))
        fail(parser, parser->token.at, "a ',' outside a function's arguments");
    else if (is(parser, ":"))
        fail(parser, parser->token.at, "a ':' without a '?'");
    else if (parser->kind != END)
        fail(parser, parser->token.at, "an operator is missing before '%.*s'",
             (int)parser->token.length, parser->token.at);
}

static void fail_at_floating(struct parser *parser, struct bl_word word)
{
    fail_at_word(parser, word, " is floating-point, but an index must be an integer");
}

/* Whether the word is the name of a vector type, such as "int2". */
static bool is_vector(struct bl_word word)
{
    const size_t length = word.length;
    enum bl_scalar type;
    while (word.length > 0 && strchr("0123456789", word.at[word.length - 1]))
        word.length--;
    return word.length < length && bl_type_of_word(word, &type);
}

/* Reports that the current word cannot be used here. is_call: a function's name was expected. */
static void fail_at_name(struct parser *parser, bool is_call)
{
    const struct bl_word word = parser->token;
    char name[BL_LONGEST_EXPRESSION + 1], meant[128];
    enum bl_scalar type;
    const bool is_type = bl_type_of_word(word, &type);
    const struct bl_tree_operation *function = bl_function_named(word, &type);
    snprintf(name, sizeof name, "%.*s", (int)word.length, word.at);
    if ((is_type && type == BL_FLOATING) || (function && function->signature == BL_OF_FLOATING)) {
        fail_at_floating(parser, word);
    } else if (function) {
        fail_at_word(parser, word, " is a function: write its arguments in parentheses");
    } else if (is_type) {
        fail_at_word(parser, word, " is a type; write a cast as (%s)", name);
    } else if (!is_call && is_vector(word)) {
        fail_at_word(parser, word, " is a vector, but an index must be a scalar");
    } else {
        struct bl_nearest nearest = bl_nearest_begin(name);
        bl_offer_names(&nearest, is_call);
        fail(parser, word.at, "unknown %s '%.60s'%s", is_call ? "function" : "name", name,
             nearest.best ? bl_did_you_mean(&nearest, meant)
             : is_call
                 ? "; an index expression may call get_global_id, min, mad24, select and similar "
                   "functions"
                 : "; an index expression may contain get_global_id(0), get_local_id(0), "
                   "get_group_id(0), their sizes, numbers and operators");
    }
}

/* Determines a node's types. Does nothing after an error, because operands may then be missing.
 * name: the name of the node's operation. */
static void settle(struct parser *parser, struct bl_node *node, struct bl_word name)
{
    char why[128];
    if (parser->status == BL_OK && !bl_node_settle(node, name, why))
        fail_at_word(parser, name, " %s", why);
}

static struct bl_node *new_node(struct parser *parser, const struct bl_tree_operation *operation)
{
    struct bl_node *node = &parser->nodes[parser->count++];
    node->operation = operation;
    return node;
}

/* The functions that return a node return NULL only after an error. */
static struct bl_node *parse_choice(struct parser *parser);

/* Expects the ")" that closes the parenthesis at `opened`, and advances past it. */
static void close_parenthesis(struct parser *parser, const char *opened)
{
    if (is(parser, ")"))
        advance(parser);
    else if (parser->kind == END)
        fail(parser, opened, "this parenthesis is never closed");
    else
        fail_at_rest(parser);
    parser->depth--;
}

static void open_parenthesis(struct parser *parser)
{
    if (++parser->depth > DEEPEST)
        fail(parser, parser->token.at, "parentheses are nested deeper than %d", (int)DEEPEST);
    advance(parser);
}

/* Parses the arguments of a call, including the parentheses. Returns the number of arguments.
 * Arguments beyond BL_MAX_OPERANDS are parsed but not stored. */
static unsigned parse_arguments(struct parser *parser, struct bl_node *of[BL_MAX_OPERANDS])
{
    const char *opened = parser->token.at;
    unsigned count = 0;
    open_parenthesis(parser);
    bool goes_on = !is(parser, ")");
    while (goes_on) {
        struct bl_node *argument = parse_choice(parser);
        if (count < BL_MAX_OPERANDS)
            of[count] = argument;
        count++;
        goes_on = is(parser, ",");
        if (goes_on)
            advance(parser);
    }
    close_parenthesis(parser, opened);
    return count;
}

static struct bl_node *parse_call(struct parser *parser)
{
    const struct bl_word name = parser->token;
    enum bl_scalar type = BL_INT;
    const struct bl_tree_operation *function = bl_function_named(name, &type);
    if (!function || function->signature == BL_OF_FLOATING) {
        fail_at_name(parser, true);
        return NULL;
    }
    struct bl_node *node = new_node(parser, function);
    node->type = type;
    advance(parser);
    const unsigned count = parse_arguments(parser, node->of);
    if (count != function->operands)
        fail_at_word(parser, name, " takes %u argument%s, not %u", function->operands,
                     bl_plural(function->operands), count);
    if (function->signature == BL_SELECT) { /* the condition may have another type */
        struct bl_node *condition = new_node(parser, &bl_cast_to_bool);
        condition->of[0] = node->of[2];
        settle(parser, condition, name);
        node->of[2] = condition;
    }
    settle(parser, node, name);
    return node;
}

/* Reads an integer constant and determines its type as C does. Returns false if the text is not an
 * integer, or if the number is too large for every type. */
static bool read_number(struct bl_word number, struct bl_node *node)
{
    static const char *const suffixes[] = {"", "u", "l", "ul", "lu"};
    const bool is_decimal = number.at[0] != '0';
    const bool is_binary = !is_decimal && tolower((unsigned char)number.at[1]) == 'b';
    char *end;
    errno = 0;
    const uint64_t value = node->number = strtoull(number.at, &end, 0);
    const size_t rest = number.length - (size_t)(end - number.at);
    size_t s = 0;
    while (s < 5 && (strlen(suffixes[s]) != rest || strncasecmp(end, suffixes[s], rest) != 0))
        s++;
    if (errno || is_binary || s == 5)
        return false;
    const bool is_unsigned = strchr(suffixes[s], 'u'), is_long = strchr(suffixes[s], 'l');
    const bool fits[] = {value <= INT32_MAX, value <= UINT32_MAX, value <= INT64_MAX, true};
    for (int i = is_long ? 2 : 0; i < 4; i++) {
        const bool allowed = i % 2 ? is_unsigned || !is_decimal : !is_unsigned;
        if (allowed && fits[i]) {
            node->type = (enum bl_scalar)(BL_INT + i);
            return true;
        }
    }
    return false;
}

/* Whether the number has a point or an exponent. */
static bool is_floating(struct bl_word number)
{
    const bool is_hexadecimal = number.at[0] == '0' && tolower((unsigned char)number.at[1]) == 'x';
    return strcspn(number.at, is_hexadecimal ? ".pP" : ".eE") < number.length;
}

static bool is_before(const struct parser *parser, char c)
{
    return parser->next[strspn(parser->next, " \t")] == c;
}

/* Parses table[INDEX], the only way in which an index can depend on data. */
static struct bl_node *parse_table(struct parser *parser)
{
    const struct bl_word name = parser->token;
    if (!bl_word_is(name, "table") || !parser->lookup) {
        fail_at_word(parser, name,
                     ": write data that an index depends on as table[...], and give the table with "
                     "--table FILE, --table random:N or --table permutation:N");
        return NULL;
    }
    struct bl_node *node = new_node(parser, &bl_table_read);
    node->lookup = parser->lookup;
    node->type = BL_INT;
    node->operands = BL_LONG;
    advance(parser);
    const char *opened = parser->token.at;
    open_parenthesis(parser);
    node->of[0] = parse_choice(parser);
    if (is(parser, "]"))
        advance(parser);
    else if (parser->kind == END)
        fail(parser, opened, "this bracket is never closed");
    else
        fail_at_rest(parser);
    parser->depth--;
    return node;
}

static struct bl_node *parse_atom(struct parser *parser)
{
    const struct bl_word token = parser->token;
    if (is(parser, "(")) {
        open_parenthesis(parser);
        struct bl_node *node = parse_choice(parser);
        close_parenthesis(parser, token.at);
        return node;
    }
    if (parser->kind == WORD && is_before(parser, '('))
        return parse_call(parser);
    enum bl_scalar type;
    if (parser->kind == WORD && is_before(parser, '[') && !bl_function_named(token, &type))
        return parse_table(parser);
    struct bl_node value = {0};
    const bool is_known = parser->kind == WORD && bl_constant_named(token, &value);
    if (parser->kind == END)
        fail(parser, token.at, "an operand is missing at the end");
    else if (parser->kind == OPERATOR)
        fail(parser, token.at, "an operand is missing before '%.*s'", (int)token.length, token.at);
    else if (parser->kind == NUMBER ? is_floating(token) : value.type == BL_FLOATING)
        fail_at_floating(parser, token);
    else if (parser->kind == NUMBER && !read_number(token, &value))
        fail_at_word(parser, token, " is not an integer that fits a type of OpenCL C");
    else if (parser->kind == WORD && !is_known)
        fail_at_name(parser, false);
    if (parser->status != BL_OK)
        return NULL;
    struct bl_node *node = new_node(parser, NULL);
    *node = value;
    advance(parser);
    return node;
}

/* Whether a cast begins at the current "(": only names of types follow, up to the ")". */
static bool is_cast(const struct parser *parser)
{
    struct parser ahead = *parser;
    enum bl_scalar type;
    ahead.error = NULL;
    advance(&ahead);
    bool is_type = ahead.kind == WORD;
    while (ahead.kind == WORD && is_type) {
        is_type = bl_type_of_word(ahead.token, &type);
        advance(&ahead);
    }
    return is_type && is(&ahead, ")");
}

/* Parses a cast such as "(unsigned int)", without its operand. */
static struct bl_node *parse_cast(struct parser *parser)
{
    struct bl_word words[2];
    size_t count = 0;
    enum bl_scalar type = BL_INT;
    advance(parser);
    const char *at = parser->token.at;
    for (; parser->kind == WORD; advance(parser), count++)
        if (count < 2)
            words[count] = parser->token;
    if (count > 2 || !bl_type_of_words(words, count, &type))
        fail(parser, at, "unknown type '%.*s'", (int)(parser->token.at - at), at);
    else if (type == BL_FLOATING)
        fail_at_floating(parser, words[0]);
    advance(parser);
    const bool is_bool = count == 1 && bl_word_is(words[0], "bool");
    struct bl_node *node = new_node(parser, is_bool ? &bl_cast_to_bool : &bl_cast);
    node->type = type;
    return node;
}

/* Parses an operand and the unary operators and casts before it. prefixes: how many of these have
 * already been parsed. */
static struct bl_node *parse_operand(struct parser *parser, unsigned prefixes)
{
    const struct bl_word token = parser->token;
    const struct bl_tree_operation *sign = NULL;
    if (parser->status == BL_OK && parser->kind == OPERATOR)
        sign = bl_operator_named(token, 1);
    if (!sign && !(is(parser, "(") && is_cast(parser)))
        return parse_atom(parser);
    if (prefixes == DEEPEST)
        fail(parser, token.at, "more than %d signs and casts in a row", (int)DEEPEST);
    struct bl_node *node = sign ? new_node(parser, sign) : parse_cast(parser);
    if (sign)
        advance(parser);
    node->of[0] = parse_operand(parser, prefixes + 1);
    settle(parser, node, token);
    return node;
}

/* Parses operands joined by binary operators of precedence `lowest` or higher. */
static struct bl_node *parse_binary(struct parser *parser, unsigned lowest)
{
    struct bl_node *left = parse_operand(parser, 0);
    while (parser->status == BL_OK && parser->kind == OPERATOR) {
        const struct bl_word token = parser->token;
        const struct bl_tree_operation *operator= bl_operator_named(token, 2);
        if (!operator|| operator->binds<lowest)
            break;
        struct bl_node *node = new_node(parser, operator);
        advance(parser);
        node->of[0] = left;
        node->of[1] = parse_binary(parser, operator->binds + 1);
        settle(parser, node, token);
        left = node;
    }
    return left;
}

static struct bl_node *parse_choice(struct parser *parser)
{
    struct bl_node *condition = parse_binary(parser, 1);
    if (!is(parser, "?"))
        return condition;
    const struct bl_word token = parser->token;
    struct bl_node *node = new_node(parser, &bl_choice);
    advance(parser);
    node->of[0] = condition;
    node->of[1] = parse_choice(parser);
    if (!is(parser, ":"))
        fail(parser, token.at, "this '?' has no ':'");
    advance(parser);
    node->of[2] = parse_choice(parser);
    settle(parser, node, token);
    return node;
}

static enum bl_status check_length(const char *text, struct bl_error *error)
{
    const size_t length = strlen(text);
    if (length > BL_LONGEST_EXPRESSION)
        return bl_fail(error, BL_BAD_EXPRESSION,
                       "an index expression may have at most %d characters; this one has %zu",
                       (int)BL_LONGEST_EXPRESSION, length);
    if (strspn(text, " \t") == length)
        return bl_fail(error, BL_BAD_EXPRESSION, "the index expression is empty");
    return BL_OK;
}

enum bl_status bl_expression_parse(const char *text, const struct bl_lookup *lookup,
                                   struct bl_expression *expression, struct bl_error *error)
{
    *expression = (struct bl_expression){0};
    const enum bl_status status = check_length(text, error);
    if (status != BL_OK)
        return status;
    expression->text = strdup(text);
    expression->nodes = calloc(strlen(text) + 1, sizeof *expression->nodes);
    if (!expression->text || !expression->nodes)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while parsing the expression");
    struct parser parser = {
        .text = text, .next = text, .error = error, .lookup = lookup, .nodes = expression->nodes};
    advance(&parser);
    expression->root = parse_choice(&parser);
    fail_at_rest(&parser);
    return parser.status;
}

enum bl_status bl_expression_set_table(struct bl_expression *expression, const uint64_t values[],
                                       size_t count, struct bl_error *error)
{
    free(expression->table);
    expression->table = malloc(count * sizeof *expression->table);
    if (!expression->table)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while copying the start elements of %zu work-items", count);
    expression->table_count = count;
    for (size_t i = 0; i < count; i++)
        expression->table[i] = (uint32_t)values[i];
    return BL_OK;
}

enum bl_status bl_expression_of_table(const char *name, const uint64_t values[], size_t count,
                                      struct bl_expression *expression, struct bl_error *error)
{
    *expression = (struct bl_expression){.text = strdup(name)};
    if (!expression->text)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while copying %zu recorded start elements", count);
    return bl_expression_set_table(expression, values, count, error);
}

enum bl_fault bl_expression_compute(const struct bl_expression *expression,
                                    const struct bl_work_item *item, int64_t *value)
{
    struct bl_no_value none = {BL_NO_FAULT, 0};
    *value = (int64_t)(expression->nodes ? bl_node_value(expression->root, item, &none)
                                         : expression->table[item->of[BL_GLOBAL_ID][0]]);
    if (none.fault == BL_FAULT_TABLE)
        *value = none.index;
    return none.fault;
}

void bl_expression_free(struct bl_expression *expression)
{
    free(expression->text);
    free(expression->nodes);
    free(expression->table);
    *expression = (struct bl_expression){0};
}
