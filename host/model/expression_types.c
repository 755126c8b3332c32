#include "model/expression_types.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/expression.h"
#include "model/expression_tokens.h"

/* A compiler's complaint, as one about what the user wrote. What OpenCL C refuses is refused here
 * before any compiler sees it, so there is little left to complain of. */

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

struct writer {
    FILE *out;
    const char *text;
    size_t line; /* being written, from 0: the column in text */
};

/* Goes on to the line of the token and writes words, or the token's own where they are NULL. */
static void write_token(struct writer *writer, const struct bl_token *token, const char *words)
{
    for (; writer->line < (size_t)(token->at - writer->text); writer->line++)
        fputc('\n', writer->out);
    fprintf(writer->out, " %.*s", (int)(words ? strlen(words) : token->length),
            words ? words : token->at);
}

static void write_node(struct writer *writer, const struct bl_node *node);

/* The node's value, converted to the type. */
static void write_as(struct writer *writer, const struct bl_node *node, enum bl_scalar type)
{
    if (node->type == type) {
        write_node(writer, node);
        return;
    }
    const bool is_guarded = !bl_scalar_is_integer(node->type) && bl_scalar_is_integer(type);
    fprintf(writer->out, is_guarded ? " to_%s(" : " ((%s)", bl_scalar_name(type));
    write_node(writer, node);
    fputs(is_guarded ? ", fault)" : ")", writer->out);
}

static void write_binary(struct writer *writer, const struct bl_node *node)
{
    const struct bl_node *left = node->first, *right = left->next;
    const bool divides = *node->token.at == '/' || *node->token.at == '%';
    const bool is_guarded = divides && bl_scalar_is_integer(node->type);
    if (is_guarded)
        fprintf(writer->out, " %s_%s(", *node->token.at == '/' ? "divide" : "modulo",
                bl_scalar_name(node->type));
    else
        fputs(" (", writer->out);
    write_node(writer, left);
    write_token(writer, &node->token, is_guarded ? "," : NULL);
    write_node(writer, right);
    fputs(is_guarded ? ", fault)" : ")", writer->out);
}

static void write_cast(struct writer *writer, const struct bl_node *node)
{
    write_token(writer, &node->token, "");
    if (!node->is_bool && node->first->type != node->type) {
        write_as(writer, node->first, node->type);
        return;
    }
    fprintf(writer->out, node->is_bool ? "((int)(bool)" : "((%s)", bl_scalar_name(node->type));
    write_node(writer, node->first);
    fputc(')', writer->out);
}

/* Of ?:, which takes no float in OpenCL C. */
static void write_truth(struct writer *writer, const struct bl_node *node)
{
    const bool is_integer = bl_scalar_is_integer(node->type);
    fputs(is_integer ? "" : " (0 !=", writer->out);
    write_node(writer, node);
    fputs(is_integer ? "" : ")", writer->out);
}

/* select takes a condition of its operands' size. */
static void write_condition(struct writer *writer, const struct bl_node *node, enum bl_scalar type)
{
    static const char *const masks[] = {"char", "char", "short", "short", "int",
                                        "int",  "long", "long",  "int",   "real_mask"};
    fprintf(writer->out, " (%s)(0 != ", masks[type]);
    write_node(writer, node);
    fputc(')', writer->out);
}

static void write_call(struct writer *writer, const struct bl_node *node)
{
    const struct bl_function *function = &node->function;
    if (function->signature == BL_CONVERT && bl_scalar_is_integer(function->type) &&
        !bl_scalar_is_integer(node->first->type)) {
        write_token(writer, &node->token, function->saturates ? "saturated_" : "to_");
        fprintf(writer->out, "%s(%s(", bl_scalar_name(function->type), function->rounding);
        write_node(writer, node->first);
        fputs(function->saturates ? "))" : "), fault)", writer->out);
        return;
    }
    const bool is_rint = node->token.length == 4 && memcmp(node->token.at, "rint", 4) == 0;
    write_token(writer, &node->token, is_rint ? "nearest" : NULL);
    fputc('(', writer->out);
    unsigned number = 0;
    for (const struct bl_node *argument = node->first; argument;
         argument = argument->next, number++) {
        fputs(number ? "," : "", writer->out);
        if (function->signature == BL_CONVERT || function->signature == BL_AS)
            write_node(writer, argument);
        else if (function->signature == BL_SELECT && number == 2)
            write_condition(writer, argument, node->operands);
        else if (function->signature == BL_POWER && number == 1)
            write_as(writer, argument, BL_INT);
        else if (function->signature == BL_UPSAMPLE && number == 1)
            write_as(writer, argument, (enum bl_scalar)(node->operands | 1));
        else
            write_as(writer, argument, node->operands);
    }
    fputc(')', writer->out);
}

