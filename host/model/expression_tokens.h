/* The words, numbers and operators of an index expression, one after the other; what has no place
 * in one (comments, directives, assignments) is refused where it stands. */
#ifndef BANKLINE_MODEL_EXPRESSION_TOKENS_H
#define BANKLINE_MODEL_EXPRESSION_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* The names that an index expression may use. None of them changes anything, waits for other
 * work-items, or prints; words are not ended by a zero byte. */

/* OpenCL C's scalar types in the order of C's usual conversions: of two operands of different
 * types, both at least an int, the later one is the type of the result. A type and its unsigned
 * one lie side by side. size_t is ulong, a bool's value an int. */
enum bl_scalar {
    BL_CHAR,
    BL_UCHAR,
    BL_SHORT,
    BL_USHORT,
    BL_INT,
    BL_UINT,
    BL_LONG,
    BL_ULONG,
    BL_FLOAT,
    BL_DOUBLE
};

/* The name in a guarded expression: OpenCL C's, but "real" for a double, which is a float where a
 * device has no double (kernels/expression.h). */
const char *bl_scalar_name(enum bl_scalar type);
unsigned bl_scalar_bytes(enum bl_scalar type);
static inline bool bl_scalar_is_integer(enum bl_scalar type) { return type < BL_FLOAT; }

/* Whether the word can be part of a type's name ("unsigned"), and the type that `count` of such
 * words name: false where they name none. is_bool: "bool", whose values are ints. */
bool bl_is_type_word(const char *word, size_t length);
bool bl_type_of_words(const char *const words[], const size_t lengths[], size_t count,
                      enum bl_scalar *type, bool *is_bool);

/* What a function takes and returns. Operands "of one type" have C's common type here, where
 * OpenCL C would call an overloaded function ambiguous. */
enum bl_signature {
    BL_OF_DIMENSION, /* of a uint; returns a size_t */
    BL_OF_NOTHING,   /* returns a uint */
    BL_OF_INTEGERS,  /* of one type, which it returns */
    BL_TO_UNSIGNED,  /* of integers of one type; returns the unsigned one */
    BL_OF_24_BITS,   /* of int or uint */
    BL_OF_NUMBERS,   /* integers or not, of one type, which it returns */
    BL_OF_REALS,     /* of float or double, which it returns */
    BL_POWER,        /* of one of these and an int */
    BL_SELECT,       /* of two numbers of one type and a condition */
    BL_UPSAMPLE,     /* of an integer and an unsigned one of its size; returns the next larger */
    BL_CONVERT,      /* of any number: convert_TYPE and its suffixes */
    BL_AS            /* of any number of the same size: as_TYPE */
};

struct bl_function {
    enum bl_signature signature;
    unsigned arguments;
    enum bl_scalar type;  /* of BL_CONVERT and BL_AS */
    const char *rounding; /* of a BL_CONVERT to an integer that has a mode: "ceil", ...; or "" */
    bool saturates;       /* of BL_CONVERT */
};

bool bl_function_of_word(const char *word, size_t length, struct bl_function *function);

bool bl_constant_of_word(const char *word, size_t length, enum bl_scalar *type);

struct bl_token {
    enum { BL_TOKEN_END, BL_TOKEN_WORD, BL_TOKEN_NUMBER, BL_TOKEN_OPERATOR } kind;
    const char *at;
    size_t length;
};

struct bl_tokens {
    const char *text;
    const char *next;       /* behind the current token */
    struct bl_token token;  /* the current one */
    struct bl_error *error; /* may be NULL */
    enum bl_status status;  /* BL_OK until something is wrong; then nothing more is read */
};

/* Goes on to the next token: to the first one when only text and next, which is text, are set. */
void bl_tokens_advance(struct bl_tokens *tokens);

/* Whether the current token is this operator; false once something is wrong. */
bool bl_tokens_is(const struct bl_tokens *tokens, const char *text);

/* The type of a number as C writes it; false where it is none, or fits no type. */
bool bl_type_of_number(const char *number, size_t length, enum bl_scalar *type);

/* Remembers the first fault (printf's format), and draws a caret below where it is. */
void bl_tokens_fail(struct bl_tokens *tokens, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the text with a caret below `column`, from 0, into the error's log. */
void bl_draw_caret(const char *text, size_t column, struct bl_error *error);

#endif
