/* Index expressions that a person writes: the element of an array that a work-item accesses, as a
 * formula of the work-item's ids and sizes. It is OpenCL C, computed on the host for every
 * work-item; a kernel is given the table of values and never sees the text.
 *
 * Accepted, with OpenCL C's meaning: - integers, decimal, octal and hexadecimal, with the suffixes
 * u and l; CHAR_BIT, INT_MIN, INT_MAX, UINT_MAX, LONG_MIN, LONG_MAX, ULONG_MAX, true, false; -
 * casts to char, uchar, short, ushort, int, uint, long, ulong, size_t, ptrdiff_t and bool, also
 *   as "unsigned int" and its like, and convert_TYPE (with _sat and a rounding mode) and as_TYPE;
 * - + - * / % << >> & | ^ ~ ! < <= > >= == != && || ?: and parentheses, with C's precedence, C's
 *   promotions and C's common type. Sums, differences and products wrap around, those of signed
 *   integers too. A shift's count is taken modulo the width of what is shifted, and >> keeps the
 *   sign;
 * - get_global_id, get_local_id, get_group_id, get_global_size, get_local_size, get_num_groups,
 *   get_global_offset, get_work_dim: 64 bits wide, of a launch of two dimensions without offset;
 * - table[index], if a table is given: an int that the kernel would have read before;
 * - abs abs_diff add_sat bitselect clamp clz ctz hadd mad24 mad_hi mad_sat max min mul24 mul_hi
 *   popcount rhadd rotate select sub_sat upsample. OpenCL C has a function for each type and cannot
 *   choose among them for arguments of different types, so most of these want arguments of one
 *   type, as it does. mul24 and mad24 multiply the low 24 bits.
 *
 * Refused, where it stands: floating-point numbers, types and functions, for an index is computed
 * with integers only; vectors; any other names; and whatever changes a value or is not an
 * expression (assignments, comments, directives, brackets, line ends). A division by zero, or of
 * the smallest integer by -1, is found when a work-item computes it.
 */
#ifndef BANKLINE_MODEL_EXPRESSION_H
#define BANKLINE_MODEL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BL_LONGEST_EXPRESSION = 400 };

/* The ids and sizes that a work-item can ask for, the sizes last. */
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

/* Why a work-item has no value. */
enum bl_fault {
    BL_NO_FAULT,
    BL_FAULT_DIVISION, /* by zero, or of the smallest integer by -1 */
    BL_FAULT_TABLE     /* the table has no such entry */
};

struct bl_expression {
    char *text;            /* the text as written; for recorded values, their name */
    struct bl_node *nodes; /* the parsed text (expression_tree.h); NULL: values were recorded */
    struct bl_node *root;  /* the root, one of the nodes */
    uint32_t *table;       /* one value per work-item; NULL: not computed yet */
    size_t table_count;
};

/* Parses the text; free the expression with bl_expression_free, also after a failure. Returns
 * BL_OK; BL_BAD_EXPRESSION with a sentence, and the text with a caret below the place in
 * error->log; BL_NO_MEMORY. */
enum bl_status bl_expression_parse(const char *text, struct bl_expression *expression,
                                   struct bl_error *error);

/* The same for a text that may read a table, table[...], whose entries are ints; without one (NULL)
 * that is refused, and the sentence says how to give one. The table must outlive the expression. */
enum bl_status bl_expression_parse_with(const char *text, const struct bl_lookup *lookup,
                                        struct bl_expression *expression, struct bl_error *error);

/* Makes an expression from recorded values: the work-item with global id i in x gets values[i],
 * which is below 2^31. bl_expression_free frees it. BL_NO_MEMORY. */
enum bl_status bl_expression_of_table(const char *name, const uint64_t values[], size_t count,
                                      struct bl_expression *expression, struct bl_error *error);

/* Gives the expression the table that kernels read, one value below 2^32 per work-item in the order
 * in which kernels number them. BL_NO_MEMORY. */
enum bl_status bl_expression_set_table(struct bl_expression *expression, const uint64_t values[],
                                       size_t count, struct bl_error *error);

/* Computes a work-item's value, as C converts it to a long. If values were recorded, the work-item
 * must have one. */
enum bl_fault bl_expression_compute(const struct bl_expression *expression,
                                    const struct bl_work_item *item, int64_t *value);

/* Whether it could be computed. */
bool bl_expression_value(const struct bl_expression *expression, const struct bl_work_item *item,
                         int64_t *value);

void bl_expression_free(struct bl_expression *expression);

#endif