static void write_node(struct writer *writer, const struct bl_node *node)
{
    switch (node->kind) {
    case BL_NODE_NUMBER:
        write_token(writer, &node->token, NULL);
        break;
    case BL_NODE_CONSTANT: /* true is no int to an overloaded function */
        write_token(writer, &node->token, "");
        fprintf(writer->out, "((%s)", bl_scalar_name(node->type));
        write_token(writer, &node->token, NULL);
        fputc(')', writer->out);
        break;
    case BL_NODE_SIGN:
        write_token(writer, &node->token, NULL);
        write_node(writer, node->first);
        break;
    case BL_NODE_CAST:
        write_cast(writer, node);
        break;
    case BL_NODE_BINARY:
        write_binary(writer, node);
        break;
    case BL_NODE_CHOICE:
        fputs(" (", writer->out);
        write_truth(writer, node->first);
        write_token(writer, &node->token, NULL);
        write_node(writer, node->first->next);
        fputs(" :", writer->out);
        write_node(writer, node->first->next->next);
        fputc(')', writer->out);
        break;
    case BL_NODE_CALL:
        write_call(writer, node);
        break;
    }
}

void bl_write_guarded(const struct bl_node *root, const char *text, FILE *out)
{
    struct writer writer = {.out = out, .text = text};
    if (bl_scalar_is_integer(root->type))
        write_node(&writer, root);
    else
        write_as(&writer, root, BL_LONG);
    fputc('\n', out);
}

static enum bl_scalar common_of(enum bl_scalar a, enum bl_scalar b)
{
    const enum bl_scalar larger = a > b ? a : b;
    return larger > BL_INT ? larger : BL_INT;
}

static void check_integer(const struct bl_node *node, enum bl_scalar type, struct bl_tokens *tokens)
{
    if (!bl_scalar_is_integer(type))
        bl_tokens_fail(tokens, node->token.at,
                       "'%.*s' takes integers; cast a floating-point operand, as in (int)x",
                       (int)node->token.length, node->token.at);
}

/* The common type of a call's arguments that must have one; narrow ones keep theirs. */
static enum bl_scalar type_of_arguments(const struct bl_node *node)
{
    const enum bl_signature signature = node->function.signature;
    const struct bl_node *argument = node->first;
    enum bl_scalar common = argument->type;
    if (signature == BL_POWER || signature == BL_UPSAMPLE)
        return common;
    for (unsigned number = 1; (argument = argument->next); number++)
        if (argument->type != common && (signature != BL_SELECT || number < 2))
            common = common_of(common, argument->type);
    return common;
}

/* OpenCL C has a function for each type, and cannot tell which one operands of two types want. */
static void check_same_type(const struct bl_node *node, struct bl_tokens *tokens)
{
    for (const struct bl_node *argument = node->first; argument; argument = argument->next)
        if (argument->type != node->first->type)
            bl_tokens_fail(tokens, node->token.at,
                           "'%.*s' takes operands of one type; cast one, as in "
                           "%.*s((int)get_global_id(0), 3)",
                           (int)node->token.length, node->token.at, (int)node->token.length,
                           node->token.at);
}

