/* Index expressions that a person writes: any OpenCL C expression over the ids and sizes of a
 * work-item, made of numbers, operators, casts and the built-in functions of integers and maths.
 *
 * The text goes into a kernel's source, so it is taken apart first: it cannot hold statements,
 * assignments, comments, directives, line ends, or names that the kernel uses itself, and its
 * parentheses match. What is left can at worst not compile, for which bl_expression_blame finds the
 * place.
 */
#ifndef BANKLINE_MODEL_EXPRESSION_H
#define BANKLINE_MODEL_EXPRESSION_H

#include "base/status.h"

enum { BL_LONGEST_EXPRESSION = 400 };

struct bl_expression {
    char *text;    /* as it was written */
    char *guarded; /* with a call in place of every division: kernels/expression.h */
};

/* Takes the text apart; bl_expression_free frees what it fills in, also after a failure. Returns
 * BL_OK; BL_BAD_EXPRESSION with a sentence, and the text with a caret below the place in
 * error->log; BL_NO_MEMORY. */
enum bl_status bl_expression_parse(const char *text, struct bl_expression *expression,
                                   struct bl_error *error);

void bl_expression_free(struct bl_expression *expression);

/* Turns a failed build's log in error into a message about the expression, if the compiler
 * complained about it: then returns BL_BAD_EXPRESSION; else leaves error as it is and returns its
 * status. */
enum bl_status bl_expression_blame(const struct bl_expression *expression, struct bl_error *error);

#endif
