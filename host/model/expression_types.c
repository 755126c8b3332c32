#include <string.h>

#include <assert.h>

#include "model/expression_tree.h"

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
