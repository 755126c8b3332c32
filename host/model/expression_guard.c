#include <string.h>

#include "model/expression_tree.h"

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
