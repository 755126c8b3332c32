/* Index expressions that the user types. An expression computes, from a work-item's ids and sizes,
 * the index of the array element that the work-item accesses. The language is OpenCL C, restricted
 * to integers. The host evaluates the expression for every work-item and passes a table of the
 * results to the kernel; the text is not compiled into the kernel.
 *
 * Accepted, with OpenCL C's meaning:
 *
 *  - Integers: decimal, octal and hexadecimal, with the suffixes u and l; CHAR_BIT, INT_MIN,
 *    INT_MAX, UINT_MAX, LONG_MIN, LONG_MAX, ULONG_MAX, true, false.
 *  - Casts to char, uchar, short, ushort, int, uint, long, ulong, size_t, ptrdiff_t and bool, also
 *    written as "unsigned int" and the like; convert_TYPE (with _sat and a rounding mode), as_TYPE.
 *  - The operators + - * / % << >> & | ^ ~ ! < <= > >= == != && || ?: and parentheses, with C's
 *    precedence, promotions and common types. Sums, differences and products wrap around, even if
 *    they are signed. A shift count is taken modulo the width of the value, and >> keeps the sign.
 *  - get_global_id, get_local_id, get_group_id, get_global_size, get_local_size, get_num_groups and
 *    get_global_offset (64 bits wide), and get_work_dim (a uint), as in a launch of two dimensions
 *    without offset.
 *  - table[index], if a table is given: an int, like data that a kernel has read before.
 *  - abs abs_diff add_sat bitselect clamp clz ctz hadd mad24 mad_hi mad_sat max min mul24 mul_hi
 *    popcount rhadd rotate select sub_sat upsample. As in OpenCL C, which has one function per
 *    type, most of them need arguments of the same type. mul24 and mad24 multiply the low 24 bits.
 *
 * Rejected, with the position of the fault: floating-point numbers, types and functions, because an
 * index is an integer; vectors; unknown names; and anything that changes a value or is not an
 * expression (assignments, comments, directives, brackets other than table[...], line ends). A
 * division by zero, or of the smallest integer by -1, is detected when the expression is evaluated
 * for a work-item. */
#ifndef BANKLINE_MODEL_EXPRESSION_H
#define BANKLINE_MODEL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BL_LONGEST_EXPRESSION = 400 };

/* The ids and sizes of a work-item; the sizes must come last. */
enum bl_id {
    BL_GLOBAL_ID,
    BL_LOCAL_ID,
    BL_GROUP_ID,
    BL_GLOBAL_SIZE,
    BL_LOCAL_SIZE,
    BL_NUM_GROUPS,
    BL_ID_COUNT
};

struct bl_work_item {
    uint64_t of[BL_ID_COUNT][2]; /* values in x and y */
};

struct bl_lookup; /* model/lookup.h */

/* Why the expression has no value for a work-item. */
enum bl_fault {
    BL_NO_FAULT,
    BL_FAULT_DIVISION, /* division by zero, or of the smallest integer by -1 */
    BL_FAULT_TABLE     /* the table has no entry for the index */
};

struct bl_expression {
    char *text;            /* the text as typed; for recorded values, a name */
    struct bl_node *nodes; /* the parsed tree (expression_tree.h); NULL for recorded values */
    struct bl_node *root;  /* root of the tree, one of the nodes */
    uint32_t *table;       /* one value per work-item; NULL before bl_expression_set_table */
    size_t table_count;
};

/* Parses a text, which may read entries of the table `lookup` by table[INDEX]; entries are ints. If
 * lookup is NULL, table[INDEX] is rejected, and the error message explains how to supply a table.
 * The table must outlive the expression. Free the expression with bl_expression_free, even after a
 * failure. Fails with BL_NO_MEMORY or BL_BAD_EXPRESSION. For BL_BAD_EXPRESSION, unless the text is
 * empty or too long, error->log contains the text with a caret below the fault. */
enum bl_status bl_expression_parse(const char *text, const struct bl_lookup *lookup,
                                   struct bl_expression *expression, struct bl_error *error);

/* Creates an expression from recorded values instead of a text: its value for the work-item with
 * global id i (in x) is values[i], which must be below 2^31. Free the expression with
 * bl_expression_free. Fails with BL_NO_MEMORY. */
enum bl_status bl_expression_of_table(const char *name, const uint64_t values[], size_t count,
                                      struct bl_expression *expression, struct bl_error *error);

/* Sets the table of results that kernels read: one value below 2^32 per work-item, in the order in
 * which kernels number work-items. Fails with BL_NO_MEMORY. */
enum bl_status bl_expression_set_table(struct bl_expression *expression, const uint64_t values[],
                                       size_t count, struct bl_error *error);

/* Evaluates the expression for a work-item and converts the value to a long, as in C. An expression
 * of recorded values must have a value for this work-item. If BL_FAULT_TABLE is returned, *value is
 * the index for which the table has no entry. */
enum bl_fault bl_expression_compute(const struct bl_expression *expression,
                                    const struct bl_work_item *item, int64_t *value);

void bl_expression_free(struct bl_expression *expression);

#endif
