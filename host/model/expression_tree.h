/* What an index expression is made of: the integer types, the operators and functions with their
 * names, and the tree that expression.c makes of a text. */
#ifndef BANKLINE_MODEL_EXPRESSION_TREE_H
#define BANKLINE_MODEL_EXPRESSION_TREE_H

#include "base/text.h"
#include "model/expression.h"

/* OpenCL C's scalar types in the order of C's usual conversions: if two operands have different
 * types, both at least an int, the result has the later one. An unsigned type follows its signed
 * one. BL_FLOATING, which no value has, stands for all types that are refused. */
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

/* What an operator or a function takes and returns. */
enum bl_signature {
    BL_ARITHMETIC,   /* operands of a common type of an int at least, which it returns */
    BL_SHIFT,        /* a value, which it returns as an int at least, and a count */
    BL_TRUTH,        /* operands of a common type; returns 0 or 1, an int */
    BL_AND,          /* && and || compute the second operand only where the first */
    BL_OR,           /* does not decide */
    BL_CHOICE,       /* ?: */
    BL_OF_DIMENSION, /* of a uint; returns an id or a size */
    BL_OF_NOTHING,   /* returns a uint */
    BL_OF_ONE_TYPE,  /* arguments of one type, which it returns */
    BL_TO_UNSIGNED,  /* of integers of a common type; returns the unsigned one */
    BL_OF_24_BITS,   /* of int or uint */
    BL_SELECT,       /* of two integers of a common type, which it returns, and a condition */
    BL_UPSAMPLE,     /* of an integer and an unsigned one of its size; returns the next larger */
    BL_CONVERT,      /* casts, and convert_TYPE: the node says to which type */
    BL_AS,           /* of any integer of the same size: as_TYPE */
    BL_OF_FLOATING   /* refused */
};

struct bl_node;

/* Computes a value from those of the operands, which were converted to node->operands. All have 64
 * bits, narrower ones extended by their sign if they are signed. Only the bits of node->type count
 * in the result. */
typedef uint64_t bl_compute(const struct bl_node *node, const uint64_t of[]);

enum { BL_MAX_OPERANDS = 3 };

struct bl_tree_operation {
    const char *name;
    unsigned operands; /* how many */
    enum bl_signature signature;
    bl_compute *compute; /* NULL where the signature says it all */
    unsigned binds;      /* operators of two operands: how tightly, from 1; else 0 */
    enum bl_id id;       /* of BL_OF_DIMENSION */
};

struct bl_node {
    const struct bl_tree_operation *operation; /* NULL: a number */
    struct bl_node *of[BL_MAX_OPERANDS];       /* operands; NULL behind the last one */
    uint64_t number;
    enum bl_scalar type;     /* of the value */
    enum bl_scalar operands; /* to which the operands are converted */
};

/* A word of the text, or an operator: not ended by a zero byte. */
struct bl_word {
    const char *at;
    size_t length;
};

bool bl_word_is(struct bl_word word, const char *name);

/* NULL where there is no such operator or function; convert_TYPE and as_TYPE give *type too. */
const struct bl_tree_operation *bl_operator_named(struct bl_word word, unsigned operands);
const struct bl_tree_operation *bl_function_named(struct bl_word word, enum bl_scalar *type);

extern const struct bl_tree_operation bl_choice, bl_cast, bl_cast_to_bool;

/* The type that a word names by itself ("uint", "unsigned") or with a second word ("unsigned int");
 * false: none. */
bool bl_type_of_word(struct bl_word word, enum bl_scalar *type);
bool bl_type_of_words(const struct bl_word words[], size_t count, enum bl_scalar *type);

/* The value and the type of a constant's name; false: there is none of this name. */
bool bl_constant_named(struct bl_word word, struct bl_node *node);

/* Offers the names that an expression may use: functions, or also constants and types. */
void bl_offer_names(struct bl_nearest *nearest, bool functions_only);

/* Sets a node's types by the rules of C; its operation and operands are set, and for BL_CONVERT and
 * BL_AS the types, too. false: the operation does not take such operands, and `why` continues a
 * sentence that begins with its name. */
bool bl_node_settle(struct bl_node *node, struct bl_word name, char why[128]);

/* The value of the tree for a work-item; *faults is set where it divides by zero, or the smallest
 * integer by -1. */
uint64_t bl_node_value(const struct bl_node *node, const struct bl_work_item *item, bool *faults);

#endif
