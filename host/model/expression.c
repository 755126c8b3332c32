#include "model/expression.h"

#include <stdlib.h>
#include <string.h>

#include "model/expression_types.h"

enum { DEEPEST = 64 };

struct parser {
    struct bl_tokens tokens;
    unsigned depth;                                  /* of parentheses */
    struct bl_node nodes[BL_LONGEST_EXPRESSION + 1]; /* each takes a character at least */
    size_t count;
};

static struct bl_node *add(struct parser *parser, enum bl_node_kind kind, struct bl_node *first)
{
    struct bl_node *node = &parser->nodes[parser->count++];
    *node = (struct bl_node){.kind = kind, .token = parser->tokens.token, .first = first};
    return node;
}

static bool is_one_of(const struct parser *parser, const char *characters)
{
    const struct bl_token *token = &parser->tokens.token;
    return parser->tokens.status == BL_OK && token->kind == BL_TOKEN_OPERATOR &&
           token->length == 1 && strchr(characters, *token->at);
}

/* What stands where an operator, or the end, should be. */
static void fail_at_rest(struct parser *parser)
{
    struct bl_tokens *tokens = &parser->tokens;
    const struct bl_token *token = &tokens->token;
    if (bl_tokens_is(tokens, ")"))
        bl_tokens_fail(tokens, token->at, "this parenthesis was never opened");
    else if (bl_tokens_is(tokens, ","))
        bl_tokens_fail(tokens, token->at, "a ',' outside of a function's arguments");
    else if (bl_tokens_is(tokens, ":"))
        bl_tokens_fail(tokens, token->at, "a ':' without a '?'");
    else if (token->kind != BL_TOKEN_END)
        bl_tokens_fail(tokens, token->at, "an operator is missing before '%.*s'",
                       (int)token->length, token->at);
}

static struct bl_node *parse_choice(struct parser *parser);

/* Takes the ")" that ends what began at `opened`. */
static void close_parenthesis(struct parser *parser, const char *opened)
{
    if (bl_tokens_is(&parser->tokens, ")"))
        bl_tokens_advance(&parser->tokens);
    else if (parser->tokens.token.kind == BL_TOKEN_END)
        bl_tokens_fail(&parser->tokens, opened, "this parenthesis is never closed");
    else
        fail_at_rest(parser);
    parser->depth--;
}

static void open_parenthesis(struct parser *parser)
{
    if (++parser->depth > DEEPEST)
        bl_tokens_fail(&parser->tokens, parser->tokens.token.at,
                       "parentheses are nested deeper than %d", (int)DEEPEST);
    bl_tokens_advance(&parser->tokens);
}

static struct bl_node *parse_call(struct parser *parser)
{
    struct bl_tokens *tokens = &parser->tokens;
    struct bl_node *node = add(parser, BL_NODE_CALL, NULL);
    if (!bl_function_of_word(node->token.at, node->token.length, &node->function))
        bl_fail_at_function(tokens);
    bl_tokens_advance(tokens);
    const char *opened = tokens->token.at;
    open_parenthesis(parser);
    struct bl_node **link = &node->first;
    if (!bl_tokens_is(tokens, ")"))
        *link = parse_choice(parser);
    while (*link && bl_tokens_is(tokens, ",")) {
        link = &(*link)->next;
        bl_tokens_advance(tokens);
        *link = parse_choice(parser);
    }
    close_parenthesis(parser, opened);
    return node;
}

static struct bl_node *parse_atom(struct parser *parser)
{
    struct bl_tokens *tokens = &parser->tokens;
    const struct bl_token token = tokens->token;
    if (bl_tokens_is(tokens, "(")) {
        open_parenthesis(parser);
        struct bl_node *node = parse_choice(parser);
        close_parenthesis(parser, token.at);
        return node;
    }
    if (token.kind == BL_TOKEN_WORD && tokens->next[strspn(tokens->next, " \t")] == '(')
        return parse_call(parser);
    enum bl_scalar type = BL_INT;
    const bool is_number = token.kind == BL_TOKEN_NUMBER;
    if (token.kind == BL_TOKEN_END)
        bl_tokens_fail(tokens, token.at, "an operand is missing at the end");
    else if (token.kind == BL_TOKEN_OPERATOR)
        bl_tokens_fail(tokens, token.at, "an operand is missing before '%.*s'", (int)token.length,
                       token.at);
    else if (is_number && !bl_type_of_number(token.at, token.length, &type))
        bl_tokens_fail(tokens, token.at, "'%.*s' is not a number that fits a type of OpenCL C",
                       (int)token.length, token.at);
    else if (!is_number && !bl_constant_of_word(token.at, token.length, &type))
        bl_fail_at_name(tokens);
    if (tokens->status != BL_OK)
        return NULL;
    struct bl_node *node = add(parser, is_number ? BL_NODE_NUMBER : BL_NODE_CONSTANT, NULL);
    node->type = type;
    bl_tokens_advance(tokens);
    return node;
}

/* Whether the parenthesis here holds nothing but names of types: a cast. */
static bool is_cast(const struct parser *parser)
{
    struct bl_tokens ahead = parser->tokens;
    ahead.error = NULL;
    bl_tokens_advance(&ahead);
    bool is_type = ahead.token.kind == BL_TOKEN_WORD;
    while (ahead.token.kind == BL_TOKEN_WORD && is_type) {
        is_type = bl_is_type_word(ahead.token.at, ahead.token.length);
        bl_tokens_advance(&ahead);
    }
    return is_type && bl_tokens_is(&ahead, ")");
}

