/* The names that an index expression may use. None of them changes anything, waits for other
 * work-items, or prints; words are not ended by a zero byte. */
#ifndef BANKLINE_MODEL_EXPRESSION_WORDS_H
#define BANKLINE_MODEL_EXPRESSION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* OpenCL C's scalar types and their vectors. */
bool bl_is_type_word(const char *word, size_t length);

/* Work-item functions, the integer and mathematical built-ins, conversions. */
bool bl_is_function_word(const char *word, size_t length);

bool bl_is_constant_word(const char *word, size_t length);

#endif
