/* An index expression taken apart, with the type that C gives to each part: what expression.c makes
 * of the text, and expression_guard.c writes. */
#ifndef BANKLINE_MODEL_EXPRESSION_TYPES_H
#define BANKLINE_MODEL_EXPRESSION_TYPES_H

#include <stdio.h>

#include "model/expression_tokens.h"

enum bl_node_kind {
    BL_NODE_NUMBER,
    BL_NODE_CONSTANT,
    BL_NODE_SIGN, /* + - ~ ! before an operand */
    BL_NODE_CAST,
    BL_NODE_BINARY,
    BL_NODE_CHOICE, /* ?: */
    BL_NODE_CALL
};

struct bl_node {
    enum bl_node_kind kind;
    struct bl_token token;       /* the number, name or operator; of a cast its parenthesis */
    enum bl_scalar type;         /* of the value */
    enum bl_scalar operands;     /* what a call's or a division's are converted to */
    bool is_bool;                /* a cast to bool */
    struct bl_function function; /* of a call */
    struct bl_node *first;       /* operand, or NULL */
    struct bl_node *next;        /* of the same parent, or NULL */
};

/* Fail at the current word: a function's name, or another, that is not known there. */
void bl_fail_at_function(struct bl_tokens *tokens);
void bl_fail_at_name(struct bl_tokens *tokens);

/* Gives every part its type, from the leaves, which have theirs, upwards; and checks what functions
 * and operators take. *double_column receives the column, from 1, where "double" is spelled out. */
void bl_settle_types(struct bl_node *root, struct bl_tokens *tokens, size_t *double_column);

/* Writes the expression as kernels/expression.h takes it: a guard in place of each division and of
 * each conversion to an integer, the result's too, and a cast where C's rules convert and OpenCL
 * C's overloaded functions do not. What stands in column N of text (from 0) is in line N + 1. */
void bl_write_guarded(const struct bl_node *root, const char *text, FILE *out);

#endif