/* "(unsigned int)", without the operand. */
static struct bl_node *parse_cast(struct parser *parser)
{
    struct bl_tokens *tokens = &parser->tokens;
    struct bl_node *node = add(parser, BL_NODE_CAST, NULL);
    const char *words[2];
    size_t lengths[2], count = 0;
    bl_tokens_advance(tokens);
    const char *at = tokens->token.at;
    for (; tokens->token.kind == BL_TOKEN_WORD; bl_tokens_advance(tokens), count++)
        if (count < 2) {
            words[count] = tokens->token.at;
            lengths[count] = tokens->token.length;
        }
    if (count > 2 || !bl_type_of_words(words, lengths, count, &node->type, &node->is_bool))
        bl_tokens_fail(tokens, at, "unknown type '%.*s'", (int)(tokens->token.at - at), at);
    bl_tokens_advance(tokens);
    return node;
}

/* An operand, and the signs and casts before it. */
static struct bl_node *parse_operand(struct parser *parser, unsigned prefixes)
{
    struct bl_tokens *tokens = &parser->tokens;
    const bool is_sign = is_one_of(parser, "+-~!");
    if (!is_sign && !(bl_tokens_is(tokens, "(") && is_cast(parser)))
        return parse_atom(parser);
    if (prefixes == DEEPEST)
        bl_tokens_fail(tokens, tokens->token.at, "more than %d signs and casts in a row",
                       (int)DEEPEST);
    struct bl_node *node = is_sign ? add(parser, BL_NODE_SIGN, NULL) : parse_cast(parser);
    if (is_sign)
        bl_tokens_advance(tokens);
    node->first = tokens->status == BL_OK ? parse_operand(parser, prefixes + 1) : NULL;
    if (!node->first)
        return NULL;
    return node;
}

enum precedence { NONE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, LESS, SHIFT, SUM, PRODUCT };

static enum precedence precedence_of(const struct bl_tokens *tokens)
{
    static const struct {
        const char *text;
        enum precedence precedence;
    } operators[] = {{"||", OR},     {"&&", AND},    {"|", BIT_OR}, {"^", BIT_XOR}, {"&", BIT_AND},
                     {"==", EQUAL},  {"!=", EQUAL},  {"<", LESS},   {">", LESS},    {"<=", LESS},
                     {">=", LESS},   {"<<", SHIFT},  {">>", SHIFT}, {"+", SUM},     {"-", SUM},
                     {"*", PRODUCT}, {"/", PRODUCT}, {"%", PRODUCT}};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (bl_tokens_is(tokens, operators[i].text))
            return operators[i].precedence;
    return NONE;
}

/* Operands joined by operators that bind as tightly as `lowest`, or more. */
static struct bl_node *parse_binary(struct parser *parser, enum precedence lowest)
{
    struct bl_node *left = parse_operand(parser, 0);
    enum precedence precedence;
    while (left && (precedence = precedence_of(&parser->tokens)) >= lowest) {
        struct bl_node *node = add(parser, BL_NODE_BINARY, left);
        bl_tokens_advance(&parser->tokens);
        left->next = parse_binary(parser, precedence + 1);
        if (!left->next)
            return NULL;
        left = node;
    }
    return left;
}

static struct bl_node *parse_choice(struct parser *parser)
{
    struct bl_node *condition = parse_binary(parser, OR);
    if (!condition || !bl_tokens_is(&parser->tokens, "?"))
        return condition;
    struct bl_node *node = add(parser, BL_NODE_CHOICE, condition);
    bl_tokens_advance(&parser->tokens);
    struct bl_node *then = condition->next = parse_choice(parser);
    if (!then)
        return NULL;
    if (!bl_tokens_is(&parser->tokens, ":"))
        bl_tokens_fail(&parser->tokens, node->token.at, "this '?' has no ':'");
    bl_tokens_advance(&parser->tokens);
    then->next = parse_choice(parser);
    if (!then->next)
        return NULL;
    return node;
}

static enum bl_status check_length(const char *text, struct bl_error *error)
{
    const size_t length = strlen(text);
    if (length > BL_LONGEST_EXPRESSION)
        return bl_fail(error, BL_BAD_EXPRESSION,
                       "an index expression has at most %d characters, and this one has %zu",
                       (int)BL_LONGEST_EXPRESSION, length);
    if (strspn(text, " \t") == length)
        return bl_fail(error, BL_BAD_EXPRESSION, "the index expression is empty");
    return BL_OK;
}

enum bl_status bl_expression_parse(const char *text, struct bl_expression *expression,
                                   struct bl_error *error)
{
    *expression = (struct bl_expression){0};
    enum bl_status status = check_length(text, error);
    if (status != BL_OK)
        return status;
    struct parser parser = {.tokens = {.text = text, .next = text, .error = error}};
    bl_tokens_advance(&parser.tokens);
    struct bl_node *root = parse_choice(&parser);
    fail_at_rest(&parser);
    if (parser.tokens.status == BL_OK)
        bl_settle_types(root, &parser.tokens, &expression->double_column);
    if (parser.tokens.status != BL_OK)
        return parser.tokens.status;
    size_t size = 0;
    FILE *out = open_memstream(&expression->guarded, &size);
    if (out)
        bl_write_guarded(root, text, out);
    expression->text = strdup(text);
    if (!out || fclose(out) != 0 || !expression->text)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the expression");
    return BL_OK;
}

void bl_expression_free(struct bl_expression *expression)
{
    free(expression->text);
    free(expression->guarded);
    free(expression->table);
    *expression = (struct bl_expression){0};
}
