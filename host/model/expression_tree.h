/* The parts of an index expression: the integer types, the operators and functions with their
 * names, and the tree that expression.c builds from a text. */
#ifndef BANKLINE_MODEL_EXPRESSION_TREE_H
#define BANKLINE_MODEL_EXPRESSION_TREE_H

#include "base/text.h"
#include "model/expression.h"
#include "model/lookup.h"

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
    BL_ARITHMETIC,   /* takes operands of a common type, at least int, and returns that type */
    BL_SHIFT,        /* takes a value, which it returns as at least an int, and a shift count */
    BL_TRUTH,        /* takes operands of a common type and returns 0 or 1, an int */
    BL_AND,          /* && and ||, which compute the second operand only if */
    BL_OR,           /* the first does not decide */
    BL_CHOICE,       /* ?: */
    BL_OF_DIMENSION, /* takes a uint, the dimension; returns an id or a size */
    BL_OF_NOTHING,   /* takes nothing and returns a uint */
    BL_OF_ONE_TYPE,  /* takes arguments of one type and returns that type */
    BL_TO_UNSIGNED,  /* takes integers of a common type and returns its unsigned counterpart */
    BL_OF_24_BITS,   /* takes ints or uints whose low 24 bits count */
    BL_SELECT,       /* takes two integers of a common type, which it returns, and a condition */
    BL_UPSAMPLE,   /* takes two integers of one size, the second unsigned; returns twice the size */
    BL_CONVERT,    /* casts and convert_TYPE: the node holds the type */
    BL_AS,         /* as_TYPE: takes any integer of the same size */
    BL_OF_TABLE,   /* table[...]: takes any integer; returns an int */
    BL_OF_FLOATING /* refused */
};

struct bl_node;

/* Computes a value from those of the operands, already converted to node->operands. All have 64
 * bits; narrower ones are sign-extended if signed, else zero-extended. Only the bits of node->type
 * count in the result. */
typedef uint64_t bl_compute(const struct bl_node *node, const uint64_t of[]);

enum { BL_MAX_OPERANDS = 3 };

struct bl_tree_operation {
    const char *name;
    unsigned operands; /* number of operands */
    enum bl_signature signature;
    bl_compute *compute; /* NULL: the signature says it all */
    unsigned binds;      /* precedence of an operator with two operands, from 1; else 0 */
    enum bl_id id;       /* the id or size that BL_OF_DIMENSION returns */
};

struct bl_node {
    const struct bl_tree_operation *operation; /* NULL: the node is a number */
    struct bl_node *of[BL_MAX_OPERANDS];       /* the operands, then NULL */
    uint64_t number;
    enum bl_scalar type;            /* type of the value */
    enum bl_scalar operands;        /* type to which the operands are converted */
    const struct bl_lookup *lookup; /* of BL_OF_TABLE */
};

/* A word of the text, or an operator; not null-terminated. */
struct bl_word {
    const char *at;
    size_t length;
};

bool bl_word_is(struct bl_word word, const char *name);

/* Returns NULL if there is no such operator or function; also sets *type for convert_TYPE and
 * as_TYPE. */
const struct bl_tree_operation *bl_operator_named(struct bl_word word, unsigned operands);
const struct bl_tree_operation *bl_function_named(struct bl_word word, enum bl_scalar *type);

extern const struct bl_tree_operation bl_choice, bl_cast, bl_cast_to_bool, bl_table_read;

/* The type that a word names by itself ("uint", "unsigned") or with a second word ("unsigned int").
 * Returns false if it names none. */
bool bl_type_of_word(struct bl_word word, enum bl_scalar *type);
bool bl_type_of_words(const struct bl_word words[], size_t count, enum bl_scalar *type);

/* The value and the type of a named constant. Returns false if the name is unknown. */
bool bl_constant_named(struct bl_word word, struct bl_node *node);

/* Offers the names that an expression may use: functions alone, or also constants and types. */
void bl_offer_names(struct bl_nearest *nearest, bool functions_only);

/* Sets a node's types by the rules of C. Its operation and operands must be set, and for BL_CONVERT
 * and BL_AS the types too. Returns false if the operation does not take such operands; `why` then
 * continues a sentence that begins with its name. */
bool bl_node_settle(struct bl_node *node, struct bl_word name, char why[128]);

/* The value of the tree for a work-item. Sets *fault if there is none. */
uint64_t bl_node_value(const struct bl_node *node, const struct bl_work_item *item,
                       enum bl_fault *fault);

#endif
