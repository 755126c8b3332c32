/* Index expressions that a person writes: any OpenCL C expression over the ids and sizes of a
 * work-item, made of numbers, operators, casts and the built-in functions of integers and maths.
 * Its values are scalars, for an index is one number.
 *
 * The text goes into a kernel's source, so it is taken apart first: it cannot hold statements,
 * assignments, comments, directives, line ends, or names that the kernel uses itself, its
 * parentheses match, and its types are C's. Beyond OpenCL C, operands of different types have C's
 * common type in built-in functions too (min(get_global_id(0), 3)), and integers are floats to
 * those of maths. The result becomes an integer as C's conversion makes it one.
 */
#ifndef BANKLINE_MODEL_EXPRESSION_H
#define BANKLINE_MODEL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BL_LONGEST_EXPRESSION = 400 };

struct bl_expression {
    char *text;           /* as it was written */
    char *guarded;        /* as kernels/expression.h takes it; line N is of column N, from 1 */
    size_t double_column; /* where "double" is spelled out, from 1; 0: nowhere */
    char *table;          /* declarations that `guarded` needs; NULL: none */
};

/* What can go wrong while an expression is computed, bits of the guards' *fault
 * (kernels/expression.h). */
enum bl_expression_fault { BL_FAULT_DIVISION = 1, BL_FAULT_CONVERSION = 2 };

/* Takes the text apart; bl_expression_free frees what it fills in, also after a failure. Returns
 * BL_OK; BL_BAD_EXPRESSION with a sentence, and the text with a caret below the place in
 * error->log; BL_NO_MEMORY. */
enum bl_status bl_expression_parse(const char *text, struct bl_expression *expression,
                                   struct bl_error *error);

/* Makes the expression of a table: work-item i, over all ids, has value starts[i], each below 2^31.
 * `name` is its text. bl_expression_free frees it. BL_NO_MEMORY. */
enum bl_status bl_expression_of_table(const char *name, const uint64_t starts[], size_t count,
                                      struct bl_expression *expression, struct bl_error *error);

void bl_expression_free(struct bl_expression *expression);

/* BL_OK, or BL_BAD_EXPRESSION when it spells out a double and the device has none. */
enum bl_status bl_expression_check_double(const struct bl_expression *expression, bool has_double,
                                          struct bl_error *error);

/* Turns a failed build's log in error into a message about the expression, if the compiler
 * complained about it, or about no file at all: then returns BL_BAD_EXPRESSION; else (an empty log,
 * a complaint about another file) leaves error as it is and returns its status. */
enum bl_status bl_expression_blame(const struct bl_expression *expression, struct bl_error *error);

#endif
