/* JSON through jansson: whether the program was built with it, and helpers for values. */
#ifndef BANKLINE_REPORT_JSON_VALUES_H
#define BANKLINE_REPORT_JSON_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* BL_OK, or BL_USAGE with a sentence if the program was built without jansson. */
enum bl_status bl_json_is_built(struct bl_error *error);

#ifdef BL_WITH_JANSSON
#include <jansson.h>

/* A value is NULL if memory ran out. Functions that take values then set *whole to false, and the
 * document is not written: a document is complete or missing. */

/* Make a string from a text that may not be UTF-8, such as a driver's name: each invalid byte
 * becomes '?', and at most 1023 bytes are kept. bl_json_string_or_null makes null of "". */
json_t *bl_json_text(const char *bytes, size_t length);
json_t *bl_json_string(const char *text);
json_t *bl_json_string_or_null(const char *text);

json_t *bl_json_number_or_null(double value);

/* Like json_pack; takes ownership of its values. */
json_t *bl_json_pack(bool *whole, const char *format, ...);

/* Add a value to an object, or to an array, which takes ownership of it. */
void bl_json_add(json_t *object, const char *key, json_t *value, bool *whole);
void bl_json_append(json_t *array, json_t *value, bool *whole);

/* An array of objects: the predictions by the alternatives of a row's machine. */
struct bl_row;
json_t *bl_json_alternatives(const struct bl_row *row, bool *whole);

/* Writes and frees root. BL_NO_MEMORY if it is not whole, or if writing it runs out of memory. */
enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error);
#endif

#endif
