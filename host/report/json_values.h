/* JSON through jansson: whether the program was built with jansson, and helpers for values. */
#ifndef BANKLINE_REPORT_JSON_VALUES_H
#define BANKLINE_REPORT_JSON_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Returns BL_OK, or BL_USAGE with a sentence if the program was built without jansson. */
enum bl_status bl_json_is_built(struct bl_error *error);

#ifdef BL_WITH_JANSSON
#include <jansson.h>

/* If memory runs out, the json_t of a value is NULL. A function that gets a NULL value sets *whole
 * to false, and then the document is not written. So a written document is complete. */

/* These functions make a string from a text that may not be UTF-8, such as a driver's name. Each
 * invalid byte becomes '?'. A text with invalid bytes is cut after 1023 bytes.
 * bl_json_string_or_null returns null for "". */
json_t *bl_json_text(const char *bytes, size_t length);
json_t *bl_json_string(const char *text);
json_t *bl_json_string_or_null(const char *text);

json_t *bl_json_number_or_null(double value);

/* Like json_pack, but takes ownership of the values, and sets *whole to false on failure. */
json_t *bl_json_pack(bool *whole, const char *format, ...);

/* These functions add a value to an object or an array, which takes ownership of the value. */
void bl_json_add(json_t *object, const char *key, json_t *value, bool *whole);
void bl_json_append(json_t *array, json_t *value, bool *whole);

/* Returns an array of objects: the predictions by the alternative banks of a row's machine. */
struct bl_row;
json_t *bl_json_alternatives(const struct bl_row *row, bool *whole);

/* Writes and frees `root`. Fails with BL_NO_MEMORY if `whole` is false or memory runs out; check
 * ferror for write errors. */
enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error);
#endif

#endif
