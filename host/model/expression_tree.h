/* The parts of an index expression: the integer types, the operators and functions with their
 * names, and the tree that expression.c builds from a text. */
#ifndef BANKLINE_MODEL_EXPRESSION_TREE_H
#define BANKLINE_MODEL_EXPRESSION_TREE_H

#include "base/text.h"
#include "model/expression.h"
#include "model/lookup.h"

/* OpenCL C's scalar types, in the order of C's usual arithmetic conversions: if two operands that
 * are at least as wide as int have different types, the result has the type that comes later here.
 * Each unsigned type follows the signed type of the same width. BL_FLOATING represents all types
 * that are rejected; no value has this type. */
enum bl_scalar {
    BL_CHAR,
    BL_UCHAR,
    BL_SHORT,
    BL_USHORT,
    BL_INT,
    BL_UINT,
    BL_LONG,
    BL_ULONG,
    BL_FLOATING
};

/* The operands and the result of an operator or a function. */
enum bl_signature {
    BL_ARITHMETIC, /* operands of a common type, at least int; returns that type */
    BL_SHIFT,  /* a value, promoted to at least int, and a shift count; returns the promoted type */
    BL_TRUTH,  /* operands of a common type; returns 0 or 1 as an int */
    BL_AND,    /* &&; the second operand is evaluated only if the first is true */
    BL_OR,     /* ||; the second operand is evaluated only if the first is false */
    BL_CHOICE, /* ?:; a condition and two values; returns the common type of the values */
    BL_OF_DIMENSION, /* a dimension (a uint); returns an id or a size */
    BL_OF_NOTHING,   /* no operand; returns a uint */
    BL_OF_ONE_TYPE,  /* arguments of the same type; returns that type */
    BL_TO_UNSIGNED,  /* operands of a common type; returns its unsigned counterpart */
    BL_OF_24_BITS,   /* ints or uints; the factors are truncated to 24 bits */
    BL_SELECT,       /* two values of a common type, and a condition; returns that type */
    BL_UPSAMPLE, /* two values, the second converted to the type of the first; returns a type twice
                    as wide */
    BL_CONVERT,  /* casts and convert_TYPE: node->type is the target type */
    BL_AS,       /* as_TYPE: a value of the same size as TYPE */
    BL_OF_TABLE, /* table[...]: any integer; returns an int */
    BL_OF_FLOATING /* a floating-point function, which is rejected */
};

struct bl_node;

/* Computes a node's value from the values of its operands, which are already converted to the type
 * node->operands. All values have 64 bits: values of signed types are sign-extended, values of
 * unsigned types zero-extended. The caller truncates the result to node->type. */
typedef uint64_t bl_compute(const struct bl_node *node, const uint64_t of[]);

enum { BL_MAX_OPERANDS = 3 };

struct bl_tree_operation {
    const char *name;
    unsigned operands; /* number of operands */
    enum bl_signature signature;
    bl_compute *compute; /* NULL: bl_node_value itself evaluates the operation, according to its
                            signature */
    unsigned binds;      /* precedence of a binary operator, 1 for the lowest; else 0 */
    enum bl_id id;       /* id or size that the function returns, for BL_OF_DIMENSION */
};

struct bl_node {
    const struct bl_tree_operation *operation; /* NULL: the node is a number */
    struct bl_node *of[BL_MAX_OPERANDS];       /* the operands; unused entries are NULL */
    uint64_t number;
    enum bl_scalar type;            /* type of the result */
    enum bl_scalar operands;        /* type to which the operands are converted */
    const struct bl_lookup *lookup; /* the table that BL_OF_TABLE reads */
};

/* A word or operator of the text; not null-terminated. */
struct bl_word {
    const char *at;
    size_t length;
};

bool bl_word_is(struct bl_word word, const char *name);

/* Find an operator or function by name; NULL if there is none. bl_function_named sets *type for
 * convert_TYPE and as_TYPE. */
const struct bl_tree_operation *bl_operator_named(struct bl_word word, unsigned operands);
const struct bl_tree_operation *bl_function_named(struct bl_word word, enum bl_scalar *type);

extern const struct bl_tree_operation bl_choice, bl_cast, bl_cast_to_bool, bl_table_read;

/* Find the type that is named by one word ("uint", "unsigned"), or by one or two words ("unsigned
 * int"). Return false if there is none. */
bool bl_type_of_word(struct bl_word word, enum bl_scalar *type);
bool bl_type_of_words(const struct bl_word words[], size_t count, enum bl_scalar *type);

/* Sets the value and type of a named constant, such as INT_MAX. Returns false if the name is
 * unknown. */
bool bl_constant_named(struct bl_word word, struct bl_node *node);

/* Offers the names that an expression may contain as corrections of a misspelt name: functions and,
 * unless functions_only, constants and types. */
void bl_offer_names(struct bl_nearest *nearest, bool functions_only);

/* Determines the types of a node's operands and result by the rules of C. The node's operation and
 * operands must be set, and for BL_CONVERT and BL_AS also its type. Returns false if the operation
 * does not accept these operands; `why` then receives the reason, a text that continues a sentence
 * beginning with the operation's name. */
bool bl_node_settle(struct bl_node *node, struct bl_word name, char why[128]);

/* Why a node has no value for a work-item. */
struct bl_no_value {
    enum bl_fault fault;
    int64_t index; /* for BL_FAULT_TABLE: the index for which the table has no entry */
};

/* Evaluates a node for a work-item. Sets *none if the node has no value. */
uint64_t bl_node_value(const struct bl_node *node, const struct bl_work_item *item,
                       struct bl_no_value *none);

#endif