static void settle_call(struct bl_node *node, struct bl_tokens *tokens)
{
    const struct bl_function *function = &node->function;
    const struct bl_token *name = &node->token;
    if (function->signature == BL_OF_NUMBERS || function->signature == BL_OF_INTEGERS)
        check_same_type(node, tokens);
    enum bl_scalar common = node->first ? type_of_arguments(node) : BL_UINT;
    node->type = common;
    switch (function->signature) {
    case BL_OF_DIMENSION:
        node->type = BL_ULONG;
        common = BL_UINT;
        break;
    case BL_OF_24_BITS:
        check_integer(node, common, tokens);
        node->type = common = common % 2 ? BL_UINT : BL_INT;
        break;
    case BL_OF_INTEGERS:
        check_integer(node, common, tokens);
        break;
    case BL_TO_UNSIGNED:
        check_integer(node, common, tokens);
        node->type = (enum bl_scalar)(common | 1);
        break;
    case BL_UPSAMPLE:
        check_integer(node, common, tokens);
        if (common > BL_UINT)
            bl_tokens_fail(tokens, name->at, "'upsample' takes at most 32 bits");
        node->type = (enum bl_scalar)(common + 2);
        break;
    case BL_OF_REALS:
    case BL_POWER:
        node->type = common = common > BL_FLOAT ? common : BL_FLOAT;
        break;
    case BL_AS:
        if (bl_scalar_bytes(common) != bl_scalar_bytes(function->type))
            bl_tokens_fail(tokens, name->at,
                           "'%.*s' takes a value of %u bytes, and this one has %u",
                           (int)name->length, name->at, bl_scalar_bytes(function->type),
                           bl_scalar_bytes(common));
        node->type = function->type;
        break;
    case BL_CONVERT:
        node->type = function->type;
        break;
    case BL_OF_NOTHING:
    case BL_OF_NUMBERS:
    case BL_SELECT:
        break;
    }
    node->operands = common;
}

static void settle_binary(struct bl_node *node, struct bl_tokens *tokens)
{
    const struct bl_node *left = node->first, *right = left ? left->next : NULL;
    assert(right); /* the parser makes no other */
    const char *text = node->token.at;
    const bool is_double = node->token.length == 2; /* of characters */
    const bool is_shift = is_double && (strncmp(text, "<<", 2) == 0 || strncmp(text, ">>", 2) == 0);
    const bool is_truth = !is_shift && (is_double || *text == '<' || *text == '>');
    const enum bl_scalar common = common_of(left->type, right->type);
    if (is_shift || (!is_double && strchr("%&|^", *text)))
        check_integer(node, common, tokens);
    node->type = is_truth ? BL_INT : is_shift ? common_of(left->type, BL_INT) : common;
}

/* A type that is spelled out, which not every device has. */
static bool is_double(const struct bl_node *node)
{
    return (node->kind == BL_NODE_CAST && node->type == BL_DOUBLE) ||
           (node->kind == BL_NODE_CALL && node->function.signature >= BL_CONVERT &&
            node->function.type == BL_DOUBLE);
}

void bl_settle_types(struct bl_node *node, struct bl_tokens *tokens, size_t *double_column)
{
    const struct bl_token *token = &node->token;
    unsigned count = 0;
    for (struct bl_node *operand = node->first; operand; operand = operand->next, count++)
        bl_settle_types(operand, tokens, double_column);
    if (is_double(node))
        *double_column = (size_t)(token->at - tokens->text) + 1;
    switch (node->kind) {
    case BL_NODE_NUMBER:
        if (node->type == BL_DOUBLE)
            bl_tokens_fail(tokens, token->at, "%.*s is a double; write %.*sf, or an integer",
                           (int)token->length, token->at, (int)token->length, token->at);
        break;
    case BL_NODE_CONSTANT:
    case BL_NODE_CAST:
        break;
    case BL_NODE_SIGN:
        assert(node->first);
        node->type = *token->at == '!' ? BL_INT : common_of(node->first->type, BL_INT);
        if (*token->at == '~')
            check_integer(node, node->type, tokens);
        break;
    case BL_NODE_BINARY:
        settle_binary(node, tokens);
        break;
    case BL_NODE_CHOICE:
        assert(node->first && node->first->next && node->first->next->next);
        node->type = common_of(node->first->next->type, node->first->next->next->type);
        break;
    case BL_NODE_CALL:
        if (count == node->function.arguments)
            settle_call(node, tokens);
        else
            bl_tokens_fail(tokens, token->at, "'%.*s' takes %u argument%s, not %u",
                           (int)token->length, token->at, node->function.arguments,
                           node->function.arguments == 1 ? "" : "s", count);
        break;
    }
}
