/* Whether this program writes JSON; and values of JSON, through jansson. */
#ifndef BANKLINE_REPORT_JSON_VALUES_H
#define BANKLINE_REPORT_JSON_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* BL_OK, or BL_USAGE with a sentence if the program was built without jansson. */
enum bl_status bl_json_is_built(struct bl_error *error);

#ifdef BL_WITH_JANSSON
#include <jansson.h>

/* A value is NULL if there was no memory. Functions that take values then set *whole to false, so
 * that a document is written whole or not at all. */

/* A text that may not be UTF-8, such as a driver's name: then '?' stands for each stray byte, and
 * at most 1023 bytes are kept. The third has null for "". */
json_t *bl_json_text(const char *bytes, size_t length);
json_t *bl_json_string(const char *text);
json_t *bl_json_string_or_null(const char *text);

json_t *bl_json_number_or_null(double value);

/* json_pack, which takes ownership of its values. */
json_t *bl_json_pack(bool *whole, const char *format, ...);

/* Add a value to an object or an array, which takes ownership of it. */
void bl_json_add(json_t *object, const char *key, json_t *value, bool *whole);
void bl_json_append(json_t *array, json_t *value, bool *whole);

/* The prediction by each alternative of a row's machine: an array of objects. */
struct bl_row;
json_t *bl_json_alternatives(const struct bl_row *row, bool *whole);

/* Writes and frees root; BL_NO_MEMORY if it is not whole, or cannot be written for lack of memory.
 */
enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error);
#endif

#endif
